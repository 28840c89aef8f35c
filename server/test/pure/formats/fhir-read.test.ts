import { describe, expect, test } from "vitest";
import { quantityUnits } from "../../../src/domain/values/quantity-units.ts";
import { orderableForms } from "../../../src/formats/fhir/quantity.ts";
import { drugCodeSystems, identifierSystems } from "../../../src/formats/fhir/systems.ts";
import {
  add,
  bundle,
  bundleWith,
  contained,
  envelope,
  type Loose,
  message,
  prescription,
  prescriptionIn,
  referenceStyles,
  the,
  warningsIn,
} from "../../support/samples/fhir-samples.ts";

describe("the form of a message does not matter", () => {
  test("the sample is read completely, without warnings", () => {
    expect(message(bundle())).toEqual({
      envelope: {
        ...envelope,
        format: "fhir",
        version: "R4",
        from_qualifier: null,
        to_qualifier: "P",
        relates_to_message_id: null,
        return_receipt: false,
      },
      content: { kind: "new", prescription },
      warnings: [],
    });
  });

  test.each(Object.entries(referenceStyles))("references: %s", (_, style) => {
    expect(message(style(bundle()))).toEqual(message(bundle()));
  });

  test("references: a request that contains all its targets", () => {
    const lone = message(contained(bundle()));
    expect(lone.content).toEqual({ kind: "new", prescription });
    expect(lone.warnings).toEqual([]);
    expect(lone.envelope).toMatchObject({ to: envelope.to, message_id: envelope.prescriber_order_number });
  });

  test.each(["collection", "transaction", "message", "batch"])("a Bundle of type %s", (type) => {
    expect(message({ ...bundle(), type })).toEqual(message(bundle()));
  });

  test("the order of entries and of properties", () => {
    const turned = JSON.parse(JSON.stringify(bundle()), (_, value) =>
      typeof value === "object" && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).reverse()) : value,
    );
    turned.entry.reverse();
    expect(message(turned)).toEqual(message(bundle()));
  });

  test("a byte order mark, unknown parts and single objects in place of lists", () => {
    expect(message(`\uFEFF${JSON.stringify(bundle())}`)).toEqual(message(bundle()));
    const odd = bundleWith((request, all) => {
      request.favouriteColour = { blue: [1, null, {}] };
      request.dosageInstruction = request.dosageInstruction[0];
      the("Patient", all).name = the("Patient", all).name[0];
    });
    expect(message(odd)).toEqual(message(bundle()));
  });

  test("characters that neither a database nor XML can hold are dropped", () => {
    const odd = bundleWith((request) => {
      request.dosageInstruction = [{ text: "Take \u0000one\u0007 tablet\ud800 by mouth at bedtime.\u001f " }];
    });
    expect(prescriptionIn(odd).sig_text).toBe(prescription.sig_text);
  });
});

