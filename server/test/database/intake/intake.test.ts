import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listReviews } from "../../../src/db/intake/reviews.ts";
import { LONGEST_ENTRY, MOST_ENTRIES } from "../../../src/domain/patients/safety-record.ts";
import { writeFhir } from "../../../src/formats/fhir/write.ts";
import { formatOf, scriptFormat } from "../../../src/formats/formats.ts";
import { openReview } from "../../../src/usecases/intake/message-answer.ts";
import { processWaiting } from "../../../src/usecases/intake/process-waiting.ts";
import { receivePrescription } from "../../../src/usecases/intake/receive-prescription.ts";
import { openWritten } from "../../../src/usecases/intake/written.ts";
import { openPatientId, openRecord } from "../../../src/usecases/patients/patient-rows.ts";
import { expectConventions } from "../../support/conventions.ts";
import { intakeRows, newMessage, openIntake } from "../../support/intake.ts";
import { envelope as fhirEnvelope, prescription as fhirPrescription } from "../../support/samples/fhir-samples.ts";
import { prescription } from "../../support/samples/script-samples.ts";
import { eventsOfPatient } from "../../support/stored-events.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/tools/until.ts";
import { webPerson } from "../../support/web.ts";

let app: TestApp;
let intake: Awaited<ReturnType<typeof openIntake>>;
beforeAll(async () => {
  app = await startTestApp();
  intake = await openIntake(app);
});
afterAll(() => app.stop());

let number = 0;
const nextId = () => `T-${++number}`;
/** A new, unknown person. */
const stranger = () => ({
  ids: [],
  first_name: "Ada",
  last_name: `Number ${++number}`,
  phone: null,
  email: null,
});
const status = (text: string) => /<(Status|Verify|Error|CancelRxResponse)>/.exec(text)?.[1];
const codes = (text: string) => [...text.matchAll(/<(?:Code|DescriptionCode)>(\w+)</g)].map(([, code]) => code);
const rowsOf = async (sql: string, ...params: unknown[]) => (await app.deps.db.raw(sql, params)).rows;
const prescriptionsOf = async (sender_message_id: string): Promise<Record<string, unknown>[]> =>
  (
    await rowsOf(
      "select r.*, p.id_sealed from prescription r join patient p using (account_id, patient_key) where sender_message_id = $1",
      sender_message_id,
    )
  ).map((row) => {
    const account_id = String(row["account_id"]);
    const written = row as { prescription_id: number; written_sealed: Buffer | null };
    const patient_id = openPatientId(app.deps, account_id, row as { patient_key: number; id_sealed: Buffer });
    return { ...openWritten(app.deps.vault, account_id, written), patient_id };
  });

