import { type ErrorCode, endpoints, type Patient } from "@pestle/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { codesOf, withoutId } from "../../support/conventions.ts";
import { addPatient, ask, goodAddress, goodDocument, patientCalls, stranger } from "../../support/patient.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

let known: ReturnType<typeof stranger>;
let patient_id = "";
let calls: ReturnType<typeof patientCalls>;
beforeEach(async () => {
  known = stranger();
  ({ patient_id } = await addPatient(app, { patient: known }));
  calls = patientCalls(app, patient_id);
});

const parsed = <Body>({ text }: { text: string }) => JSON.parse(text) as Body;
const address = goodAddress;
const document = goodDocument;
const list = (length: number) => Array.from({ length }, (_, index) => `entry ${index}`);

/** One request for each code of an operation, besides those that every operation has. */
type Fixture = { code: ErrorCode; fields: string[]; body: Record<string, unknown> };
const fixtures: Record<string, Fixture[]> = {
  updatePatient: [
    { code: 42200, fields: ["adress"], body: { adress: {} } },
    { code: 42200, fields: ["first_name", "dob"], body: { first_name: "Odile", dob: "1990-01-01" } },
    { code: 42200, fields: ["__proto__"], body: JSON.parse('{"__proto__": {"email": "a@b.example"}}') },
    ...[[], "penicillin", 7].map((patient_safety) => ({
      code: 42200 as const,
      fields: ["patient_safety"],
      body: { patient_safety },
    })),
    {
      code: 42200,
      fields: ["patient_safety.alergies", "patient_safety.medications", "patient_safety.allergies[1]"],
      body: { patient_safety: { alergies: [], medications: list(101), allergies: ["ok", ""] } },
    },
    ...[7, null, {}, "x".repeat(201), "two\nlines", "\u0000", "\ud800"].map((entry) => ({
      code: 42200 as const,
      fields: ["patient_safety.health_conditions[0]"],
      body: { patient_safety: { health_conditions: [entry] } },
    })),
    ...["", 7, "rosa", "rosa@", "@quill.example", "a b@quill.example", "rosa@quill", "a@b..example"].map((email) => ({
      code: 42201 as const,
      fields: ["email"],
      body: { email },
    })),
    ...["", 4155550134, "555-0134", "1234567890", "4110555013", "911-555-0134", "+44 20 7946 0958"].map((phone) => ({
      code: 42204 as const,
      fields: ["phone"],
      body: { phone },
    })),
    ...["", "f", "U", "X", 1, ["F"]].map((gender) => ({
      code: 42205 as const,
      fields: ["gender"],
      body: { gender },
    })),
  ],
  // The patient's only entry is the prescriber's.
  removeSafetyEntry: [
    ...[undefined, null, "", " ", 7, "x".repeat(201), "two\nlines"].map((reason) => ({
      code: 42200 as const,
      fields: ["reason"],
      body: { reason },
    })),
    { code: 42200, fields: ["because"], body: { reason: "Not true.", because: "x" } },
    { code: 42200, fields: ["entry_id"], body: { reason: "Not true." } },
  ],
  addShippingAddress: [
    { code: 42200, fields: ["adress"], body: { ...address, adress: "" } },
    { code: 42200, fields: ["ignore_warnings"], body: { ...address, ignore_warnings: "true" } },
    { code: 42200, fields: ["accept_suggested"], body: { ...address, accept_suggested: "yes" } },
    { code: 42200, fields: ["phone"], body: { ...address, phone: "12" } },
    { code: 42200, fields: ["street2"], body: { ...address, street2: 5 } },
    { code: 42221, fields: ["first_name"], body: { ...address, first_name: "" } },
    { code: 42222, fields: ["last_name"], body: { ...address, last_name: "7" } },
    { code: 42223, fields: ["street1"], body: { ...address, street1: undefined } },
    { code: 42225, fields: ["city"], body: { ...address, city: null } },
    { code: 42226, fields: ["state"], body: { ...address, state: "California" } },
    { code: 42227, fields: ["zip"], body: { ...address, zip: "9411" } },
    { code: 42227, fields: ["zip"], body: { ...address, zip: "10001" } },
    { code: 42230, fields: ["address", "address"], body: { ...address, street1: "77 Mission St" } },
    { code: 42230, fields: ["address", "address"], body: { ...address, street1: "78 Mission St", street2: null } },
    { code: 42230, fields: ["address", "address"], body: { ...address, street1: "Mission St" } },
  ],
  addIdentityDocument: [
    { code: 42200, fields: ["expiry"], body: { ...document, expiry: "2099-01-01" } },
    ...[undefined, null, "XX", "dl", 1].map((type) => ({
      code: 42216 as const,
      fields: ["type"],
      body: { ...document, type },
    })),
    ...[undefined, null, "USA", "XX", "", 1].map((issuing_country) => ({
      code: 42217 as const,
      fields: ["issuing_country"],
      body: { ...document, issuing_country },
    })),
    ...[undefined, null, "California", "ZZ", "AE", "", 1].map((issuing_state) => ({
      code: 42218 as const,
      fields: ["issuing_state"],
      body: { ...document, issuing_state },
    })),
    { code: 42218, fields: ["issuing_state"], body: { ...document, type: "SI", issuing_state: null } },
    { code: 42218, fields: ["issuing_state"], body: { ...document, type: "PP", issuing_state: "C" } },
    ...[undefined, null, "", "---", "D12 34", "D#1", "é", "1".repeat(31), 12345].map((number) => ({
      code: 42219 as const,
      fields: ["number"],
      body: { ...document, number },
    })),
    ...[undefined, null, "2020-01-01", "2099-02-30", "99-01-01", "2099-01-01T00:00:00Z", 20990101].map((date) => ({
      code: 42220 as const,
      fields: ["expiration_date"],
      body: { ...document, expiration_date: date },
    })),
  ],
};

