import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fieldsOf } from "@pestle/cli/set-fields";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeDemo } from "../../../src/seed/demo-file.ts";
import { newMessage } from "../../support/intake.ts";
import { ask } from "../../support/patient.ts";
import { storedEvents } from "../../support/stored-events.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { runCli } from "../../support/tools/run-cli.ts";
import { runCommand } from "../../support/tools/run-command.ts";

let app: TestApp;
let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  folder = mkdtempSync(join(tmpdir(), "pestle-simulate-"));
  writeDemo(app.config.DATA_DIR, app.demo);
  // No database access: it talks only to the service.
  env = { DATA_DIR: app.config.DATA_DIR };
});
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (name: string, options: Record<string, unknown> = {}, argument = "", settings = env) =>
  runCommand(settings, `simulate ${name}`, options, argument);
const read = async (path: string, partner = 0) => JSON.parse((await ask(app, path, undefined, { partner })).text);
type Made = { patient_id: string; prescription_id: number };
const rxOf = async ({ patient_id, prescription_id }: Made, partner = 0) =>
  (await read(`/patients/${patient_id}/rx`, partner)).medication_request.find(
    ({ id }: { id: number }) => id === prescription_id,
  );
const fileOf = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

describe("simulate prescription", () => {
  test("shows the result to people and to programs", async () => {
    const { code, stdout, stderr } = await runCli(["simulate", "prescription"], env);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^patient_id +\w+\nprescription_id +\d+\n$/);
    const { json } = await runCli(
      [
        "simulate",
        "prescription",
        "--set",
        "refills_left=1",
        "patient.first_name=Wren",
        "--drug",
        "sertraline",
        "--json",
      ],
      env,
    );
    const made = json() as Made;
    expect(await rxOf(made)).toMatchObject({ refills_left: 1, drug_name: "sertraline", ndc: "70999020130" });
    expect(await read(`/patients/${made.patient_id}`)).toMatchObject({ first_name: "Wren" });
  });

  test("sets every kind of field, for a patient of that id", async () => {
    const set = [
      "written_qty=30",
      "daw=true",
      "patient.email=null",
      "patient.address.zip=97209",
      'patient.allergies=["Latex"]',
    ];
    const { data } = await run("prescription", { patientId: "typed-1", set });
    expect(data).toMatchObject({ patient_id: "typed-1" });
    expect(await rxOf(data)).toMatchObject({ written_qty: 30, daw: true });
    expect(await read("/patients/typed-1")).toMatchObject({
      email: null,
      addresses: [{ zip: "97209", city: "Portland" }],
      patient_safety: { allergies: ["Latex"] },
    });
  });

  test("sends a SCRIPT message from a file, and nothing else", async () => {
    const script = fileOf("new-rx.xml", newMessage({ envelope: { message_id: "CLI-1" } }).toString());
    const { data } = await run("prescription", { script });
    expect(await rxOf(data)).toMatchObject({ active: true });
    await expect(run("prescription", { script, drug: "x" })).rejects.toThrow("Remove the other options");
    await expect(run("prescription", { script: "/nowhere.xml" })).rejects.toThrow("The file cannot be read");
  });

  test("with a seed is the same prescription in every account, regardless of earlier ones", async () => {
    const seeded = async (partner: number) => {
      const { data } = await run("prescription", { seed: "42", partner: app.demo.partners[partner]!.name });
      const {
        id: _,
        prescription_id: _______,
        receive_date: __,
        order_errors: ___,
        medication_dispenses: ____,
        // Automatic Processing has taken a fill.
        fillable: _________,
        not_fillable: ________,
        ...rx
      } = await rxOf(data, partner);
      const { created_at: _____, updated_at: ______, ...patient } = await read(`/patients/seed-42`, partner);
      return { rx, patient };
    };
    const [one, two] = [await seeded(0), await seeded(1)];
    const { refills_left: _, ...left } = one.rx;
    expect(two).toMatchObject({ rx: left, patient: one.patient });
    // Given values take precedence over invented ones, even if they are wrong.
    const { data } = await run("prescription", { seed: "43", drug: "zolpidem", set: ["patient.first_name=Wren"] });
    expect(await rxOf(data)).toMatchObject({ drug_schedule: "4" });
    expect(await read("/patients/seed-43")).toMatchObject({ first_name: "Wren" });
    await expect(run("prescription", { seed: "44", set: ["patient.dob=never"] })).rejects.toThrow(
      "simulation.patient.dob (42200)",
    );
    await expect(run("prescription", { seed: "many" })).rejects.toThrow("--seed takes a whole number");
  });

  test("lists every rejected field in one line", async () => {
    const { code, stderr } = await runCli(
      ["simulate", "prescription", "--set", "daw=maybe", "patient.dob=never", "colour=blue"],
      env,
    );
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^pestle: Refused \(status 422\): simulation\.colour \(42200\): unknown_field\. .+ simulation\.daw .+ simulation\.patient\.dob .+\n$/,
    );
  });
});

