import { MedicationRequest } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startOfDay } from "../../../src/domain/values/calendar.ts";
import { openAnswer } from "../../../src/usecases/intake/message-answer.ts";
import { intakeRows } from "../../support/intake.ts";
import { footprint, orderOf, placed, post } from "../../support/orders.ts";
import { ask, goodDocument } from "../../support/patient.ts";
import { arrived, fieldsOf, simulate } from "../../support/simulate.ts";
import { eventsOfPatient, storedEvents } from "../../support/stored-events.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

const AUTOMATIC = 1;
const PRODUCTION = 2;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

const rowsOf = async (text: string, ...params: unknown[]) => (await app.deps.db.raw(text, params)).rows;
const account = (partner = 0) => app.demo.partners[partner]!.account_id;

describe("a simulated prescription", () => {
  test("needs no fields: the sandbox invents a patient, a prescriber and a drug of the catalogue", async () => {
    const { patient_id, prescription_id, rx, patient } = await arrived(app);
    expect(rx).toMatchObject({ id: prescription_id, patient_id, active: true, drug_schedule: "0", refills_left: 3 });
    expect(patient).toMatchObject({
      email: expect.stringContaining("@patients.example"),
      phone: expect.stringMatching(/^\d{3}5550\d{3}$/),
      addresses: [{ state: "CA", default: true }],
    });
    const order = await placed(app, orderOf({ patient_id, prescription_id }, rx.written_qty));
    expect(order).toMatchObject({ order_status: "Processing", exceptions: [] });
  });

  test("goes through intake: the service stores and processes the message, shows its source and writes RX_RECEIVED", async () => {
    const { prescription_id, patient_id, rx } = await arrived(app);
    const [row] = await rowsOf(
      `select r.source, r.acceptance, m.format, m.state, m.outcome, m.kind, m.for_account_id, m.sender, m.sender_message_id, m.answer, m.answer_sealed
      from prescription r
      join intake_message m on m.account_id = r.account_id and m.intake_message_id = r.intake_message_id
      where r.prescription_id = $1`,
      prescription_id,
    );
    const { sender, sender_message_id, answer, answer_sealed, ...shown } = row!;
    expect(shown).toEqual({
      source: "simulation",
      acceptance: "not_needed",
      format: "simulation",
      state: "processed",
      outcome: "accepted",
      kind: "new",
      for_account_id: account(),
    });
    const key = { account_id: account(), sender: String(sender), sender_message_id: String(sender_message_id) };
    const kept = { answer: answer as null, answer_sealed: answer_sealed as Buffer };
    expect([answer, openAnswer(app.deps.vault, key, kept)]).toEqual([
      null,
      JSON.stringify({ patient_id, prescription_id }),
    ]);
    const events = await eventsOfPatient(app.deps, patient_id);
    expect(events.map(({ event_type }) => event_type)).toEqual(["RX_RECEIVED"]);
    expect(JSON.parse(events[0]!.body).medication_requests).toEqual([rx]);
  });

  test("counts as signed: a controlled one can be ordered", async () => {
    const { patient_id, prescription_id, rx } = await arrived(app, { drug_schedule: "2" });
    expect(rx).toMatchObject({ drug_schedule: "2", refills_left: 0, drug_name: "Dextroamphetamine 10 mg tablet" });
    const body = orderOf({ patient_id, prescription_id }, rx.written_qty);
    const order = await placed(app, {
      ...body,
      shipping: { method_id: 1, signature_confirmation: true },
      patient: { patient_id, identity_documents: [goodDocument] },
    });
    expect(order.order_status).toBe("Processing");
  });

  test("is rejected in production", async () => {
    for (const type of ["prescription", "event", "order", "clock", "nonsense"]) {
      expect((await simulate(app, type, {}, { partner: PRODUCTION })).status).toBe(404);
    }
  });

  test("of an unknown type, or without a type, is 42200", async () => {
    expect(fieldsOf((await simulate(app, "weather", {})).text)).toEqual(["simulation_type"]);
    expect(fieldsOf((await simulate(app, "prescription", [])).text)).toEqual(["simulation"]);
    expect(fieldsOf((await post(app, { simulation: {} }, { path: "/simulate" })).text)).toEqual(["simulation_type"]);
    expect(fieldsOf((await simulate(app, "toString", null)).text)).toEqual(["simulation_type", "simulation"]);
  });
});

