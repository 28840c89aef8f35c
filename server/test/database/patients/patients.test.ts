import { randomUUID } from "node:crypto";
import type { IdentityDocument, MedicationRequest, Patient, PatientAddress } from "@pestle/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { MOST_ADDRESSES, MOST_DOCUMENTS } from "../../../src/domain/patients/patient-changes.ts";
import { codesOf } from "../../support/conventions.ts";
import { addPatient, ask, goodAddress, goodDocument, patientCalls, person, stranger } from "../../support/patient.ts";
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

describe("a patient", () => {
  test("reads as the prescription described it", async () => {
    const { status, text } = await ask(app, `/v1/patients/${patient_id}`);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({
      patient_id,
      email: known.email,
      first_name: person.first_name,
      last_name: known.last_name,
      dob: person.dob,
      gender: "F",
      messaging: { email: false, sms: false, language: "en", consented_at: null },
      phone: known.phone,
      patient_safety: {
        medications: [],
        health_conditions: [],
        allergies: ["tartrazine"],
        allergies_status: "listed",
        medications_status: "not_asked",
        conditions_status: "not_asked",
        entries: [
          {
            entry_id: 1,
            kind: "allergy",
            text: "tartrazine",
            source: "prescriber",
            recorded_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
          },
        ],
      },
      addresses: [
        {
          address_id: 1,
          first_name: person.first_name,
          last_name: known.last_name,
          street1: "4417 Thistledown Ave",
          street2: null,
          city: "San Francisco",
          state: "CA",
          zip: "94110",
          phone: known.phone,
          default: true,
        },
      ],
      identity_documents: [],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
    });
  });

  test("has an ETag that a change changes", async () => {
    const first = await ask(app, `/patients/${patient_id}`);
    const headers = { "if-none-match": first.headers.get("etag")! };
    expect((await ask(app, `/patients/${patient_id}`, undefined, { headers })).status).toBe(304);
    await calls.patch({ gender: "N" });
    expect((await ask(app, `/patients/${patient_id}`, undefined, { headers })).status).toBe(200);
  });
});

