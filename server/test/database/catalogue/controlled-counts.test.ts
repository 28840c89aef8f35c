import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listShelves } from "../../../src/db/catalogue/stock.ts";
import { listCounts } from "../../../src/db/catalogue/stock-counts.ts";
import { readFileTable } from "../../../src/domain/catalogue/file-table.ts";
import { importCatalogue } from "../../../src/usecases/catalogue/import-catalogue.ts";
import { countStock, receiveStock } from "../../../src/usecases/catalogue/move-stock.ts";
import { checkDatabase } from "../../../src/usecases/operations/check-up.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { staff } from "../../support/workplace.ts";

const SKU = "zolpidem-5";
const BROKE = { reason: "breakage", note: "One bottle broke on delivery." };

let app: TestApp;
let account_id: string;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  ({ account_id } = app.demo.partners[0]!);
});
afterAll(() => app.stop());

type Given = { by?: (typeof staff)[keyof typeof staff] | null; reason?: string; note?: string };
const count = (units: number, { note, ...given }: Given = {}, at = app.deps.now(), owner = account_id) =>
  countStock(app.deps.db, { account_id: owner, sku: SKU, units, note: note ?? null, ...given }, at);
const onHand = async () => (await listShelves(app.deps.db, account_id, SKU, 5))[0]!.on_hand_units;
const counts = () => listCounts(app.deps.db, account_id, SKU, 100);

describe("a count of a controlled product", () => {
  test("needs a pharmacist, a coded reason and an explanation; refused counts change nothing", async () => {
    const ledger = await onHand();
    const before = await counts();
    for (const by of [undefined, null, staff.technician]) {
      await expect(count(ledger, { by: by ?? null })).rejects.toThrow("Only a pharmacist");
      await expect(count(ledger - 10, { by: by ?? null, ...BROKE })).rejects.toThrow("Only a pharmacist");
    }
    const { pharmacist: by } = staff;
    await expect(count(ledger - 10, { by })).rejects.toThrow("Give one of these reasons");
    await expect(count(ledger - 10, { by, ...BROKE, reason: "bad luck" })).rejects.toThrow("Give one of these reasons");
    await expect(count(ledger - 10, { by, ...BROKE, note: "broke" })).rejects.toThrow("at least 10 characters");
    expect([await onHand(), await counts()]).toEqual([ledger, before]);
  });

  test("is kept with the ledger's number, the person and the reason", async () => {
    const ledger = await onHand();
    const { pharmacist: by } = staff;
    await count(ledger - 10, { by, ...BROKE });
    await count(ledger - 10, { by });
    expect(await onHand()).toBe(ledger - 10);
    expect((await counts()).slice(0, 2)).toMatchObject([
      { counted_units: ledger - 10, ledger_units: ledger - 10, reason: null, counted_by: "phil" },
      { counted_units: ledger - 10, ledger_units: ledger, reason: "breakage", explanation: BROKE.note },
    ]);
  });

  test("cannot come from a file, once the ledger has entries", async () => {
    const text = `sku,on_hand_units\n${SKU},5\n`;
    const given = { owner: { account_id }, kind: "stock", table: readFileTable(text), source: "stock.csv" } as const;
    const before = await onHand();
    await expect(
      importCatalogue(app.deps.db, { ...given, partial: true, dry_run: false }, app.deps.now()),
    ).rejects.toThrow(`Remove ${SKU}`);
    expect(await onHand()).toBe(before);
  });
});

describe("`doctor` and the health page", () => {
  const check = async (at: Date) =>
    (await checkDatabase(app.config, app.deps.db, () => at)).find(({ what }) => what === "controlled stock")!;
  const later = (days: number) => new Date(Date.now() + days * 86_400_000);

  test("warn when the last count of a controlled product in production is older than two years", async () => {
    const production = app.demo.partners[2]!.account_id;
    expect(await check(later(1))).toMatchObject({ state: "ok" });
    const overdue = await check(later(740));
    expect(overdue).toMatchObject({
      state: "warning",
      says: expect.stringContaining(`${SKU} (account ${production})`),
    });
    const [shelf] = await listShelves(app.deps.db, production, SKU, 1);
    await count(shelf!.on_hand_units, { by: staff.pharmacist }, later(700), production);
    expect((await check(later(740))).says).not.toContain(SKU);
    // A delivery is no count.
    const delivery = { account_id: production, sku: SKU, units: 30, note: null };
    await receiveStock(app.deps.db, delivery, later(1400));
    expect((await check(later(1440))).says).toContain(SKU);
  });
});