describe("a NewRx", () => {
  test("is acknowledged, becomes a patient and a prescription, and writes the partner's event, in one transaction", async () => {
    const message_id = nextId();
    const before = await intakeRows(app);
    const { status: http, text, headers } = await intake.send(newMessage({ envelope: { message_id } }));
    expect([http, status(text), codes(text)]).toEqual([200, "Status", ["010"]]);
    expect(headers.get("content-type")).toBe("application/xml; charset=utf-8");
    expect(text).toContain(`<RelatesToMessageID>${message_id}</RelatesToMessageID>`);
    const after = await intakeRows(app);
    expect(after).toEqual({
      ...before,
      intake_message: before["intake_message"]! + 1,
      patient: before["patient"]! + 1,
      patient_alias: before["patient_alias"]! + 2,
      prescription: before["prescription"]! + 1,
      webhook_event: before["webhook_event"]! + 1,
    });
    const [row] = await prescriptionsOf(message_id);
    expect(row).toMatchObject({
      account_id: app.demo.partners[0]!.account_id,
      // The prescriber system's own id is unused, so it can be ours.
      patient_id: "MRN-20417",
      acceptance: "not_needed",
      ndc: "70999010130",
      gcn: "90101",
      written_qty: "90",
      refills: 3,
      drug_schedule: "0",
      written_date: "2026-11-10",
      effective_date: "2026-11-12",
      prescriber_name: "Fenwick Marlowe",
      order_due_at: null,
    });
    // Valid until the day in the message, in the pharmacy's time zone.
    expect((row!["expires_at"] as Date).toISOString()).toBe("2027-11-11T05:00:00.000Z");
    const [event] = await eventsOfPatient(app.deps, "MRN-20417");
    expect(event!["event_type"]).toBe("RX_RECEIVED");
    const body = JSON.parse(event!["body"] as string);
    expect(body).toMatchObject({
      event_type: "RX_RECEIVED",
      patient_id: "MRN-20417",
      medication_requests: [
        { id: Number(row!["prescription_id"]), refills_left: 3, active: true, medication_dispenses: [] },
      ],
    });
    expect(event!["body"]).not.toMatch(/Marisol|Okonkwo|1987|Juniper Hollow/);
  });

  test("of a known patient adds to the same patient, and reports new details", async () => {
    const first = nextId();
    const second = nextId();
    const patient = { ...stranger(), phone: "9165550177" };
    await intake.send(newMessage({ envelope: { message_id: first }, patient }));
    const moved = { ...prescription.patient.address!, street1: "12 Alder Ct", street2: null };
    await intake.send(
      newMessage({
        envelope: { message_id: second },
        patient: { ...patient, last_name: patient.last_name.toUpperCase(), address: moved, email: "ada@example.test" },
        prescription: { allergies: [{ text: "Sulfa", codes: [], reaction: null, severity: null }] },
      }),
    );
    const [one] = await prescriptionsOf(first);
    const [two] = await prescriptionsOf(second);
    expect(two!["patient_id"]).toBe(one!["patient_id"]);
    const [row] = await rowsOf("select * from patient where patient_key = $1", one!["patient_key"]);
    const record = openRecord(
      app.deps,
      row!["account_id"] as string,
      row!["patient_key"] as number,
      row!["record_sealed"] as Buffer,
    );
    expect(record.addresses.map(({ street1, default: first }) => [street1, first])).toEqual([
      ["418 Juniper Hollow Rd", true],
      ["12 Alder Ct", false],
    ]);
    expect(record).toMatchObject({ email: "ada@example.test", last_name: patient.last_name });
    expect(record.patient_safety.allergies).toEqual(["Penicillin V", "Sulfa"]);
  });

  test("with safety facts that do not fit the record is stored, and waits for a pharmacist who reads the message", async () => {
    const allergy = (text: string) => ({ text, codes: [], reaction: null, severity: null });
    const long = "penicillin ".repeat(5_000).trim();
    const cases: [string, ReturnType<typeof allergy>[], string[]][] = [
      ["a text of 50 KB", [allergy(long)], [`${long.slice(0, LONGEST_ENTRY - 1)}…`]],
      [
        "too many",
        Array.from({ length: MOST_ENTRIES + 1 }, (_, index) => allergy(`drug ${index}`)),
        Array.from({ length: MOST_ENTRIES }, (_, index) => `drug ${index}`),
      ],
    ];
    for (const [why, allergies, kept] of cases) {
      const message_id = nextId();
      const sent = newMessage({ envelope: { message_id }, patient: stranger(), prescription: { allergies } });
      const { text } = await intake.send(sent);
      expect([why, status(text)]).toEqual([why, "Status"]);
      const [row] = await prescriptionsOf(message_id);
      expect(row).toMatchObject({ acceptance: "pending" });
      const [patient] = await rowsOf("select * from patient where patient_key = $1", row!["patient_key"]);
      const { account_id, patient_key, record_sealed } = patient as {
        account_id: string;
        patient_key: number;
        record_sealed: Buffer;
      };
      expect(openRecord(app.deps, account_id, patient_key, record_sealed).patient_safety.allergies).toEqual(kept);
      const [review] = await rowsOf(
        "select kind, reasons from review where prescription_id = $1",
        row!["prescription_id"],
      );
      expect(review).toEqual({ kind: "prescription_acceptance", reasons: ["safety_facts_left_out"] });
    }
  });

  test("with directions of 50 KB is stored whole with a warning; exception 69 holds its orders", async () => {
    const message_id = nextId();
    const sig_text = "Take one tablet by mouth daily. ".repeat(1_600).trim();
    const { text } = await intake.send(
      newMessage({ envelope: { message_id }, patient: stranger(), prescription: { sig_text } }),
    );
    expect(status(text)).toBe("Status");
    const [row] = await prescriptionsOf(message_id);
    expect(row!["sig_text"]).toBe(sig_text);
    const [message] = await rowsOf("select warnings from intake_message where sender_message_id = $1", message_id);
    expect(message!["warnings"]).toContain("sig_long");
  });

  test("without directions is stored with a warning, not refused", async () => {
    const message_id = nextId();
    const { text } = await intake.send(
      newMessage({ envelope: { message_id }, patient: stranger(), prescription: { sig_text: null } }),
    );
    expect(status(text)).toBe("Status");
    const [row] = await prescriptionsOf(message_id);
    expect(row!["sig_text"]).toBe("");
    const [message] = await rowsOf("select warnings from intake_message where sender_message_id = $1", message_id);
    expect(message!["warnings"]).toEqual(["sig_missing"]);
  });

  test("of a person with the same name and birth date elsewhere creates another patient and a review entry", async () => {
    const first = nextId();
    const second = nextId();
    const patient = stranger();
    const elsewhere = { ...prescription.patient.address!, zip: "10001", city: "New York", state: "NY" };
    await intake.send(newMessage({ envelope: { message_id: first }, patient }));
    await intake.send(newMessage({ envelope: { message_id: second }, patient: { ...patient, address: elsewhere } }));
    const [[one], [two]] = [await prescriptionsOf(first), await prescriptionsOf(second)];
    expect(two!["patient_id"]).not.toBe(one!["patient_id"]);
    const reviews = await listReviews(app.deps.db, null, true);
    const opened = reviews.map((row) => openReview(app.deps.vault, row));
    const about = opened.filter(({ patient_id }) => patient_id === two!["patient_id"]);
    expect(about).toMatchObject([
      { kind: "patient_match", facts: { candidates: [{ patient_id: one!["patient_id"], score: 70 }] } },
    ]);
  });

  test("for a controlled drug without signature evidence is stored and acknowledged, and waits for a pharmacist", async () => {
    const message_id = nextId();
    const { text } = await intake.send(
      newMessage({
        envelope: { message_id },
        patient: stranger(),
        prescription: {
          signature_evidence: false,
          refills: 9,
          drug: { description: "Zolpidem 5 mg tablet", codes: [], strength: null, schedule: null },
        },
      }),
    );
    expect(codes(text)).toEqual(["010"]);
    const [row] = await prescriptionsOf(message_id);
    expect(row).toMatchObject({ acceptance: "pending", drug_schedule: "4", refills: 5 });
    expect((row!["expires_at"] as Date).toISOString()).toBe("2027-05-11T04:00:00.000Z");
    expect(await rowsOf("select * from review where prescription_id = $1", row!["prescription_id"])).toMatchObject([
      { kind: "prescription_acceptance", reasons: ["signature_missing"] },
    ]);
  });

  test("for an account of Automatic Processing that waits for a pharmacist shows why there is no order", async () => {
    const message_id = nextId();
    const prescription = {
      signature_evidence: false,
      drug: { description: "Zolpidem 5 mg tablet", codes: [], strength: null, schedule: null },
    };
    const to = app.demo.partners[1]!.ncpdp_id;
    await intake.send(newMessage({ envelope: { message_id, to }, patient: stranger(), prescription }));
    const [row] = await prescriptionsOf(message_id);
    const shown = await app.call(`/patients/${row!["patient_id"]}/rx`, { partner: 1 });
    expect(JSON.parse(await shown.text()).medication_request[0].order_errors).toMatchObject([
      { code: 42249, error_detail: [{ field: "items[0].prescription_id" }] },
    ]);
  });

  test("for an account of Automatic Processing makes an order due on its fill date", async () => {
    const message_id = nextId();
    const { ncpdp_id, account_id } = app.demo.partners[1]!;
    await intake.send(
      newMessage({
        envelope: { message_id, to: ncpdp_id },
        prescription: { effective_date: "2099-01-02", expiration_date: null, written_date: "2098-12-30" },
      }),
    );
    const [row] = await prescriptionsOf(message_id);
    expect(row!["account_id"]).toBe(account_id);
    expect((row!["order_due_at"] as Date).toISOString()).toBe("2099-01-02T05:00:00.000Z");
  });

  test("that requests a receipt gets a Verify", async () => {
    const { text } = await intake.send(
      newMessage({ envelope: { message_id: nextId(), return_receipt: true }, patient: stranger() }),
    );
    expect([status(text), codes(text)]).toEqual(["Verify", ["010"]]);
  });
});