describe("a reference never resolves to the wrong resource", () => {
  test("two patients with one URL: neither is used", () => {
    const doubled = bundleWith((_, all) => {
      const entry = all.entry.find((candidate: Loose) => candidate.resource.resourceType === "Patient");
      all.entry.push({ ...entry, resource: { ...entry.resource, birthDate: "1990-01-01" } });
    });
    expect(warningsIn(doubled)).toContain("reference_unresolved");
    expect(() => message(doubled)).toThrow("204");
  });

  test("the same patient sent twice is one", () => {
    const doubled = bundleWith((_, all) => all.entry.push(structuredClone(all.entry[1])));
    expect(message(doubled)).toEqual(message(bundle()));
  });

  test("a patient of another server with the same id is another patient", () => {
    const foreign = bundleWith((_, all) => {
      all.entry[1].fullUrl = "https://elsewhere.example/fhir/Patient/patient";
    });
    expect(() => message(foreign)).toThrow("204");
  });

  test("a subject that is not a patient is ignored", () => {
    const group = bundleWith((request) => {
      request.subject = { reference: "PractitionerRole/role" };
    });
    expect(() => message(group)).toThrow("204");
  });

  test("another patient's weight is ignored, and the newest one counts", () => {
    const weight = (value: number, effectiveDateTime: string, reference: string, more: object = {}) => ({
      resourceType: "Observation",
      status: "final",
      code: { coding: [{ system: "http://loinc.org", code: "29463-7" }] },
      subject: { reference },
      effectiveDateTime,
      valueQuantity: { value, unit: "kg", system: "http://unitsofmeasure.org", code: "kg" },
      ...more,
    });
    const patient = "Patient/patient";
    const mixed = bundleWith((_, all) => {
      add(
        all,
        { resourceType: "Patient", id: "sibling" },
        weight(12, "2026-11-02", "Patient/sibling"),
        weight(71, "2026-11-01", patient),
        weight(70, "2026-10-01", patient),
        weight(90, "2026-11-03", patient, { status: "entered-in-error" }),
        weight(170, "2026-11-04", patient, { code: { coding: [{ code: "8302-2" }] } }),
      );
    });
    expect(prescriptionIn(mixed).patient.weight_kg).toBe(71);
    expect(warningsIn(mixed)).toEqual(["other_patient"]);
  });

  test("another patient's allergies are ignored, and those without a patient count", () => {
    const mixed = bundleWith((_, all) => {
      add(
        all,
        { resourceType: "Patient", id: "sibling" },
        { resourceType: "AllergyIntolerance", code: { text: "Latex" }, patient: { reference: "Patient/sibling" } },
        { resourceType: "AllergyIntolerance", code: { text: "Codeine" }, patient: { reference: "Patient/gone" } },
      );
    });
    const { allergies } = prescriptionIn(mixed);
    expect((allergies as { text: string }[]).map(({ text }) => text)).toEqual(["Penicillin", "Codeine"]);
    expect(warningsIn(mixed)).toEqual(["other_patient", "reference_unresolved"]);
  });
});

