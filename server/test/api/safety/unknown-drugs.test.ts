import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listReviews } from "../../../src/db/intake/reviews.ts";
import { readFileTable } from "../../../src/domain/catalogue/file-table.ts";
import { importCatalogue } from "../../../src/usecases/catalogue/import-catalogue.ts";
import { ingredientReader } from "../../../src/usecases/catalogue/ingredient-reader.ts";
import { receiveStock } from "../../../src/usecases/catalogue/move-stock.ts";
import { openReview } from "../../../src/usecases/intake/message-answer.ts";
import { codesOf } from "../../support/conventions.ts";
import { type Given, newOrder, placed, post } from "../../support/orders.ts";
import { ask } from "../../support/patient.ts";
import { castCatalogue } from "../../support/samples/catalogue.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { SOON_MS, until } from "../../support/tools/until.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

const heldBy = async (given: Given) => {
  const { body } = await newOrder(app, given);
  return (await placed(app, body)).exceptions.map(({ id }) => id);
};
const allergic = (...texts: string[]) => ({
  prescription: { allergies: texts.map((text) => ({ text, codes: [], reaction: null, severity: null })) },
});

describe("an order", () => {
  test("is held for a listed medication or allergy that the tables do not understand", async () => {
    expect(await heldBy({ patient: { medications: ["Zorblaxin 5 mg"] } })).toEqual([75]);
    // One typing error away from one name: checked as that drug, and shown to the pharmacist.
    expect(await heldBy({ patient: { medications: ["lisinipril 10 mg"] } })).toEqual([]);
    expect(await heldBy(allergic("zorblaxin"))).toEqual([74]);
  });

  test("is not held for what they understand, nor for none", async () => {
    expect(await heldBy({ patient: { medications: ["Xyzal 5 mg", "metoprolol succinate 25 mg daily"] } })).toEqual([]);
    expect(await heldBy({ patient: { medications: ["none", "multivitamin", "vitamin D 1000 units"] } })).toEqual([]);
    expect(await heldBy(allergic("NKDA"))).toEqual([]);
    expect(await heldBy(allergic("shellfish", "strawberries", "pollen"))).toEqual([]);
  });

  test("is refused if SKU and NDC of an item are two products, and accepted if they are one", async () => {
    const named = async (sku: string) => {
      const { body } = await newOrder(app);
      return post(app, { ...body, items: [{ ...body.items[0], sku, ndc: "70999010130" }] });
    };
    const refused = await named("lipora-20");
    expect([refused.status, codesOf(refused.text)]).toEqual([422, [[42258, "items[0].ndc"]]]);
    expect((await named("atorvastatin-20")).status).toBe(201);
  });
});

describe("an imported product", () => {
  const base = { ...castCatalogue.products[0]!, ndc: null, gcn: null, rx_only: false };
  const imported = (row: object) =>
    importCatalogue(
      app.deps.db,
      {
        owner: { account_id: app.demo.partners[0]!.account_id },
        kind: "products",
        table: readFileTable(JSON.stringify([{ ...base, ...row }])),
        source: "products.json",
        partial: true,
        dry_run: false,
        readIngredient: ingredientReader(app.deps.safety.current()),
      },
      app.deps.now(),
    );
  const ordered = async (sku: string, given: Given = {}) => {
    const { account_id } = app.demo.partners[0]!;
    await receiveStock(app.deps.db, { account_id, sku, units: 300, note: null }, app.deps.now());
    await until(
      async () => (await ask(app, "/products")).text.includes(`"${sku}"`),
      "the service has seen the import",
      SOON_MS,
    );
    const { body } = await newOrder(app, given);
    const order = await placed(app, { ...body, items: [{ sku, quantity: 1, package_size: 30 }] });
    return order.exceptions.map(({ id }) => id);
  };

  test("with an ingredient that the tables do not know is flagged, and its orders are held", async () => {
    const { version, faults, warnings } = await imported({
      sku: "zorblaxin-5",
      name: "Zorb",
      ingredients: ["zorblaxin"],
    });
    expect([version, faults]).toEqual([expect.any(Number), []]);
    expect(warnings).toMatchObject([{ at: "item 1", column: "ingredients" }]);
    expect(await ordered("zorblaxin-5")).toEqual([75]);
  });

  test("with a known ingredient is neither", async () => {
    const { warnings } = await imported({ sku: "loratadine-10", name: "Lora", ingredients: ["loratadine"] });
    expect(warnings).toEqual([]);
    expect(await ordered("loratadine-10")).toEqual([]);
  });

  test("that is a drug without ingredients is refused, and so is a controlled one under schedule 0", async () => {
    expect((await imported({ sku: "no-1", name: "N", ingredients: [] })).faults).toMatchObject([
      { column: "ingredients" },
    ]);
    for (const ingredient of ["tramadol hydrochloride", "Ultram"]) {
      const { faults, version } = await imported({ sku: "no-2", name: "N", ingredients: [ingredient] });
      expect(faults).toMatchObject([{ column: "drug_schedule" }]);
      expect(version).toBeNull();
    }
  });

  test("that is not a drug is never held, regardless of the patient's lists", async () => {
    await imported({ sku: "gift-box", name: "Gift box", ingredients: [], is_drug: false });
    expect(await ordered("gift-box", { patient: { medications: ["zorblaxin"] } })).toEqual([]);
  });
});

describe("a prescription whose drug differs from its NDC", () => {
  const written = (description: string, code = "70999010130", strength: string | null = null) => ({
    prescription: {
      drug: { description, codes: [{ system: "ndc" as const, code }], strength, schedule: "0" as const },
    },
  });
  const reviewOf = async (prescription_id: number) =>
    (await listReviews(app.deps.db, null, true))
      .filter((row) => row.prescription_id === prescription_id)
      .map((row) => openReview(app.deps.vault, row))
      .map(({ kind, reasons, facts }) => ({ kind, reasons, facts }));

  test.each([
    ["another drug", written("Warfarin 5 mg")],
    ["another strength", written("Atorvastatin 80 mg tablet")],
    ["another strength in its own field", written("Atorvastatin", "70999010130", "80 mg")],
  ])("(%s) waits for a pharmacist, who sees both side by side", async (_what, given) => {
    const { body, prescription_id } = await newOrder(app, given);
    expect(await reviewOf(prescription_id)).toEqual([
      {
        kind: "prescription_acceptance",
        reasons: ["drug_differs_from_ndc"],
        facts: {
          written_drug: [given.prescription.drug.description, given.prescription.drug.strength]
            .filter(Boolean)
            .join(" "),
          ndc: "70999010130",
          ndc_drug: "Atorvastatin 20 mg tablet",
        },
      },
    ]);
    const refused = await post(app, body);
    expect([refused.status, codesOf(refused.text).map(([code]) => code)]).toEqual([422, [42249]]);
  });

  test("is found in the shipped list of NDCs too, and an unknown NDC proves nothing", async () => {
    // Olmesartan 20 mg in RxNorm.
    const { prescription_id } = await newOrder(app, written("Lisinopril 10 mg", "72241007910"));
    expect(await reviewOf(prescription_id)).toMatchObject([
      { facts: { ndc_drug: "olmesartan medoxomil 20 MG Oral Tablet" } },
    ]);
    for (const given of [written("Benicar 20 mg", "72241007910"), written("Warfarin 5 mg", "11111111111")]) {
      expect(await reviewOf((await newOrder(app, given)).prescription_id)).toEqual([]);
    }
  });
});