describe("a rejection", () => {
  const patientEndpoints = endpoints.filter(({ path }) => path.startsWith("/patients/"));
  /** Covered by other tests: codes of any request, and codes that need an order (order-changes). */
  const general: number[] = [40000, 40001, 40002, 40003, 40004, 40005, 42228, 42299];
  const pathOf = (path: string, id = patient_id) =>
    path.replace("{patient_id}", id).replace(/\{(address_id|entry_id)\}/, "1");

  test("has a fixture for every code that the contract's rows name", () => {
    for (const { operation_id, codes } of patientEndpoints) {
      const named = codes.filter((code) => !general.includes(code));
      const shown = new Set((fixtures[operation_id] ?? []).map(({ code }) => code));
      expect([...shown].sort(), operation_id).toEqual(named);
    }
  });

  for (const { operation_id, method, path } of patientEndpoints) {
    test(`${operation_id}: each problem gets its own code and field, and nothing is written`, async () => {
      const before = await calls.read();
      for (const { code, fields, body } of fixtures[operation_id] ?? []) {
        const { status, text } = await ask(app, pathOf(path), body, { method });
        expect([status, codesOf(text)], JSON.stringify(body)).toEqual([422, [[code, ...fields]]]);
      }
      expect(await calls.read()).toEqual(before);
    });
  }

  test("lists all problems at once, in code order, and never repeats the input", async () => {
    const all = [
      await calls.patch({ email: "secret-value", phone: "secret-value", gender: "secret-value", patient_safety: [] }),
      await calls.addAddress({
        ...Object.fromEntries(Object.keys(address).map((name) => [name, 7])),
        zip: "secret-value",
      }),
      await calls.addDocument(Object.fromEntries(Object.keys(document).map((name) => [name, "secret-value!"]))),
    ];
    expect(all.map(({ text }) => codesOf(text).map(([code]) => code))).toEqual([
      [42200, 42201, 42204, 42205],
      [42200, 42221, 42222, 42223, 42225, 42226, 42227],
      [42216, 42217, 42218, 42219, 42220],
    ]);
    for (const { text } of all) expect(text).not.toContain("secret-value");
  });

  test("an unknown patient, a malformed id and another account's patient get the same 404, before any 422", async () => {
    const other = await addPatient(app, { partner: 1, patient: stranger() });
    const bodies = new Set<string>();
    for (const id of [
      other.patient_id,
      "nobody-here",
      "abc",
      "x".repeat(36),
      "%00%00%00%00",
      "a%20bcd",
      "{patient_id}",
    ]) {
      for (const { method, path } of patientEndpoints) {
        const body = ["POST", "PATCH"].includes(method) ? { adress: 1 } : undefined;
        const { status, text } = await ask(app, pathOf(path, id), body, { method });
        expect(status, `${method} ${path} ${id}`).toBe(404);
        bodies.add(withoutId(text));
      }
    }
    for (const number of ["0", "-1", "2", "one", "1.0", "01", "9999999999"]) {
      for (const { status, text } of [await calls.removeAddress(number), await calls.removeEntry(number)]) {
        expect(status).toBe(404);
        bodies.add(withoutId(text));
      }
    }
    bodies.add(withoutId((await ask(app, "/nowhere")).text));
    expect(bodies.size).toBe(1);
    // The owning account still sees the patient, unchanged.
    const own = await ask(app, `/patients/${other.patient_id}`, undefined, { partner: 1 });
    expect(parsed<Patient>(own).addresses).toHaveLength(1);
  });
});