/** A value for each field of a medication request, and the shown value if it differs. */
const settings: Record<string, { set: unknown; shown?: unknown } | "refused"> = {
  id: "refused",
  prescription_id: "refused",
  active: { set: false },
  patient_id: { set: "chosen-1" },
  prescriber_name: { set: "Ada Lindqvist, MD" },
  prescriber_phone: { set: "(415) 555-0177", shown: "4155550177" },
  prescriber_fax: { set: null },
  receive_date: { set: "2026-03-01T10:15:00.000Z" },
  expire_date: { set: "2027-05-02T06:30:00-05:00", shown: "2027-05-02T11:30:00.000Z" },
  written_date: { set: "2026-02-03" },
  effective_date: { set: "2026-02-14" },
  drug_name: { set: "Frobozz 5 mg tablet" },
  ndc: { set: "70999-0101-30", shown: "70999010130" },
  gcn: { set: "12345" },
  sig_text: { set: "Take 2 tablets\nafter supper." },
  written_qty: { set: 12.5 },
  days_supply: { set: 42 },
  refills_left: { set: 11 },
  drug_schedule: { set: "5" },
  daw: { set: true },
  acceptance: { set: "not_needed" },
  fillable: "refused",
  not_fillable: { set: [] },
  order_errors: { set: [] },
  medication_dispenses: { set: [] },
};

/** Invalid values of each field. */
const misfits: Record<string, unknown[]> = {
  id: [1, 183601, null],
  prescription_id: [1, 183601, null],
  active: ["false", 0],
  patient_id: ["abc", "123456789", "123-45-6789", "with blank", 7],
  prescriber_name: ["", "123", "a\u0000b", 5],
  prescriber_phone: ["911", "415555017", 4155550177, ""],
  prescriber_fax: ["fax", "+44 20 7946 0000"],
  receive_date: ["yesterday", "2026-02-30", "2026-03-01T25:00:00Z", "2026-03-01T10:00:00", 1_700_000_000],
  expire_date: ["never", "0000-01-01", "9999-12-31T23:59:59Z"],
  written_date: ["02/03/2026", "2026-13-01", "1066-10-14"],
  effective_date: ["tomorrow", 20260214],
  drug_name: ["", "  ", "x".repeat(256), "a\u2028b"],
  ndc: ["", "12345", "0071015523", "7099901013O", 70999010130],
  gcn: ["", "x".repeat(36), 90101],
  sig_text: [7, "a\u0000b", "\ud800", "x".repeat(10_001)],
  written_qty: [-1, 1.2345, "30", 100_001],
  days_supply: [0, -1, 1.5, "30", 1000],
  refills_left: [-1, 100, 2.5, "3"],
  drug_schedule: ["1", "6", 2],
  daw: [1, "yes"],
  acceptance: ["pending", "accepted", 1],
  fillable: [true, false, null],
  not_fillable: [[{}], "none"],
  order_errors: [[{}], "none"],
  medication_dispenses: [[{}], {}],
};

const fields = Object.keys(MedicationRequest.properties as object);