describe("PATCH", () => {
  test("changes the given fields, keeps the rest, and returns the whole patient", async () => {
    const before = await calls.read();
    const change = { email: " new.mail+rx@quill.example ", phone: "+1 (628) 555-0199", gender: "N" };
    const { status, text } = await calls.patch({
      ...change,
      patient_safety: { medications: [" lisinopril "], allergies: [] },
    });
    expect(status).toBe(200);
    const expected = {
      ...before,
      email: "new.mail+rx@quill.example",
      phone: "6285550199",
      gender: "N",
      // An empty list removes nothing.
      patient_safety: {
        ...before.patient_safety,
        medications: ["lisinopril"],
        medications_status: "listed",
        entries: [
          ...before.patient_safety.entries,
          { entry_id: 2, kind: "medication", text: "lisinopril", source: "partner", recorded_at: expect.any(String) },
        ],
      },
      updated_at: expect.any(String),
    };
    expect(JSON.parse(text)).toEqual(expected);
    expect(await calls.read()).toEqual(JSON.parse(text));
    expect(JSON.parse(text).updated_at > before.updated_at).toBe(true);
  });

  test("without a change writes nothing, and keeps the patient's time", async () => {
    const before = await calls.read();
    for (const body of [{}, { gender: "F" }, { patient_safety: {} }, { phone: `+1 ${known.phone}` }]) {
      expect(parsed(await calls.patch(body))).toEqual(before);
    }
  });

  test("two at once both take effect", async () => {
    const answers = await Promise.all([
      calls.patch({ email: "one@quill.example" }),
      calls.patch({ phone: "6285550111" }),
      calls.patch({ gender: "M" }),
      calls.patch({ patient_safety: { medications: ["a"] } }),
      calls.patch({ patient_safety: { health_conditions: ["b"] } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await calls.read()).toMatchObject({
      email: "one@quill.example",
      phone: "6285550111",
      gender: "M",
      patient_safety: { medications: ["a"], health_conditions: ["b"], allergies: ["tartrazine"] },
    });
  });

  test("accepts as many entries, and as long ones, as the contract allows", async () => {
    const full = { medications: list(100), allergies: ["x".repeat(200)] };
    expect((await calls.patch({ patient_safety: full })).status).toBe(200);
    expect((await calls.read()).patient_safety).toMatchObject({
      ...full,
      allergies: ["tartrazine", ...full.allergies],
    });
  });
});

describe("prescriptions of a patient", () => {
  const rx = async (query = "", id = patient_id) =>
    parsed<{ medication_request: MedicationRequest[] }>(await ask(app, `/v1/patients/${id}/rx${query}`))
      .medication_request;

  test("are listed newest first, in the contract's format", async () => {
    const { prescription_id } = await addPatient(app, { patient: known, prescription: { refills: 1 } });
    const found = await rx();
    expect(found.map(({ refills_left }) => refills_left)).toEqual([1, 3]);
    expect(found[0]).toEqual({
      id: prescription_id,
      prescription_id,
      active: true,
      patient_id,
      prescriber_name: "Ada Lindqvist",
      prescriber_phone: "4155550177",
      prescriber_fax: null,
      receive_date: expect.stringMatching(/Z$/),
      expire_date: expect.stringMatching(/Z$/),
      written_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      effective_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      drug_name: "Atorvastatin 20 mg tablet",
      ndc: "70999010130",
      gcn: "90101",
      sig_text: "Take one tablet by mouth daily.",
      written_qty: 90,
      days_supply: 90,
      refills_left: 1,
      drug_schedule: "0",
      daw: false,
      acceptance: "not_needed",
      fillable: true,
      not_fillable: [],
      medication_dispenses: [],
    });
  });

  test("can be filtered by active or inactive", async () => {
    const { prescription_id } = await addPatient(app, { patient: known });
    await app.deps.db.raw("update prescription set active = false where prescription_id = $1", [prescription_id]);
    expect((await rx("?active=false")).map(({ id }) => id)).toEqual([prescription_id]);
    expect((await rx("?active=true")).map(({ id }) => id)).not.toContain(prescription_id);
    expect(await rx()).toHaveLength(2);
    for (const value of ["", "1", "TRUE", "yes"]) {
      expect(codesOf((await ask(app, `/patients/${patient_id}/rx?active=${value}`)).text)).toEqual([[40003, "active"]]);
    }
  });

  test("show order_errors in Automatic Processing only", async () => {
    const own = await addPatient(app, { partner: 1, patient: known });
    const { text } = await ask(app, `/patients/${own.patient_id}/rx`, undefined, { partner: 1 });
    expect(JSON.parse(text).medication_request[0].order_errors).toEqual([]);
  });

  test("are an empty list for a patient without a matching prescription", async () => {
    expect(await rx("?active=false")).toEqual([]);
  });
});

describe("shipping addresses", () => {
  test("are added with their own number, and stay", async () => {
    const { status, text } = await calls.addAddress({ ...address, phone: "628.555.0142" });
    expect(status).toBe(201);
    expect(JSON.parse(text)).toEqual({ address_id: 2, ...address, phone: "6285550142", default: false });
    expect((await calls.read()).addresses.map(({ address_id }) => address_id)).toEqual([1, 2]);
    expect((await calls.read()).addresses[1]).toEqual(JSON.parse(text));
  });

  test("the first of a patient is the default", async () => {
    const added = await addPatient(app, { patient: { ...stranger(), address: null } });
    calls = patientCalls(app, added.patient_id);
    expect(parsed<PatientAddress>(await calls.addAddress(address))).toMatchObject({ address_id: 1, default: true });
  });

  test("the same again, in any format, is the one on file, with the telephone number that was sent", async () => {
    const first = parsed<PatientAddress>(await calls.addAddress(address));
    const spelt = { ...address, first_name: "AMBROSE", street1: "2210  mission st.", zip: "94110-1234", state: "ca" };
    const again = await calls.addAddress({ ...spelt, phone: "6285550142" });
    expect(again.status).toBe(201);
    expect(parsed(again)).toEqual({ ...first, phone: "6285550142" });
    expect((await calls.read()).addresses).toHaveLength(2);
    // Another person at the same address is another entry.
    expect(parsed<PatientAddress>(await calls.addAddress({ ...address, first_name: "Odile" })).address_id).toBe(3);
  });

  test("at once each get their own number", async () => {
    const doors = [5, 6, 7, 8, 9].map((door) => ({ ...address, street2: `Apt ${door}` }));
    const added = await Promise.all(doors.map((door) => calls.addAddress(door)));
    const ids = added.map((one) => parsed<PatientAddress>(one).address_id);
    expect(ids.sort()).toEqual([2, 3, 4, 5, 6]);
  });

  test("with warnings are rejected with the warning and a suggestion, which is used when accepted", async () => {
    const doubtful = { ...address, street1: "77 Mission Street", street2: null };
    const refused = await calls.addAddress(doubtful);
    expect(refused.status).toBe(422);
    const suggested_address = {
      street1: "1077 MISSION ST",
      street2: null,
      city: "SAN FRANCISCO",
      state: "CA",
      zip: "94110",
    };
    expect(parsed(refused)).toEqual({
      errors: [
        {
          code: 42230,
          message: "Invalid Address",
          error_detail: [
            { field: "address", message: expect.stringContaining("accept_suggested"), problem: "not_allowed" },
            { field: "address", message: "The address is not known.", problem: "not_allowed" },
          ],
          suggested_address,
          doc_url: expect.stringMatching(/\/docs\/errors#42230$/),
        },
      ],
      request_id: expect.any(String),
    });
    expect((await calls.read()).addresses).toHaveLength(1);
    const accepted = await calls.addAddress({ ...doubtful, accept_suggested: true });
    expect(accepted.status).toBe(201);
    expect(parsed(accepted)).toMatchObject({ ...suggested_address, first_name: "Ambrose" });
    const ignored = await calls.addAddress({ ...doubtful, ignore_warnings: true });
    expect(ignored.status).toBe(201);
    expect(parsed(ignored)).toMatchObject({ street1: "77 Mission Street", city: "San Francisco" });
  });

  test("without a warning stay as sent, with or without accepted suggestions", async () => {
    const { text } = await calls.addAddress({ ...address, street1: "2210 mission street", accept_suggested: true });
    expect(JSON.parse(text).street1).toBe("2210 mission street");
  });

  test("the sandbox's magic values mean nothing in production", async () => {
    const own = await addPatient(app, { partner: 2, patient: known });
    const path = `/patients/${own.patient_id}/shipping_address`;
    expect((await ask(app, path, { ...address, street1: "77 Mission St" }, { partner: 2 })).status).toBe(201);
  });

  test("are removed, and if it was the default, the newest of the others replaces it", async () => {
    await calls.addAddress(address);
    await calls.addAddress({ ...address, street2: "Apt 6" });
    const { status, text } = await calls.removeAddress(1);
    expect([status, text]).toEqual([204, ""]);
    expect((await calls.read()).addresses.map((one) => [one.address_id, one.default])).toEqual([
      [2, false],
      [3, true],
    ]);
    expect((await calls.removeAddress(1)).status).toBe(404);
    // An unexpected body is ignored.
    const path = `/patients/${patient_id}/shipping_address/1`;
    expect((await ask(app, path, { any: "thing" }, { method: "DELETE" })).status).toBe(404);
    await calls.removeAddress(2);
    await calls.removeAddress(3);
    expect((await calls.read()).addresses).toEqual([]);
    // A number is never reused for another address.
    expect(parsed<PatientAddress>(await calls.addAddress(address))).toMatchObject({ address_id: 4, default: true });
  });

  test("are limited in number", async () => {
    for (let door = 2; door <= MOST_ADDRESSES; door++) await calls.addAddress({ ...address, street2: `Apt ${door}` });
    const { status, text } = await calls.addAddress({ ...address, street2: "Apt 9999" });
    expect([status, codesOf(text)]).toEqual([422, [[42200, "body"]]]);
    expect(text).toContain("the maximum number of addresses");
    // An existing one does not count as new.
    expect((await calls.addAddress({ ...address, street2: "Apt 2" })).status).toBe(201);
  });
});

describe("identity documents", () => {
  test("are added, and their number is always shown masked", async () => {
    const { status, text } = await calls.addDocument(document);
    expect(status).toBe(201);
    expect(JSON.parse(text)).toEqual({ id: 1, ...document, number: "****4821" });
    expect((await calls.read()).identity_documents).toEqual([JSON.parse(text)]);
    expect(parsed<IdentityDocument>(await calls.addDocument({ ...document, number: "12-345" })).number).toBe("****");
  });

  test("need a state only if a state issues them", async () => {
    for (const type of ["PP", "MI", "PR", "TI", "OT"]) {
      const { status, text } = await calls.addDocument({ ...document, type, issuing_state: undefined });
      expect([status, JSON.parse(text).issuing_state]).toEqual([201, null]);
    }
    const passport = { ...document, type: "PP", issuing_country: "ca", issuing_state: null };
    expect(parsed(await calls.addDocument(passport))).toMatchObject({ issuing_country: "CA", issuing_state: null });
    // For another country, any two letters.
    expect((await calls.addDocument({ ...document, issuing_country: "CA", issuing_state: "on" })).status).toBe(201);
  });

  test("the same again replaces the older one and keeps its id", async () => {
    await calls.addDocument({ ...document, type: "PP", issuing_state: null });
    await calls.addDocument(document);
    const again = await calls.addDocument({ ...document, number: "d77124821", expiration_date: "2101-01-01" });
    expect(parsed(again)).toMatchObject({ id: 2, expiration_date: "2101-01-01" });
    expect((await calls.read()).identity_documents.map(({ id }) => id)).toEqual([1, 2]);
  });

  test("are limited in number", async () => {
    const numbered = (index: number) => ({ ...document, number: `X100${index}` });
    for (let index = 0; index < MOST_DOCUMENTS; index++) await calls.addDocument(numbered(index));
    const { status, text } = await calls.addDocument(numbered(99));
    expect([status, codesOf(text)]).toEqual([422, [[42200, "body"]]]);
    expect(text).toContain("the maximum number of valid identity documents");
  });
});

describe("an Idempotency-Key", () => {
  const key = () => ({ headers: { "idempotency-key": randomUUID() } });

  test("adds one address, and the retry gets the same bytes", async () => {
    const options = key();
    const first = await calls.addAddress(address, options);
    const again = await calls.addAddress(address, options);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect((await calls.read()).addresses).toHaveLength(2);
    expect(codesOf((await calls.addAddress({ ...address, zip: "94103" }, options)).text)).toEqual([
      [42299, "Idempotency-Key"],
    ]);
  });

  test("adds one document, and the retry gets the same bytes", async () => {
    const options = key();
    const first = await calls.addDocument(document, options);
    await calls.addDocument({ ...document, expiration_date: "2101-01-01" });
    const again = await calls.addDocument(document, options);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect((await calls.read()).identity_documents).toMatchObject([{ expiration_date: "2101-01-01" }]);
  });

  test("of a rejected request is free again", async () => {
    const options = key();
    expect((await calls.addAddress({ ...address, street1: "77 Mission St" }, options)).status).toBe(422);
    expect((await calls.addAddress(address, options)).status).toBe(201);
  });

  test("belongs to one patient: under another it is another request", async () => {
    const options = key();
    const first = await calls.addAddress(address, options);
    const added = await addPatient(app, { patient: stranger() });
    const other = await patientCalls(app, added.patient_id).addAddress(address, options);
    expect([first.status, other.status]).toEqual([201, 201]);
    expect(other.headers.get("idempotent-replayed")).toBeNull();
  });
});

test("the account's clock stamps the changes and expires the documents", async () => {
  const partner = 1;
  const own = await addPatient(app, { partner, patient: known });
  const path = `/patients/${own.patient_id}`;
  const day_ms = 24 * 3600_000;
  const soon = new Date(Date.now() + 30 * day_ms).toISOString().slice(0, 10);
  const add = () => ask(app, `${path}/identity_documents`, { ...document, expiration_date: soon }, { partner });
  expect((await add()).status).toBe(201);
  const simulation = { advance_seconds: 40 * 86_400 };
  await ask(app, "/simulate", { simulation_type: "clock", simulation }, { partner });
  expect(codesOf((await add()).text)).toEqual([[42220, "expiration_date"]]);
  const changed = parsed<Patient>(await ask(app, path, { gender: "N" }, { partner, method: "PATCH" }));
  expect(Date.parse(changed.updated_at) - Date.now()).toBeGreaterThan(39 * day_ms);
});

test("a document expires when its expiration date begins in the pharmacy's time zone", async () => {
  const today = new Intl.DateTimeFormat("en-CA", { timeZone: "America/New_York" }).format(app.deps.now());
  const tomorrow = new Date(Date.parse(today) + 24 * 3600_000).toISOString().slice(0, 10);
  expect((await calls.addDocument({ ...document, expiration_date: today })).status).toBe(422);
  expect((await calls.addDocument({ ...document, expiration_date: tomorrow })).status).toBe(201);
});
