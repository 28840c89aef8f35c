import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keyOfRow } from "../../../src/domain/safety/rows.ts";
import { checkDatabase, checkSafety } from "../../../src/usecases/operations/check-up.ts";
import { shipped, shippedJson } from "../../support/samples/safety.ts";
import { createTestDatabase, startTestApp, TEST_MASTER_KEY, type TestApp } from "../../support/test-app.ts";
import { runCli } from "../../support/tools/run-cli.ts";
import { runCommand } from "../../support/tools/run-command.ts";
import { staffAtCli } from "../../support/tools/staff-login.ts";
import { SOON_MS, until } from "../../support/tools/until.ts";

const HEAD = "a_class,a_ingredient,b_class,b_ingredient,severity,mechanism,washout_days,source,since";
const PHARMACIST = "noor@larkspur.example";

let folder: string;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
/** Two services on one database, as behind a load balancer. */
let one: TestApp;
let two: TestApp;
let env: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pestle-safety-"));
  database = await createTestDatabase();
  one = await startTestApp({ url: database.url });
  two = await startTestApp({ url: database.url });
  env = { DATABASE_URL: database.url, DATA_DIR: folder, MASTER_KEY: TEST_MASTER_KEY, XDG_CONFIG_HOME: folder };
  await staffAtCli(one, env, {
    [PHARMACIST]: "pharmacist",
    "ines@larkspur.example": "technician",
    "ada@larkspur.example": "admin",
    "lars@larkspur.example": "lead",
  });
  await one.deps.db.raw(
    "update person set license_expires_on = '2001-01-31' where email = 'lars@larkspur.example'",
    [],
  );
});
afterAll(async () => {
  await one.stop();
  await two.stop();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (name: string, options: Record<string, unknown> = {}, argument = "") =>
  runCommand(env, name, options, argument);
const fileOf = (name: string, content: unknown) => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
};
const importFile = (name: string, content: unknown, options: Record<string, unknown> = { as: PHARMACIST }) =>
  run("safety import", options, fileOf(name, content));
/** The shipped tables under another name, with changes. */
const tables = (version: string, change: (rows: Record<string, unknown[]>) => void = () => {}) => {
  const json = { ...shippedJson(), version };
  change(json as unknown as Record<string, unknown[]>);
  return json;
};
const versionOf = (app: TestApp) => {
  const current = app.deps.safety.current();
  return "data" in current ? current.data.version : current.unfit;
};
const everywhere = (version: string) =>
  until(() => [one, two].every((app) => versionOf(app) === version), `version ${version} is in force everywhere`);
const metricsOf = async (app: TestApp) => (await fetch(`${app.addresses.base_url}/metrics`)).text();
const doctorOn = async (app: TestApp) =>
  (await checkDatabase(app.config, app.deps.db, () => new Date())).find(({ what }) => what === "safety tables")!;

test("a service starts with the tables of its build, and logs that", async () => {
  expect([one, two].map(versionOf)).toEqual([shipped.version, shipped.version]);
  expect(await metricsOf(one)).toContain(`pestle_safety_fit{version="${shipped.version}"} 1`);
  expect(one.lines()).toContainEqual(expect.objectContaining({ msg: "the safety tables are fit" }));
  const shown = await run("safety show");
  expect(shown.text).toMatch(new RegExp(`^version +${shipped.version}\nfrom +this build\nstate +fit`));
  expect(shown.data).toMatchObject({
    fit: true,
    imports: [],
    rows: { interactions: shipped.rows.interactions.length },
  });
});

describe("an import", () => {
  test("shows the difference first, and a dry run changes nothing and needs no approver", async () => {
    const feed = tables("feed 1", (rows) => {
      rows["interactions"]!.pop();
      rows["ingredients"]!.push({ ingredient: "zorblaxin", aliases: [], source: "label" });
    });
    const { text, data } = await importFile("feed.json", feed, { dryRun: true });
    expect(text).toBe(
      [
        "ingredients: 1 added, 0 changed, 0 removed",
        "  + zorblaxin",
        "interactions: 0 added, 0 changed, 1 removed",
        `  - ${keyOfRow.interactions(shipped.rows.interactions.at(-1)!)}`,
        "Dry run: nothing changed.",
      ].join("\n"),
    );
    expect(data).toMatchObject({ import_number: null, version: "feed 1", faults: [] });
    expect((await run("safety show")).data).toMatchObject({ version: shipped.version, imports: [] });
  });

  test("is active in every process within a second, and records who, when and what", async () => {
    const feed = tables("feed 2", (rows) => void rows["interactions"]!.pop());
    const path = fileOf("feed.json", feed);
    // From a separate process, next to the running services.
    const ran = await runCli(["safety", "import", path, "--as", PHARMACIST], env);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toMatch(/Import 1 \(version feed 2\) is now active\.\n$/);
    expect(await everywhere("feed 2")).toBeLessThan(SOON_MS);
    expect(await metricsOf(two)).toContain('pestle_safety_fit{version="feed 2"} 1');
    expect(await metricsOf(two)).not.toContain(`version="${shipped.version}"`);
    const { data, text } = await run("safety show");
    expect(data).toMatchObject({
      origin: "import 1",
      imports: [
        {
          import_number: 1,
          version: "feed 2",
          file_name: "feed.json",
          sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
          imported_by_email: PHARMACIST,
          summary: [{ table: "interactions" }],
        },
      ],
    });
    expect(text).toMatch(/1 +\d{4}-\d\d-\d\d \d\d:\d\dZ +feed 2 +noor@larkspur\.example +[0-9a-f]{12} +feed\.json$/);
    expect((await importFile("feed.json", feed)).text).toBe("No changes.");
  });

  test("of interactions as CSV is merged over the active tables", async () => {
    const csv = [
      HEAD,
      ...shipped.rows.interactions.map(({ a, b, severity, mechanism, washout_days, source, since }) => {
        const cells = [a, b].flatMap((side) => ("class" in side ? [side.class, ""] : ["", side.ingredient]));
        return [...cells, severity, `"${mechanism}"`, washout_days, source, since].join(",");
      }),
      ",zorblaxin,,sertraline,major,rises,0,Feed of November,2026-11-01",
    ].join("\n");
    const { text } = await importFile("interactions.csv", csv);
    expect(text).toContain("interactions: 2 added, 0 changed, 0 removed");
    const version = /version (interactions\.csv [0-9a-f]{8})/.exec(text)![1]!;
    await everywhere(version);
    const checked = await run("safety check", { with: ["Zorblaxin 5 mg"] }, "Zoloft 50 mg");
    expect(checked.data).toMatchObject({
      findings: [{ key: "interaction sertraline zorblaxin", source: "Feed of November", version }],
    });
  });

  test("with errors lists every location and changes nothing", async () => {
    const before = versionOf(one);
    const path = fileOf("bad.csv", `${HEAD}\nmaois,,,x,grave,m,0,s,2026-01-01\nnosuch,,,y,major,m,0,s,soon\n`);
    expect(await runCli(["safety", "import", path, "--as", PHARMACIST], env)).toMatchObject({
      code: 1,
      stdout: [
        "line 2.severity: give one of contraindicated, major, moderate",
        "line 3.since: give a date as YYYY-MM-DD",
        "Nothing changed.",
        "",
      ].join("\n"),
    });
    expect((await importFile("torn.json", '{"version": ')).data).toMatchObject({ faults: ["file: not valid JSON"] });
    expect(versionOf(one)).toBe(before);
  });

  test("whose canaries fail is rejected", async () => {
    const silent = tables("silent", (rows) => {
      rows["interactions"] = [];
    });
    const { failed, text } = await importFile("silent.json", silent);
    expect(failed).toBe(true);
    expect(text).toMatch(/^canary "sertraline and phenelzine in one order" failed\n/);
    expect(text).toMatch(/Nothing changed\.$/);
  });

  test.each([
    ["one of several people", {}, "Several people are signed in"],
    ["a stranger", { as: "who@larkspur.example" }, "who@larkspur.example is not signed in"],
    ["a technician", { as: "ines@larkspur.example" }, "Only a pharmacist may decide this."],
    ["an admin", { as: "ada@larkspur.example" }, "Only a pharmacist may decide this."],
    ["a lead whose license has expired", { as: "lars@larkspur.example" }, "a pharmacist with a current license"],
  ])("by %s is refused", async (_who, options, words) => {
    await expect(importFile("other.json", tables("other"), options)).rejects.toThrow(words);
  });

  test("of an unreadable file is rejected", async () => {
    await expect(run("safety import", { as: PHARMACIST }, join(folder, "none.json"))).rejects.toThrow("cannot be read");
    const path = join(folder, "latin.json");
    writeFileSync(path, Buffer.from('{"version": "caf\xe9"}', "latin1"));
    await expect(run("safety import", { as: PHARMACIST }, path)).rejects.toThrow("not UTF-8");
  });

  test("that was damaged in the database makes every process unfit, and is never replaced by older tables", async () => {
    const { db } = one.deps;
    const newest = "import_number = (select max(import_number) from safety_import)";
    const { rows } = await db.raw(`select data from safety_import where ${newest}`);
    await db.raw(`update safety_import set data = data - 'interactions' where ${newest}`);
    const third = await startTestApp({ url: database.url });
    expect(versionOf(third)).toEqual(["interactions: expected a list of rows"]);
    expect(await metricsOf(third)).toContain('pestle_safety_fit{version="none"} 0');
    expect(await doctorOn(third)).toMatchObject({
      state: "failed",
      says: expect.stringContaining("orders are held: interactions: expected a list of rows"),
    });
    await db.raw(`update safety_import set data = $1 where ${newest}`, [JSON.stringify(rows[0]!["data"])]);
    await third.deps.safety.check();
    expect(versionOf(third)).toBe(versionOf(one));
    await third.stop();
  });

  test("of the shipped tables restores them", async () => {
    const { data } = await run("safety show", { shipped: true, data: true });
    await importFile("shipped.json", data);
    await everywhere(shipped.version);
  });
});

describe("safety check", () => {
  test("explains what it understood, what it found and the source", async () => {
    const { text } = await run("safety check", { allergy: ["PCN (hives)"], with: ["Nardil", "zorb"] }, "Augmentin");
    expect(text).toMatch(
      /^text +understood as\nAugmentin +amoxicillin, clavulanate\nPCN \(hives\) +penicillins, aminopenicillins\n/,
    );
    expect(text).toMatch(/Nardil +phenelzine\nzorb +nothing\n/);
    expect(text).toContain("major, holds with 74: The patient is allergic to penicillins");
    expect(text).toContain(`    ${shipped.rows.sources["allergy"]}\n`);
    expect(text).toContain("major, holds with 75: Entry 2 of the patient's medications could not be understood");
    expect(text).toContain(`Safety tables version ${shipped.version}.`);
    expect((await run("safety check", { allergy: ["NKDA"] }, "finasteride")).text).toContain("No findings.");
    const misspelled = await run("safety check", { with: ["sertaline 50 mg"] }, "zorblaxin");
    expect(misspelled.text).toMatch(/sertaline 50 mg +did you mean sertraline\?/);
    expect(misspelled.text).toContain("The tables do not know zorblaxin");
  });

  test("takes its texts from a shell", async () => {
    const ran = await runCli(["safety", "check", "sertraline", "--with", "Nardil", "--with", "Advil", "--json"], env);
    expect(ran.code).toBe(0);
    const keys = (ran.json() as { findings: { key: string }[] }).findings.map(({ key }) => key);
    expect(keys).toEqual(["interaction phenelzine sertraline", "interaction ibuprofen sertraline"]);
  });
});

describe("safety check of a patient", () => {
  const checked = async (...args: string[]) => {
    const ran = await runCli(["safety", "check", ...args, "--json"], env);
    expect(ran.code).toBe(0);
    return ran.json() as {
      version: string;
      understood: { text: string; means: string[] }[];
      findings: { kind: string; exception_id: number | null; advice: string }[];
    };
  };

  test("takes conditions, age, sex, directions, quantity and days", async () => {
    const condition = await checked("semaglutide", "--condition", "family history of MTC", "--condition", "E11.9");
    expect(condition.findings).toMatchObject([{ kind: "condition", exception_id: 75 }]);
    expect(condition.findings[0]?.advice).toContain("Do not dispense");
    expect(condition.understood.slice(1).map(({ means }) => means)).toEqual([
      ["medullary thyroid carcinoma or MEN 2"],
      ["type 2 diabetes"],
    ]);
    const age = await checked("codeine", "--age", "9");
    expect(age.findings.map(({ kind, exception_id }) => [kind, exception_id])).toEqual([["age", 75]]);
    const sex = await checked("raloxifene", "--sex", "m");
    expect(sex.findings).toMatchObject([{ kind: "sex", exception_id: 75 }]);
    const sig = await checked(
      "metformin 500 mg tablet",
      ...["--sig", "take 1 tablet twice daily", "--quantity", "30", "--days", "30"],
    );
    expect(sig.findings).toMatchObject([{ kind: "sig", exception_id: 69 }]);
    expect(sig.understood.at(-1)).toEqual({ text: "take 1 tablet twice daily", means: ["2 tablet per day"] });
    const dose = await checked("methotrexate 2.5 mg tablet", "--sig", "take 1 tablet daily");
    expect(dose.findings).toMatchObject([{ kind: "dose", exception_id: 75 }]);
  });

  test("says what it could not read, and rejects numbers that cannot be", async () => {
    const { findings, understood } = await checked(
      "atorvastatin 20 mg",
      "--condition",
      "zorblaxitis",
      "--sig",
      "as told",
    );
    expect(findings.map(({ kind, exception_id }) => [kind, exception_id])).toEqual([
      ["condition", null],
      ["sig", null],
    ]);
    expect(understood.slice(1).map(({ means }) => means)).toEqual([[], []]);
    for (const wrong of [
      ["--age", "old"],
      ["--age", "200"],
      ["--age", "4.5"],
      ["--sex", "X"],
      ["--quantity", "many"],
      ["--days", "0"],
    ]) {
      const ran = await runCli(["safety", "check", "codeine", ...wrong], env);
      expect(ran.code, wrong.join(" ")).not.toBe(0);
      expect(ran.stderr, wrong.join(" ")).toContain(`Give ${wrong[0]}`);
    }
  });
});

describe("with a damaged data file", () => {
  const damages: [what: string, content: string | undefined, why: string][] = [
    ["torn", JSON.stringify(shippedJson()).slice(0, 5_000), "file: not valid JSON"],
    ["empty", "", "file: not valid JSON"],
    ["missing", undefined, "file: cannot be read (ENOENT)"],
    ["of another shape", '{"version": "1"}', "interactions: expected a list of rows"],
    [
      "silent",
      JSON.stringify(tables("silent", (rows) => void rows["cross_reactions"]!.splice(0))),
      'canary "cephalexin for somebody allergic to amoxicillin" failed',
    ],
  ];

  test.each(damages)(
    "(%s) the service runs, treats nothing as safe, and doctor says why",
    async (what, content, why) => {
      const path = content === undefined ? join(folder, "missing.json") : fileOf(`${what}.json`, content);
      const app = await startTestApp({ env: { SAFETY_DATA_FILE: path } });
      try {
        expect((await app.call("/shipping_methods")).status).toBe(200);
        expect(versionOf(app)).toContain(why);
        expect(app.lines()).toContainEqual(
          expect.objectContaining({ level: 50, msg: "the safety tables are unfit: orders are held" }),
        );
        expect(await metricsOf(app)).toMatch(/pestle_safety_fit\{version="[^"]+"\} 0/);
        expect(await doctorOn(app)).toMatchObject({ state: "failed", says: expect.stringContaining("are unfit") });
        expect((await checkSafety(app.config, null)).state).toBe("failed");
        // After a repair the next check finds it, without a restart.
        writeFileSync(path, JSON.stringify(tables("mended")));
        await app.deps.safety.check();
        expect(versionOf(app)).toBe("mended");
        expect(await doctorOn(app)).toMatchObject({ state: "ok", says: expect.stringContaining("version mended") });
      } finally {
        await app.stop();
      }
    },
  );

  test("an import replaces it", async () => {
    const own = await createTestDatabase();
    const path = fileOf("damaged.json", "{");
    const app = await startTestApp({ url: own.url, env: { SAFETY_DATA_FILE: path } });
    try {
      const there = { ...env, DATABASE_URL: own.url, SAFETY_DATA_FILE: path };
      await staffAtCli(app, there, { "lee@larkspur.example": "lead" });
      const importing = (file: string) => runCli(["safety", "import", file], there);
      const csv = await importing(fileOf("rows.csv", `${HEAD}\n,a,,b,major,m,0,s,2026-01-01\n`));
      expect(csv).toMatchObject({ code: 1, stderr: expect.stringContaining("Import JSON first.") });
      const ran = await importing(fileOf("whole.json", tables("whole")));
      expect(ran).toMatchObject({ code: 0, stderr: "" });
      await until(() => versionOf(app) === "whole", "the import is in force");
    } finally {
      await app.stop();
      await own.drop();
    }
  });
});

test("the canaries detect tables that are corrupted in memory, and the service reads them again", async () => {
  const before = one.deps.safety.current();
  if (!("data" in before)) throw new Error("unfit before");
  (before.data.interactions as Map<string, unknown>).clear();
  const lines = one.lines().length;
  await one.deps.safety.check();
  const said = one
    .lines()
    .slice(lines)
    .map(({ msg }) => msg);
  expect(said).toEqual(["the safety tables are unfit: orders are held", "the safety tables are fit"]);
  const after = one.deps.safety.current();
  expect("data" in after && after.data.interactions.size).toBeGreaterThan(10);
});