describe("every field of a medication request", () => {
  test("has a valid value and invalid ones here", () => {
    expect(Object.keys(settings).sort()).toEqual([...fields].sort());
    expect(Object.keys(misfits).sort()).toEqual([...fields].sort());
  });

  test.each(fields)("%s is set, or rejected by name", async (field) => {
    const setting = settings[field]!;
    if (setting === "refused") {
      expect(fieldsOf((await simulate(app, "prescription", { [field]: 1 })).text)).toEqual([`simulation.${field}`]);
      return;
    }
    // Only Automatic Processing shows order errors, and only there does an order count as a dispense immediately.
    const partner = field === "order_errors" ? AUTOMATIC : 0;
    const { rx } = await arrived(app, { [field]: setting.set }, { partner });
    expect(rx[field as keyof typeof rx]).toEqual("shown" in setting ? setting.shown : setting.set);
  });

  test.each(fields)("an invalid %s is rejected, and nothing is written", async (field) => {
    const before = [await intakeRows(app), await footprint(app)];
    for (const misfit of misfits[field]!) {
      const { status, text } = await simulate(app, "prescription", { [field]: misfit });
      expect([misfit, status, fieldsOf(text)]).toEqual([misfit, 422, [`simulation.${field}`]]);
      if (typeof misfit === "string" && misfit.length > 5) expect(text).not.toContain(misfit);
    }
    expect([await intakeRows(app), await footprint(app)]).toEqual(before);
  });

  test("is invented if it is null and null has no meaning of its own", async () => {
    const names = fields.filter((name) => settings[name] !== "refused");
    const { rx } = await arrived(app, { ...Object.fromEntries(names.map((name) => [name, null])), patient: null });
    expect(rx).toMatchObject({ active: true, drug_name: expect.any(String), sig_text: expect.any(String) });
  });

  test("accepts a date for a time, and a time for a date", async () => {
    const { rx } = await arrived(app, {
      receive_date: "2026-07-04",
      expire_date: "2027-01-15",
      // Already the next day in UTC, and still the evening before in New York.
      written_date: "2026-07-05T02:00:00.000Z",
      effective_date: "2026-07-06T16:00:00Z",
      patient: { dob: "1984-05-17T00:00:00.000Z", patient_id: "dated-1" },
    });
    const zone = app.config.TIME_ZONE;
    expect(rx).toMatchObject({
      receive_date: startOfDay(zone, "2026-07-04").toISOString(),
      expire_date: startOfDay(zone, "2027-01-15").toISOString(),
      written_date: "2026-07-04",
      effective_date: "2026-07-06",
    });
    expect(JSON.parse((await ask(app, "/patients/dated-1")).text).dob).toBe("1984-05-17");
  });

  test("accepts all of them at once, and reports all problems at once", async () => {
    const wrongIn = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, misfits[name]![0]]));
    // An answer names 20 fields per code.
    const [some, others] = [fields.slice(0, 14), fields.slice(14)];
    const first = await simulate(app, "prescription", wrongIn(some));
    expect(fieldsOf(first.text).sort()).toEqual(some.map((field) => `simulation.${field}`).sort());
    const wrong = wrongIn(others);
    const patient = {
      patient_id: "?",
      dob: "2999-01-01",
      adress: {},
      address: { zip: "9", country: "US" },
      allergies: [7],
    };
    const { status, text } = await post(
      app,
      { simulation_type: "prescription", simulation: { ...wrong, adress: 1, patient }, sent_by: "me" },
      { path: "/simulate" },
    );
    expect(status).toBe(422);
    expect(fieldsOf(text).sort()).toEqual(
      [
        "sent_by",
        "simulation.adress",
        ...others.map((field) => `simulation.${field}`),
        "simulation.patient.patient_id",
        "simulation.patient.dob",
        "simulation.patient.adress",
        "simulation.patient.address.zip",
        "simulation.patient.address.country",
        "simulation.patient.allergies[0]",
      ].sort(),
    );
  });

  test("the legal limits apply: refills of a controlled substance are capped, and schedule 2 has none", async () => {
    expect((await arrived(app, { drug_schedule: "4", refills_left: 12 })).rx).toMatchObject({ refills_left: 5 });
    expect((await arrived(app, { drug_schedule: "2", refills_left: 3 })).rx).toMatchObject({ refills_left: 0 });
    // The catalogue or the drug's name is stricter than the simulation.
    expect((await arrived(app, { drug_name: "zolpidem", drug_schedule: "0" })).rx.drug_schedule).toBe("4");
  });

  test("no prescription without units is fillable before a pharmacist accepts it", async () => {
    const { prescription_id } = await arrived(app, { written_qty: 0 });
    const [row] = await rowsOf("select acceptance from prescription where prescription_id = $1", prescription_id);
    expect(row).toEqual({ acceptance: "pending" });
  });
});