describe("people", () => {
  const patientWith = (fields: Loose) =>
    prescriptionIn(bundleWith((_, all) => Object.assign(the("Patient", all), fields))).patient;

  test("the official name takes precedence over the usual one, and a former one comes last", () => {
    const names = [
      { use: "old", family: "Former", given: ["Odalys"] },
      { use: "nickname", given: ["Oddie"] },
      { use: "usual", family: "Usual", given: ["Odalys"] },
      { use: "official", family: "Ended", period: { end: "2020-01-01" } },
      { use: "official", family: "Official", given: ["Odalys", "June", "May"], suffix: ["Jr.", "MD"] },
    ];
    const lastNames = (count: number) => patientWith({ name: names.slice(0, count) }).last_name;
    expect(lastNames(5)).toBe("Official");
    expect(lastNames(4)).toBe("Usual");
    expect(lastNames(1)).toBe("Former");
    expect(patientWith({ name: names })).toMatchObject({ middle_name: "June May", suffix: "Jr. MD" });
  });

  test.each([
    ["male", "M"],
    ["female", "F"],
    ["other", "N"],
    ["unknown", "U"],
    ["martian", null],
  ])("the gender %s is %s", (gender, expected) => {
    expect(patientWith({ gender }).gender).toBe(expected);
  });

  test("a former address is never used for shipping; the home address takes precedence", () => {
    const at = (city: string, more: Loose = {}) => ({
      line: ["1 Elm"],
      city,
      state: "CA",
      postalCode: "95814",
      ...more,
    });
    const city = (...address: Loose[]) => patientWith({ address }).address?.city;
    expect(city(at("Work", { use: "work" }), at("Home", { use: "home" }))).toBe("Home");
    expect(city(at("Old", { use: "old" }), at("Work", { use: "work" }))).toBe("Work");
    expect(city(at("Ended", { use: "home", period: { end: "2026-11-01" } }), at("Now"))).toBe("Now");
    expect(city(at("Ends later", { use: "home", period: { end: "2027" } }), at("Now"))).toBe("Ends later");
    expect(city(at("Old", { use: "old" }))).toBeUndefined();
    expect(city({ text: "1 Elm, Nowhere" }, at("Parts"))).toBe("Parts");
  });

  test("states and ZIP codes are normalized if possible, and otherwise kept as sent", () => {
    const address = (fields: Loose) => {
      const { state, zip, country } =
        patientWith({ address: [{ line: ["1 Elm"], city: "X", ...fields }] }).address ?? {};
      return [state, zip, country];
    };
    expect(address({ state: "ca", postalCode: "958141204", country: "usa" })).toEqual(["CA", "95814-1204", "US"]);
    expect(address({ state: "US-CA", postalCode: "95814 1204" })).toEqual(["CA", "95814-1204", null]);
    expect(address({ state: "california", postalCode: "95814" })).toEqual(["CA", "95814", null]);
    expect(address({ state: "PR", postalCode: "00901", country: "pr" })).toEqual(["PR", "00901", "US"]);
    expect(address({ state: "Ontario", postalCode: "K1A 0B1", country: "ca" })).toEqual(["Ontario", "K1A 0B1", "CA"]);
  });

  test("the sender's rank decides among telephones, then the use; numbers keep only their digits", () => {
    const phone = (...telecom: Loose[]) =>
      patientWith({ telecom: telecom.map((point) => ({ system: "phone", ...point })) }).phone;
    const mobile = { value: "(916) 555-0101", use: "mobile" };
    expect(phone({ value: "916.555.0102", use: "work" }, mobile)).toBe("9165550101");
    expect(phone(mobile, { value: "916.555.0102", use: "work", rank: 1 })).toBe("9165550102");
    expect(phone({ ...mobile, use: "old" })).toBeNull();
    expect(phone({ value: "tel:+1-916-555-0103;ext=12" })).toBe("9165550103");
    expect(phone({ value: "916 555 0104 x 7" })).toBe("9165550104");
    expect(phone({ value: "+44 20 7946 0000" })).toBe("442079460000");
  });

  test("identifiers from the state and from payers are not the patient's ids", () => {
    const typed = (code: string, value: string) => ({ type: { coding: [{ code }] }, value });
    const identifier = [
      { system: "http://hl7.org/fhir/sid/us-ssn", value: "078051120" },
      typed("SS", "078051120"),
      typed("DL", "D1234567"),
      typed("MC", "1EG4TE5MK72"),
      typed("PI", "internal-1"),
      typed("AN", "account-1"),
      { use: "old", ...typed("MR", "mr-0") },
      typed("MR", "mr-1"),
    ];
    expect(patientWith({ identifier }).ids).toEqual([
      { kind: "medical_record", value: "mr-1" },
      { kind: "account", value: "account-1" },
      { kind: "other", value: "internal-1" },
    ]);
  });

  test("a practitioner without a role, a role's locations, and a bare number all give a prescriber", () => {
    const direct = bundleWith((request) => {
      request.requester = { reference: "Practitioner/prescriber" };
    });
    expect(prescriptionIn(direct).prescriber).toEqual({ ...prescription.prescriber, practice: null });

    const telecom = [
      { system: "phone", value: "9165550177" },
      { system: "fax", value: "9165550178" },
    ];
    const located = bundleWith((_, all) => {
      the("PractitionerRole", all).location = [{ reference: "Location/annex" }];
      add(all, { resourceType: "Location", id: "annex", name: "Annex", telecom, address: { city: "Davis" } });
    });
    expect(prescriptionIn(located).prescriber).toMatchObject({
      practice: "Annex",
      phone: "9165550177",
      fax: "9165550178",
      address: { city: "Davis" },
    });

    const bare = bundleWith((request) => {
      request.requester = { identifier: { system: identifierSystems.npi[0], value: "1245319599" } };
    });
    expect(prescriptionIn(bare).prescriber).toMatchObject({ npi: "1245319599", last_name: null });
  });

  test.each(identifierSystems.npi)("an NPI under %s", (system) => {
    const signed = bundleWith((_, all) => {
      the("Practitioner", all).identifier = [{ system: system.toUpperCase(), value: "1245319599" }];
    });
    expect(prescriptionIn(signed).prescriber.npi).toBe("1245319599");
  });

  test.each(identifierSystems.dea)("a DEA number under %s, also among the qualifications", (system) => {
    const signed = bundleWith((_, all) => {
      const practitioner = the("Practitioner", all);
      practitioner.identifier = [{ system, value: "AW1234567" }];
      practitioner.qualification = [{ identifier: [{ system, value: "fl1234563" }] }];
    });
    // The one with a valid check digit takes precedence.
    expect(prescriptionIn(signed).prescriber.dea).toBe("FL1234563");
  });
});