test("simulate clock accepts days, hours, minutes and seconds", async () => {
  const now = async (advance: string) => Date.parse(((await run("clock", { advance })).data as { now: string }).now);
  const start = await now("1");
  for (const [advance, seconds] of [
    ["30d", 2_592_000],
    ["12h", 43_200],
    ["45m", 2_700],
    ["90s", 90],
  ] as const) {
    const before = await now("1");
    expect(Math.round(((await now(advance)) - before) / 1000)).toBeGreaterThanOrEqual(seconds);
  }
  expect((await now("1")) - start).toBeLessThan(40 * 86_400_000);
  for (const advance of ["", "-1d", "1w", "soon", "1.5h"]) {
    await expect(run("clock", { advance })).rejects.toThrow("--advance takes days");
  }
});

test("simulate event sends its file, and simulate order makes one request at a time", async () => {
  const file = fileOf("body.json", JSON.stringify({ patient_id: "ay87nt", medication_requests: [] }));
  const { data } = await run("event", { file }, "RX_RECEIVED");
  const rows = await storedEvents(app.deps, "where event_id = $1", [(data as { event_id: string }).event_id]);
  expect(rows).toMatchObject([{ event_type: "RX_RECEIVED", patient_id: "ay87nt" }]);
  await expect(run("event", {}, "RX_LOST")).rejects.toThrow("simulation.event_type (42200)");
  await expect(run("event", { file: fileOf("list.json", "[]") }, "RX_RECEIVED")).rejects.toThrow(
    "does not contain a JSON object",
  );
  await expect(run("order", {}, "7K2M9XQ4TB")).rejects.toThrow("Give either --to or --exception");
  await expect(run("order", { to: "Shipped", exception: "77" }, "7K2M9XQ4TB")).rejects.toThrow(
    "Give either --to or --exception",
  );
});

test("works only in sandbox accounts, and reports an unknown account", async () => {
  const { name, client_id } = app.demo.partners[2]!;
  await expect(run("clock", { advance: "1", partner: name })).rejects.toThrow(
    `The account of the demo, ${name} is a production account; this command needs a sandbox account.`,
  );
  await expect(run("clock", { advance: "1", clientId: client_id })).rejects.toThrow(
    "This client id is a production one",
  );
  await expect(run("clock", { advance: "1" }, "", { DATA_DIR: folder })).rejects.toThrow("There is no demo in");
  const nowhere = { ...env, BASE_URL: "http://127.0.0.1:1" };
  await expect(run("clock", { advance: "1" }, "", nowhere)).rejects.toThrow("No service answers at http://127.0.0.1:1");
});

describe("--set", () => {
  test("keeps texts that look like numbers, and reads numbers if the field has them", () => {
    expect(
      JSON.parse(JSON.stringify(fieldsOf(["patient.address.zip=95814", "ndc=70999010130", "written_qty=30"]))),
    ).toEqual({ patient: { address: { zip: "95814" } }, ndc: "70999010130", written_qty: 30 });
  });

  test("gives no special meaning to names such as __proto__", () => {
    expect(JSON.stringify(fieldsOf(["__proto__.daw=true", "constructor=x"]))).toBe(
      '{"__proto__":{"daw":true},"constructor":"x"}',
    );
    expect(({} as { daw?: boolean }).daw).toBeUndefined();
  });

  test("rejects invalid input with a message", () => {
    expect(() => fieldsOf(["daw"])).toThrow("--set takes field=value");
    expect(() => fieldsOf(["patient=x", "patient.dob=1"])).toThrow("both a value and subfields");
    expect(() => fieldsOf(["allergies=[x"])).toThrow("looks like JSON");
  });
});