describe("the drug", () => {
  const drugOf = async (simulation: Record<string, unknown>) => {
    const { drug_name, ndc, gcn, drug_schedule } = (await arrived(app, simulation)).rx;
    return { drug_name, ndc, gcn, drug_schedule };
  };
  test("is matched by its NDC, its GCN, its name, or words of it", async () => {
    const sertraline = { drug_name: "Sertraline 50 mg tablet", ndc: "70999020130", gcn: "90201", drug_schedule: "0" };
    expect(await drugOf({ ndc: "70999020130" })).toEqual(sertraline);
    expect(await drugOf({ gcn: "90201" })).toEqual(sertraline);
    expect(await drugOf({ drug_name: "SERTRALINE 50 mg tablet" })).toMatchObject({ ndc: "70999020130" });
    expect(await drugOf({ drug_name: "sertraline" })).toMatchObject({ drug_name: "sertraline", ndc: "70999020130" });
    // The generic, although the brand's name contains the word too.
    expect(await drugOf({ drug_name: "atorvastatin" })).toMatchObject({ ndc: "70999010130" });
    expect(await drugOf({ drug_name: "Lipora" })).toMatchObject({ ndc: "70999010230" });
  });

  test("that is not in the catalogue can be prescribed, and cannot be ordered", async () => {
    expect(await drugOf({ drug_name: "Frobozz" })).toEqual({
      drug_name: "Frobozz",
      ndc: null,
      gcn: null,
      drug_schedule: "0",
    });
    const { patient_id, prescription_id } = await arrived(app, { ndc: "12345678901" });
    const { status, body } = await post(app, orderOf({ patient_id, prescription_id }, 30));
    expect(status).toBe(422);
    expect(body.errors.map(({ code }: { code: number }) => code)).toContain(42260);
  });

  test("that is not named matches the given quantity, if a product has that quantity", async () => {
    for (const written_qty of [3, 10, 21, 90]) {
      const { ndc, ...rx } = (await arrived(app, { written_qty })).rx;
      const product = JSON.parse((await ask(app, `/products?ndc[]=${ndc}`)).text)[0];
      expect(product.written_quantities, rx.drug_name).toContain(written_qty);
    }
  });
});

describe("the patient", () => {
  test("has the given details, and the sandbox invents the rest", async () => {
    const said = { first_name: "Wren", last_name: "Abernathy", dob: "1984-05-17", gender: "N", phone: "916-555-0131" };
    const { patient } = await arrived(app, {
      patient: {
        ...said,
        email: "wren@patients.example",
        address: { street1: "12 Larch St", street2: "Apt 4", city: "Sacramento", state: "ca", zip: "958141234" },
        allergies: ["Penicillin", "Tartrazine"],
      },
    });
    expect(patient).toMatchObject({
      ...said,
      phone: "9165550131",
      email: "wren@patients.example",
      patient_safety: { allergies: ["Penicillin", "Tartrazine"] },
      addresses: [{ street1: "12 Larch St", street2: "Apt 4", city: "Sacramento", state: "CA", zip: "95814-1234" }],
    });
  });

  test("has no value where the request says null", async () => {
    const { patient } = await arrived(app, {
      patient: { gender: null, email: null, phone: null, address: null, allergies: null },
    });
    expect(patient).toMatchObject({ gender: null, email: null, phone: null, addresses: [] });
  });

  test.each([
    [{ state: "AK" }, { state: "AK", city: /^[A-Z][a-z]+/, zip: /^99/ }],
    [{ zip: "97209" }, { state: "OR", city: /^Portland$/, zip: /^97209$/ }],
    [
      { city: "Reno", state: "NV" },
      { state: "NV", city: /^Reno$/, zip: /^895/ },
    ],
    [{ city: "Oakland" }, { state: "CA", city: /^Oakland$/, zip: /^946/ }],
  ])("lives where %j is, with a matching address", async (address, expected) => {
    const { patient } = await arrived(app, { patient: { address } });
    const [{ city, state, zip } = {} as never] = patient.addresses as { city: string; state: string; zip: string }[];
    expect(state).toBe(expected.state);
    expect(city).toMatch(expected.city);
    expect(zip).toMatch(expected.zip);
    expect(app.deps.zips.stateOf(zip!.slice(0, 5))).toBe(state);
  });

  test("with a known id is used: new details are added, and existing ones are not overwritten", async () => {
    const first = await arrived(app, { patient: { patient_id: "known-1", phone: null, allergies: [] } });
    const second = await arrived(app, {
      patient_id: "known-1",
      patient: {
        last_name: "Somebody Else",
        dob: "1950-01-01",
        email: "other@patients.example",
        phone: "4155550142",
        address: { street1: "400 Tern Ave" },
        allergies: ["Latex"],
      },
    });
    expect(second.patient_id).toBe("known-1");
    expect(second.prescription_id).not.toBe(first.prescription_id);
    const { first_name, last_name, dob, email } = first.patient;
    expect(second.patient).toMatchObject({ first_name, last_name, dob, email, phone: "4155550142" });
    expect(second.patient.patient_safety.allergies).toEqual(["Latex"]);
    expect(second.patient.addresses.map(({ street1, city }) => [street1, city])).toEqual([
      [first.patient.addresses[0]!.street1, first.patient.addresses[0]!.city],
      ["400 Tern Ave", first.patient.addresses[0]!.city],
    ]);
  });

  test("with a known id has the details on file if the request gives none, even with twins and namesakes", async () => {
    const twin = { first_name: "Gemini", last_name: "Ashgrove", dob: "1990-02-03", phone: "4155550143" };
    const [one, two] = [
      await arrived(app, { patient: { ...twin, patient_id: "twin-1" } }),
      await arrived(app, { patient: { ...twin, phone: "4155550144", patient_id: "twin-2" } }),
    ];
    for (const { patient_id, patient } of [two, one, two]) {
      expect((await arrived(app, { patient_id })).patient).toMatchObject({
        patient_id,
        phone: patient.phone,
        addresses: patient.addresses,
      });
    }
  });

  test("of another account is unknown here", async () => {
    await arrived(app, { patient: { patient_id: "elsewhere-1", first_name: "Elsewhere" } }, { partner: AUTOMATIC });
    const { patient } = await arrived(app, { patient_id: "elsewhere-1" });
    expect(patient.first_name).not.toBe("Elsewhere");
  });

  const misfitPatients: [unknown, string][] = [
    ["Wren", ""],
    [[], ""],
    [{ first_name: "R2D2" }, ".first_name"],
    [{ last_name: 7 }, ".last_name"],
    [{ dob: "17/05/1984" }, ".dob"],
    [{ dob: "1802-01-01" }, ".dob"],
    [{ gender: "X" }, ".gender"],
    [{ email: "nope" }, ".email"],
    [{ phone: "555" }, ".phone"],
    [{ address: "12 Larch St" }, ".address"],
    [{ address: { state: "XX" } }, ".address.state"],
    [{ address: { zip: "9581" } }, ".address.zip"],
    [{ address: { city: "" } }, ".address.city"],
    [{ address: { street1: "\u0007" } }, ".address.street1"],
    [{ allergies: "none" }, ".allergies"],
    [{ allergies: ["ok", ""] }, ".allergies[1]"],
    [{ ssn: "1" }, ".ssn"],
  ];
  test.each(misfitPatients)("%j is rejected at its field", async (patient, field) => {
    const { text } = await simulate(app, "prescription", { patient });
    expect(fieldsOf(text)).toEqual([`simulation.patient${field}`]);
  });

  test("with two ids is rejected", async () => {
    const { text } = await simulate(app, "prescription", { patient_id: "one-1", patient: { patient_id: "two-2" } });
    expect(fieldsOf(text)).toEqual(["simulation.patient.patient_id"]);
  });
});