describe("the same message", () => {
  test("a hundred times at once makes one prescription, one patient and one event, and one answer", async () => {
    const message = newMessage({ envelope: { message_id: nextId() }, patient: stranger() });
    const before = await intakeRows(app);
    const answers = await Promise.all(Array.from({ length: 100 }, () => intake.deliver(message)));
    expect(new Set(answers.map(({ status: http }) => http))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const after = await intakeRows(app);
    for (const table of ["intake_message", "patient", "prescription", "webhook_event"]) {
      expect([table, after[table]! - before[table]!]).toEqual([table, 1]);
    }
  });

  test("under different message ids a hundred times at once makes a hundred prescriptions of one patient", async () => {
    const patient = stranger();
    const before = await intakeRows(app);
    const ids = Array.from({ length: 100 }, nextId);
    const answers = await Promise.all(
      ids.map((message_id) => intake.deliver(newMessage({ envelope: { message_id }, patient }))),
    );
    expect(new Set(answers.map(({ text }) => codes(text).join()))).toEqual(new Set(["010"]));
    const after = await intakeRows(app);
    expect(after["patient"]! - before["patient"]!).toBe(1);
    expect(after["prescription"]! - before["prescription"]!).toBe(100);
  });

  test("id with other bytes is rejected with 900 / 220, stored, and creates a review entry", async () => {
    const message_id = nextId();
    const patient = stranger();
    await intake.send(newMessage({ envelope: { message_id }, patient }));
    const before = await intakeRows(app);
    const other = newMessage({ envelope: { message_id }, patient, prescription: { refills: 1 } });
    const first = await intake.send(other);
    expect([status(first.text), codes(first.text)]).toEqual(["Error", ["900", "220"]]);
    const again = await intake.send(other);
    expect(again.text).toBe(first.text);
    expect(await intakeRows(app)).toEqual({
      ...before,
      intake_message: before["intake_message"]! + 1,
      review: before["review"]! + 1,
    });
  });
});

describe("the same bytes", () => {
  const fhir = { path: "/intake/fhir", type: "application/fhir+json" };
  const issue = (text: string) => JSON.parse(text).issue[0].details.coding[0].code;

  test("in another format get an answer in that format", async () => {
    for (const body of ["", "{}"]) {
      const script = await intake.send(body);
      expect([script.status, codes(script.text)]).toEqual([200, ["601", "024"]]);
      const { status: http, text, headers } = await intake.send(body, fhir);
      expect([http, headers.get("content-type")]).toEqual([200, "application/fhir+json; charset=utf-8"]);
      expect(JSON.parse(text).resourceType).toBe("OperationOutcome");
      // Each repeats its earlier answer.
      expect((await intake.send(body)).text).toBe(script.text);
      expect((await intake.send(body, fhir)).text).toBe(text);
    }
  });

  test("for another receiver are another message, so that no receiver is reported by mistake", async () => {
    const patient = { ...fhirPrescription.patient, ...stranger() };
    const nobody = { ...fhirEnvelope, from: null, to: null, message_id: null, prescriber_order_number: null };
    const bundle = (message_id: string | null) =>
      JSON.stringify(writeFhir({ ...fhirPrescription, patient }, { ...nobody, message_id }));
    const to = (ncpdp_id: string) => ({ ...fhir, path: `${fhir.path}?ncpdp_id=${ncpdp_id}` });
    const [first, second] = app.demo.partners.map(({ ncpdp_id }) => ncpdp_id) as [string, string];

    const unnamed = bundle(null);
    expect(issue((await intake.send(unnamed, fhir)).text)).toBe("002");
    const { text } = await intake.send(unnamed, to(first));
    expect(JSON.parse(text).extension[0].valueInteger).toEqual(expect.any(Number));
    expect((await intake.send(unnamed, to(first))).text).toBe(text);

    const named = bundle(nextId());
    await intake.send(named, to(first));
    expect(issue((await intake.send(named, to(second))).text)).toBe("220");
  });
});

describe("a CancelRx", () => {
  const cancel = (relates_to: string | null, more: object = {}) => ({
    kind: "cancel" as const,
    discontinue: false,
    target: {
      patient: prescription.patient,
      prescriber_npi: null,
      drug_description: prescription.drug.description,
      drug_codes: [],
      written_date: prescription.written_date,
      ...more,
    },
    relates_to,
  });

  test("that names the message ends its prescription and says so; a second one reports that it had ended", async () => {
    const message_id = nextId();
    await intake.send(newMessage({ envelope: { message_id, prescriber_order_number: null }, patient: stranger() }));
    const send = () =>
      intake.send(
        newMessage({
          envelope: { message_id: nextId(), relates_to_message_id: message_id },
          content: cancel(message_id),
        }),
      );
    const first = await send();
    expect(status(first.text)).toBe("CancelRxResponse");
    expect(first.text).toContain("<Approved>");
    expect(await prescriptionsOf(message_id)).toMatchObject([{ active: false }]);
    expect((await send()).text).toContain("already inactive");
  });

  test("that names nothing finds it by patient, drug and date", async () => {
    const message_id = nextId();
    const patient = { ...stranger(), phone: "9165550188" };
    await intake.send(newMessage({ envelope: { message_id, prescriber_order_number: null }, patient }));
    const target = { patient: { ...prescription.patient, ...patient } };
    const { text } = await intake.send(
      newMessage({ envelope: { message_id: nextId(), prescriber_order_number: null }, content: cancel(null, target) }),
    );
    expect(text).toContain("<Approved>");
    expect(await prescriptionsOf(message_id)).toMatchObject([{ active: false }]);
  });

  test("of an unknown prescription is denied and creates a review entry", async () => {
    const before = await intakeRows(app);
    const target = { patient: { ...prescription.patient, ...stranger() } };
    const { text } = await intake.send(
      newMessage({ envelope: { message_id: nextId(), prescriber_order_number: null }, content: cancel(null, target) }),
    );
    expect(text).toContain("<Denied>");
    const after = await intakeRows(app);
    expect(after).toEqual({ ...before, intake_message: before["intake_message"]! + 1, review: before["review"]! + 1 });
  });
});

describe("a response", () => {
  test("that approves a renewal as written creates a new prescription for the old one's patient, linked to it", async () => {
    const message_id = nextId();
    const renewal_id = nextId();
    await intake.send(newMessage({ envelope: { message_id }, patient: stranger() }));
    const { text } = await intake.send(
      newMessage({
        envelope: { message_id: renewal_id, relates_to_message_id: message_id },
        content: { kind: "renewal", response: "approved", reason_codes: [], note: null, prescription: null },
      }),
    );
    expect(codes(text)).toEqual(["010"]);
    const [[old], [renewed]] = [await prescriptionsOf(message_id), await prescriptionsOf(renewal_id)];
    expect(renewed).toMatchObject({
      patient_id: old!["patient_id"],
      replaces_prescription_id: old!["prescription_id"],
      drug_name: old!["drug_name"],
      sig_text: old!["sig_text"],
      active: true,
    });
    expect(await prescriptionsOf(message_id)).toMatchObject([{ active: true }]);
  });

  test("that approves a change replaces the old prescription", async () => {
    const message_id = nextId();
    const change_id = nextId();
    const patient = stranger();
    await intake.send(newMessage({ envelope: { message_id }, patient }));
    await intake.send(
      newMessage({
        envelope: { message_id: change_id, relates_to_message_id: message_id },
        content: {
          kind: "change",
          response: "approved_with_changes",
          reason_codes: [],
          note: null,
          prescription: { ...prescription, patient: { ...prescription.patient, ...patient }, refills: 1 },
        },
      }),
    );
    expect(await prescriptionsOf(message_id)).toMatchObject([{ active: false }]);
    expect(await prescriptionsOf(change_id)).toMatchObject([{ active: true, refills: 1 }]);
  });

  test("that denies is acknowledged and changes nothing", async () => {
    const before = await intakeRows(app);
    const { text } = await intake.send(
      newMessage({
        envelope: { message_id: nextId() },
        content: { kind: "renewal", response: "denied", reason_codes: ["AF"], note: null, prescription: null },
      }),
    );
    expect(codes(text)).toEqual(["010"]);
    expect(await intakeRows(app)).toEqual({ ...before, intake_message: before["intake_message"]! + 1 });
  });
});

describe("a receiver", () => {
  test("with an unknown id is rejected with 900 / 002, and only the message is stored", async () => {
    const before = await intakeRows(app);
    const { text } = await intake.send(newMessage({ envelope: { message_id: nextId(), to: "1234567" } }));
    expect([status(text), codes(text)]).toEqual(["Error", ["900", "002"]]);
    expect(await intakeRows(app)).toEqual({ ...before, intake_message: before["intake_message"]! + 1 });
  });

  test("of the other environment is unknown here", async () => {
    const { text } = await intake.send(
      newMessage({ envelope: { message_id: nextId(), to: app.demo.partners[2]!.ncpdp_id } }),
    );
    expect(codes(text)).toEqual(["900", "002"]);
  });

  test("that several accounts share is resolved by rules; without one the message waits with the operators", async () => {
    const own = await startTestApp();
    try {
      const network = await openIntake(own);
      const [willow, juniper] = own.demo.partners;
      await own.deps.db.raw(
        "update account set ncpdp_id = '9900017' where environment = 'sandbox' and partner_id is not null",
      );
      const undecided = await network.send(newMessage({ envelope: { message_id: "shared-1" } }));
      expect(codes(undecided.text)).toEqual(["010"]);
      expect((await own.deps.db.raw("select kind, reasons from review")).rows).toEqual([
        { kind: "unrouted_message", reasons: ["undecided"] },
      ]);
      await own.deps.db.raw(
        "insert into routing_rule (account_id, kind, value, created_at) values ($1, 'sender', '6120042', now()), ($2, 'prescriber_npi', '1234567893', now())",
        [willow!.account_id, juniper!.account_id],
      );
      await network.send(newMessage({ envelope: { message_id: "shared-2" } }));
      // The prescriber is more specific than the sender, who may write for many.
      expect((await own.deps.db.raw("select account_id from prescription")).rows).toEqual([
        { account_id: juniper!.account_id },
      ]);
    } finally {
      await own.stop();
    }
  });
});

describe("a rejected message", () => {
  const good = newMessage({ envelope: { message_id: "bad" } }).toString("utf8");
  const cases: Record<string, [Buffer | string, string[]]> = {
    "not XML": ["Dear pharmacy,", ["601", "024"]],
    "another root": ["<Letter/>", ["601", "020"]],
    "a bomb of entities": [`<!DOCTYPE a [<!ENTITY b "${"c".repeat(100)}">]><Message>&b;</Message>`, ["601", "023"]],
    "an external entity": [
      `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><Message>&b;</Message>`,
      ["601", "023"],
    ],
    "UTF-16": [Buffer.from(`\ufeff${good}`, "utf16le"), ["601", "024"]],
    "deep nesting": ["<a>".repeat(5_000), ["601", "019"]],
    "a version of the future": [good.replaceAll("20170715", "008001"), ["900", "021"]],
  };
  test.each(Object.entries(cases))(
    "%s is rejected with its code, stored, and changes nothing",
    async (_what, [body, expected]) => {
      const before = await intakeRows(app);
      const { status: http, text } = await intake.send(body);
      expect([http, status(text), codes(text)]).toEqual([200, "Error", expected]);
      expect(await intakeRows(app)).toEqual({ ...before, intake_message: before["intake_message"]! + 1 });
    },
  );

  test("a patient without a possible birth date is rejected with 900 / 080", async () => {
    const before = await intakeRows(app);
    const tomorrow = new Date(Date.now() + 48 * 3600 * 1000).toISOString().slice(0, 10);
    const dobs = [null, tomorrow, "2150-01-01", "1899-12-31"];
    for (const dob of dobs) {
      const message = newMessage({ envelope: { message_id: nextId() }, patient: { ...stranger(), dob } });
      expect([dob, codes((await intake.send(message)).text)]).toEqual([dob, ["900", "080"]]);
    }
    expect(await intakeRows(app)).toEqual({
      ...before,
      intake_message: before["intake_message"]! + dobs.length,
    });
  });

  test("a body of 1 MiB + 1 is 400 / 40004 and not stored; another type is 40002; a partner's token is 401", async () => {
    const before = await intakeRows(app);
    const large = await intake.send(Buffer.alloc(1024 * 1024 + 1, 32));
    expect([large.status, JSON.parse(large.text).errors[0].code]).toEqual([400, 40004]);
    const typed = await intake.send("{}", { type: "application/json" });
    expect([typed.status, JSON.parse(typed.text).errors[0].code]).toEqual([400, 40002]);
    const response = await fetch(`${app.addresses.base_url}/intake/script`, {
      method: "POST",
      headers: { authorization: `Bearer ${await app.token()}`, "content-type": "application/xml" },
      body: "<Message/>",
    });
    await expectConventions(response, "partner");
    expect(response.status).toBe(401);
    expect(await intakeRows(app)).toEqual(before);
  });
});

describe("at rest", () => {
  test("no data that identifies a patient can be read from the database", async () => {
    const message_id = nextId();
    await intake.send(newMessage({ envelope: { message_id }, patient: { ...stranger(), last_name: "Quetzalcoatl" } }));
    for (const table of ["intake_message", "patient", "patient_alias", "prescription", "review", "webhook_event"]) {
      const text = JSON.stringify((await app.deps.db.raw(`select t::text as row from ${table} t`)).rows);
      expect(text).not.toMatch(/Quetzalcoatl|Juniper Hollow|marisol@|9165550142|1987-02-28/i);
      const hex = Buffer.from("Quetzalcoatl").toString("hex");
      expect(text).not.toContain(hex);
    }
  });
});

test("a crash of a reader is reported as ours, and the message is stored and processed once the reader can read it", async () => {
  const caller = (
    await rowsOf("select account_id from account where partner_id is null and environment = 'sandbox'")
  )[0]!;
  const body = newMessage({ envelope: { message_id: nextId() }, patient: stranger() });
  const broken = {
    ...scriptFormat,
    read: (): never => {
      throw new TypeError("a bug");
    },
  };
  const before = await intakeRows(app);
  const given = { account_id: caller["account_id"] as string, credential_id: "test0001" };
  const { answer } = await receivePrescription(app.deps, broken, given, body);
  expect(codes(answer)).toEqual(["602", "007"]);
  // The reader still fails: the attempt is counted, and the message stays.
  app.advance(11_000);
  await processWaiting(app.deps, () => broken);
  await until(async () => {
    await processWaiting(app.deps, formatOf);
    return (await intakeRows(app))["prescription"]! > before["prescription"]!;
  }, "it is taken up");
  // Sent again, it is the same message.
  expect(codes((await intake.send(body)).text)).toEqual(["010"]);
  expect((await intakeRows(app))["prescription"]).toBe(before["prescription"]! + 1);
});

test("the job processes a stored message that was not processed, once", async () => {
  const message_id = nextId();
  await intake.send(newMessage({ envelope: { message_id }, patient: stranger() }));
  const [row] = await prescriptionsOf(message_id);
  // The state that a process leaves if it dies between the two.
  await app.deps.db.raw("delete from prescription where prescription_id = $1", [row!["prescription_id"]]);
  await app.deps.db.raw(
    "update intake_message set state = 'received', outcome = null, answer_sealed = null, processed_at = null where sender_message_id = $1",
    [message_id],
  );
  app.advance(11_000);
  // The service's own job may run too.
  await until(async () => {
    await Promise.all([processWaiting(app.deps, formatOf), processWaiting(app.deps, formatOf)]);
    return (await prescriptionsOf(message_id)).length > 0;
  }, "it is taken up");
  expect(await prescriptionsOf(message_id)).toHaveLength(1);
});

test("a message that failed too often is processed again once a pharmacist asks for it in its review", async () => {
  const message_id = nextId();
  await intake.send(newMessage({ envelope: { message_id }, patient: stranger() }));
  const [row] = await prescriptionsOf(message_id);
  await app.deps.db.raw("delete from prescription where prescription_id = $1", [row!["prescription_id"]]);
  const [message] = await rowsOf(
    `update intake_message
    set state = 'received', outcome = null, answer_sealed = null, processed_at = null, attempts = 5
    where sender_message_id = $1
    returning account_id, intake_message_id`,
    message_id,
  );
  const { account_id, intake_message_id } = message as { account_id: string; intake_message_id: number };
  const [review] = await rowsOf(
    `insert into review (account_id, kind, intake_message_id, created_at)
    values ($1, 'processing_failed', $2, now())
    returning review_id`,
    account_id,
    intake_message_id,
  );
  app.advance(11_000);
  await processWaiting(app.deps, formatOf);
  expect(await prescriptionsOf(message_id)).toEqual([]);
  const pharmacist = await webPerson(app, "pharmacist");
  const path = `/dashboard/reviews/${account_id}/${review!["review_id"]}/resolve`;
  const again = () => pharmacist.send("POST", path, { action: "process_again" });
  expect((await again()).body).toEqual({ closed: true });
  expect((await again()).status).toBe(422);
  await until(async () => {
    await processWaiting(app.deps, formatOf);
    return (await prescriptionsOf(message_id)).length > 0;
  }, "it is taken up");
});