describe("the medication", () => {
  test.each(Object.entries(drugCodeSystems).flatMap(([system, names]) => names.map((name) => [name, system] as const)))(
    "a drug's code under %s is %s",
    (system, expected) => {
      const coded = bundleWith((request) => {
        request.medicationCodeableConcept = { text: "A drug", coding: [{ system, code: "70999-0801-30" }] };
      });
      expect(prescriptionIn(coded).drug.codes).toEqual([{ system: expected, code: "70999-0801-30" }]);
    },
  );

  test("a referenced drug equals an inline one; one that is missing keeps its display name", () => {
    const referring = bundleWith((request, all) => {
      add(all, { resourceType: "Medication", id: "m", code: request.medicationCodeableConcept });
      request.medicationReference = { reference: "Medication/m", display: "Zolpidem" };
      delete request.medicationCodeableConcept;
    });
    expect(message(referring)).toEqual(message(bundle()));
    referring.entry.pop();
    expect(prescriptionIn(referring).drug).toMatchObject({ description: "Zolpidem", codes: [] });
  });

  const dispensing = (fields: Loose) =>
    prescriptionIn(bundleWith((request) => Object.assign(request.dispenseRequest, fields)));
  const unit = (quantity: Loose) => dispensing({ quantity: { value: 30, ...quantity } }).quantity?.unit;

  test.each(Object.entries(quantityUnits))("the unit %s is %s by code, by name and in UCUM's braces", (code, name) => {
    expect([unit({ code }), unit({ unit: name }), unit({ code: `{${name}}` }), unit({ code: `[${name}]` })]).toEqual([
      name,
      name,
      name,
      name,
    ]);
  });

  test.each(Object.entries(orderableForms))("the forms counted as %s", (name, forms) => {
    expect(forms.split(" ").map((code) => unit({ code }))).toEqual(forms.split(" ").map(() => name));
  });

  test("UCUM's measures are units; a plain count uses the named unit, or else pieces", () => {
    expect(unit({ code: "mL", unit: "ml" })).toBe("milliliter");
    expect(unit({ code: "g" })).toBe("gram");
    expect(unit({ code: "1", unit: "Tablet(s)" })).toBe("tablet");
    expect(unit({ code: "{#}" })).toBe("each");
    expect(unit({ unit: "vials" })).toBeNull();
  });

  test.each([
    [{ value: 30, code: "d" }, 30],
    [{ value: 30, unit: "Days" }, 30],
    [{ value: 12, code: "wk" }, 84],
    [{ value: 1, code: "mo" }, null],
    [{ value: 30 }, null],
    [{ value: 1.5, code: "d" }, null],
    [{ value: 0, code: "d" }, null],
    [{ value: 30, code: "d", comparator: "<" }, null],
  ])("a supply for %j is %s days", (expectedSupplyDuration, days) => {
    expect(dispensing({ expectedSupplyDuration }).days_supply).toBe(days);
  });

  test("a quantity with a comparator is ignored; more than three decimals are rounded", () => {
    const bounded = bundleWith((request) => {
      request.dispenseRequest.quantity.comparator = ">=";
    });
    expect(() => message(bounded)).toThrow("135");
    expect(dispensing({ quantity: { value: 0.33333 } }).quantity?.value).toBe(0.333);
    expect(dispensing({ quantity: { value: "42.5" } }).quantity?.value).toBe(42.5);
  });

  test.each([
    [{ allowedBoolean: true }, false],
    [{ allowedBoolean: false }, true],
    [{ allowedCodeableConcept: { coding: [{ code: "N" }] } }, true],
    [{ allowedCodeableConcept: { coding: [{ code: "G" }] } }, false],
    [{ allowedCodeableConcept: { coding: [{ code: "maybe" }] } }, false],
    [undefined, false],
  ])("substitution %j forbids: %s", (substitution, daw) => {
    expect(prescriptionIn(bundleWith((request) => Object.assign(request, { substitution }))).daw).toBe(daw);
  });

  test("directions are the prescriber's words in sequence; codes are never turned into words", () => {
    const dosed = bundleWith((request) => {
      request.dosageInstruction = [
        { sequence: 2, text: "Then one at night.", timing: { repeat: { frequency: 1 } } },
        { sequence: 1, text: "One in the morning.", patientInstruction: "Best with food." },
      ];
    });
    expect(prescriptionIn(dosed)).toMatchObject({
      sig_text: "One in the morning.\nThen one at night.",
      note: "Call before the first shipment.\nBest with food.",
    });
    const coded = bundleWith((request) => {
      request.dosageInstruction = [{ patientInstruction: "One daily.", doseAndRate: [{ doseQuantity: { value: 1 } }] }];
    });
    expect(prescriptionIn(coded)).toMatchObject({ sig_text: null });
    expect(message(coded).warnings.map(({ code }) => code)).toContain("sig_missing");
  });

  test("a time's date is the writer's local date; a month is not a date", () => {
    const written = (authoredOn: Loose) =>
      prescriptionIn(bundleWith((request) => Object.assign(request, { authoredOn }))).written_date;
    expect(written("2026-11-02T23:30:00-08:00")).toBe("2026-11-02");
    expect([written("2026-11"), written("2026-02-30"), written("soon"), written(20261102)]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  test("a schedule is found by its code system, anywhere in the message", () => {
    const table0477 = { coding: [{ system: "http://terminology.hl7.org/CodeSystem/v2-0477", code: "II" }] };
    const schedule = (fields: Loose) =>
      prescriptionIn(bundleWith((request) => Object.assign(request, { extension: [] }, fields))).drug.schedule;
    expect(schedule({ extension: [{ url: "urn:theirs", valueCodeableConcept: table0477 }] })).toBe("2");
    expect(schedule({ extension: [{ url: "urn:theirs", valueCoding: table0477.coding[0] }] })).toBe("2");
    expect(schedule({ category: [table0477] })).toBe("2");
    expect(schedule({ category: [{ coding: [{ code: "II" }] }] })).toBeNull();
  });

  test("a reason is its ICD-10 code if it has one; referenced conditions are reasons too", () => {
    const coding = [
      { system: "http://snomed.info/sct", code: "193462001", display: "Insomnia" },
      { system: "http://hl7.org/fhir/sid/icd-10-cm", code: "G47.00" },
    ];
    const reasoned = bundleWith((request, all) => {
      request.reasonCode = [{ coding }];
      request.reasonReference = [{ reference: "Condition/why" }];
      add(all, { resourceType: "Condition", id: "why", subject: request.subject, code: { coding: [coding[0]] } });
    });
    expect(prescriptionIn(reasoned).diagnoses).toEqual([
      { code: "G47.00", system: "icd10cm", description: "Insomnia" },
      { code: "193462001", system: "snomed", description: "Insomnia" },
    ]);
  });

  test("only a signature's bytes, over this request, are evidence", () => {
    const signed = (spoil: (provenance: Loose, all: Loose) => void) =>
      prescriptionIn(bundleWith((_, all) => spoil(the("Provenance", all), all))).signature_evidence;
    expect(signed(() => {})).toBe(true);
    expect(signed((provenance) => delete provenance.signature[0].data)).toBe(false);
    expect(
      signed((provenance) => {
        provenance.target = [{ reference: "Patient/patient" }];
      }),
    ).toBe(false);
    expect(
      signed((provenance, all) => {
        all.signature = provenance.signature;
        all.entry = all.entry.filter((entry: Loose) => entry.resource !== provenance);
      }),
    ).toBe(false);
  });
});

describe("other details of the patient in the message", () => {
  const records = (...resources: Loose[]) =>
    bundleWith((request, all) => {
      const others = ["AllergyIntolerance", "MedicationStatement", "Condition"];
      all.entry = all.entry.filter((entry: Loose) => !others.includes(entry.resource.resourceType));
      add(all, ...resources.map((resource) => ({ patient: request.subject, subject: request.subject, ...resource })));
    });
  const allergy = (fields: Loose) => ({ resourceType: "AllergyIntolerance", ...fields });
  const allergies = (...fields: Loose[]) => prescriptionIn(records(...fields.map(allergy))).allergies;
  const snomed = (code: string, text = "said") => ({
    code: { text, coding: [{ system: "http://snomed.info/sct", code }] },
  });
  const status = (code: string) => ({ coding: [{ code }] });

  test("no mention does not mean no allergies; only a statement about all or about drugs does", () => {
    expect(allergies()).toBe("unknown");
    expect(allergies(snomed("716186003"))).toBe("none");
    expect(allergies(snomed("409137002"))).toBe("none");
    expect(allergies({ code: { text: "NKDA" } })).toBe("none");
    expect(allergies({ code: { text: "No known allergies" } })).toBe("none");
    expect(allergies(snomed("429625007"))).toBe("unknown");
    expect(allergies({ code: { text: "No known latex allergy" } })).toBe("unknown");
    expect(allergies(snomed("716186003"), { code: {} })).toBe("unknown");
  });

  test("an allergy overrides a statement that there is none", () => {
    expect(allergies(snomed("716186003"), { code: { text: "Sulfa" } })).toMatchObject([{ text: "Sulfa" }]);
    expect(allergies({ code: { text: "No known allergies except sulfa" } })).toHaveLength(1);
  });

  test("a resolved, refuted or erroneous entry is not an allergy", () => {
    expect(
      allergies(
        { ...snomed("1", "Over"), clinicalStatus: status("resolved") },
        { ...snomed("2", "Refuted"), verificationStatus: status("refuted") },
        { ...snomed("3", "Error"), verificationStatus: status("entered-in-error") },
        { ...snomed("4", "Doubtful"), verificationStatus: status("unconfirmed") },
      ),
    ).toMatchObject([{ text: "Doubtful", codes: [{ system: "snomed", code: "4" }] }]);
  });

  test("the worst of several reactions counts", () => {
    const reaction = [
      { severity: "mild", manifestation: [{ text: "Itch" }] },
      { severity: "severe", manifestation: [{ coding: [{ display: "Anaphylaxis" }] }, { text: "Itch" }] },
    ];
    expect(allergies({ ...snomed("4", "Peanut"), reaction })).toMatchObject([
      { reaction: "Itch, Anaphylaxis", severity: "severe" },
    ]);
  });

  test("current medications and conditions, each once", () => {
    const taken = (text: string, more: Loose = { status: "active" }) => ({
      resourceType: "MedicationStatement",
      medicationCodeableConcept: { text },
      ...more,
    });
    const ill = (text: string, more: Loose = {}) => ({ resourceType: "Condition", code: { text }, ...more });
    const { patient } = prescriptionIn(
      records(
        taken("Sertraline"),
        taken("Sertraline"),
        taken("Ibuprofen", { status: "stopped" }),
        ill("Asthma", { clinicalStatus: status("recurrence") }),
        ill("Flu", { clinicalStatus: status("resolved") }),
        ill("Gout", { verificationStatus: status("refuted") }),
      ),
    );
    expect(patient).toMatchObject({ medications: ["Sertraline"], health_conditions: ["Asthma"] });
  });
});