describe("a repeated request", () => {
  test("with its key takes effect once, and returns the same bytes", async () => {
    const headers = { "idempotency-key": "rx-1" };
    const first = await simulate(app, "prescription", { daw: true }, { headers, partner: AUTOMATIC });
    const before = [await intakeRows(app), await footprint(app, AUTOMATIC)];
    const again = await simulate(app, "prescription", { daw: true }, { headers, partner: AUTOMATIC });
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([202, first.text, "true"]);
    expect([await intakeRows(app), await footprint(app, AUTOMATIC)]).toEqual(before);
    const other = await simulate(app, "prescription", { daw: false }, { headers, partner: AUTOMATIC });
    expect(other.body).toMatchObject({ errors: [{ code: 42299 }] });
  });

  test("after a rejection can use its key again", async () => {
    const headers = { "idempotency-key": "rx-2" };
    expect((await simulate(app, "prescription", { daw: 7 }, { headers })).status).toBe(422);
    expect((await simulate(app, "prescription", { daw: true }, { headers })).status).toBe(202);
  });

  test("many at once create as many patients, one after another", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => arrived(app)));
    expect(new Set(all.map(({ patient_id }) => patient_id)).size).toBe(20);
    const numbers = all.map(({ patient_id }) => Number(patient_id.replace("sim", ""))).sort((a, b) => a - b);
    expect(numbers.at(-1)! - numbers[0]!).toBe(19);
  });
});

describe("with Automatic Processing", () => {
  const ordersOf = async (prescription_id: number) =>
    JSON.parse((await ask(app, `/orders?prescription_id=${prescription_id}`, undefined, { partner: AUTOMATIC })).text)
      .orders as { order_status: string; exceptions: { id: number }[] }[];
  const holdsOf = async (simulation: Record<string, unknown>) => {
    const { prescription_id } = await arrived(app, simulation, { partner: AUTOMATIC });
    const [order] = await ordersOf(prescription_id);
    return order?.exceptions.map(({ id }) => id);
  };

  test("the order exists when the answer arrives, also with many at once", async () => {
    const all = await Promise.all(
      Array.from({ length: 8 }, () => arrived(app, { drug_name: "finasteride" }, { partner: AUTOMATIC })),
    );
    for (const { prescription_id } of all) {
      expect(await ordersOf(prescription_id)).toMatchObject([{ order_status: "Processing" }]);
    }
  });

  test("missing data holds its order, as the guide says", async () => {
    const drug_name = "finasteride";
    expect(await holdsOf({ drug_name, patient: { email: null } })).toEqual([65]);
    expect(await holdsOf({ drug_name, patient: { address: null } })).toEqual([66]);
    expect(await holdsOf({ drug_name, patient: { address: { state: "AK" } } })).toEqual([67]);
    expect(await holdsOf({ drug_name, sig_text: "" })).toEqual([69]);
    expect(await holdsOf({ drug_name: "amoxicillin", patient: { allergies: ["Penicillin"] } })).toEqual([74]);
    await holdsOf({ drug_name: "sertraline", patient: { patient_id: "mixed-1" } });
    expect(await holdsOf({ drug_name: "phenelzine", patient_id: "mixed-1" })).toEqual([75]);
    expect(await holdsOf({ drug_name: "minoxidil" })).toEqual([76]);
    expect(await holdsOf({ drug_name, patient: { address: { street1: "77 Larch St" } } })).toEqual([77]);
    expect(await holdsOf({ drug_name, patient: { address: { street1: "78 Larch St" } } })).toEqual([78]);
    await holdsOf({ drug_name, patient: { patient_id: "twice-1" } });
    expect(await holdsOf({ drug_name, patient_id: "twice-1" })).toEqual([68]);
    const first_name = "Maximiliana Bartholomea";
    expect(await holdsOf({ drug_name, patient: { first_name, last_name: "Featherstonehaugh" } })).toEqual([79]);
  });

  test("one that cannot become an order shows why immediately, and one for later has no order yet", async () => {
    const { rx } = await arrived(app, { ndc: null }, { partner: AUTOMATIC });
    expect(rx.order_errors?.map(({ code }) => code)).toEqual([42260]);
    const later = await arrived(app, { effective_date: "2999-01-01" }, { partner: AUTOMATIC });
    expect([later.rx.order_errors, await ordersOf(later.prescription_id)]).toEqual([[], []]);
  });

  test("one that its prescriber cancels immediately becomes no order", async () => {
    const { rx, prescription_id } = await arrived(app, { active: false }, { partner: AUTOMATIC });
    expect(rx.active).toBe(false);
    expect(await ordersOf(prescription_id)).toEqual([]);
  });
});

test("the same calls on two fresh accounts give the same results", async () => {
  const calls: Record<string, unknown>[] = [
    {},
    { drug_name: "sertraline", refills_left: 1 },
    { patient: { first_name: "Wren", address: { state: "OR" } } },
    { patient_id: "sim000001", drug_name: "finasteride" },
    { patient: { patient_id: "own-1", allergies: ["Latex"] }, written_qty: 90 },
    {},
  ];
  const story = async (partner: number) => {
    const own = await startTestApp();
    try {
      const told: unknown[] = [];
      for (const call of calls) {
        const { rx, patient } = await arrived(own, call, { partner });
        told.push({ rx, patient });
      }
      const events = await storedEvents(own.deps, "order by created_at, event_type");
      told.push(events.map(({ event_type, body }) => [event_type, JSON.parse(body)]));
      // Ids come from sequences and random numbers, times from the clock: ids are renamed in order of appearance.
      const ids: unknown[] = [];
      return JSON.stringify(told, (key, value) => {
        if (/_(date|at)$|^timestamp$/.test(key)) return "then";
        if (!["event_id", "order_number", "id", "prescription_id", "dispense_id"].includes(key)) return value;
        if (!ids.includes(value)) ids.push(value);
        return `#${ids.indexOf(value)}`;
      });
    } finally {
      await own.stop();
    }
  };
  expect(await story(0)).toBe(await story(0));
  expect(await story(AUTOMATIC)).toBe(await story(AUTOMATIC));
});
