import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  type DescriptionCode,
  intakeRefusals,
  receiverRefusals,
  refusalFor,
} from "../../../src/domain/intake/intake-refusals.ts";
import { intakeWarnings, type WarningCode } from "../../../src/domain/intake/intake-warnings.ts";
import { type Acceptance, acceptances, outcomeOf, refusalIssues } from "../../../src/formats/fhir/outcome.ts";
import { MAX_DEPTH } from "../../../src/formats/fhir/parse.ts";
import { readFhir } from "../../../src/formats/fhir/read.ts";
import { MAX_RESOURCES } from "../../../src/formats/fhir/resolve.ts";
import { add, bundle, bundleWith, bytesOf, type Loose, read, the } from "../../support/samples/fhir-samples.ts";

/** Every rejection and every warning in the FHIR reader's code has a message here that causes it. */

const folder = new URL("../../../src/formats/fhir/", import.meta.url);
const sources = readdirSync(folder)
  .filter((name) => name !== "outcome.ts")
  .map((name) => readFileSync(new URL(name, folder), "utf8"))
  .join("\n");
const named = (codes: string[]) => codes.filter((code) => sources.includes(`"${code}"`)).sort();

const patient = (all: Loose) => the("Patient", all);
const practitioner = (all: Loose) => the("Practitioner", all);
const nested = (depth: number) => `{"resourceType":"Bundle","x":${"[".repeat(depth)}${"]".repeat(depth)}}`;

const refused: Partial<Record<DescriptionCode, Loose[]>> = {
  "019": [
    nested(MAX_DEPTH),
    nested(300_000),
    bundleWith((_, all) => add(all, ...Array.from({ length: MAX_RESOURCES }, () => ({ resourceType: "Basic" })))),
    bundleWith((request) => {
      request.contained = Array.from({ length: MAX_RESOURCES }, () => ({ resourceType: "Basic" }));
    }),
  ],
  "024": ["", "{", "<Bundle/>", '{"resourceType":"Bundle"}}', '{"resourceType":"Bund'],
  "081": [
    bundleWith((_, all) => delete patient(all).name),
    bundleWith((_, all) => {
      patient(all).name = [{ text: "Odalys Brannigan" }];
    }),
  ],
  "135": [
    bundleWith((request) => delete request.dispenseRequest),
    bundleWith((request) => {
      request.dispenseRequest.quantity = { value: -30 };
    }),
    bundleWith((request) => {
      request.dispenseRequest.quantity = { value: "thirty" };
    }),
  ],
  "179": [bundleWith((request, all) => add(all, { ...request, id: "other" }))],
  "203": [
    bundleWith((request) => delete request.requester),
    bundleWith((request) => {
      request.requester = { reference: "Organization/practice" };
    }),
    bundleWith((_, all) => Object.assign(practitioner(all), { name: [{ text: "Dr. Lindqvist" }], identifier: [] })),
  ],
  "204": [
    bundleWith((request) => delete request.subject),
    bundleWith((_, all) => {
      patient(all).extension = [{ url: "http://hl7.org/fhir/StructureDefinition/patient-animal" }];
    }),
  ],
  "206": [bundleWith((request) => delete request.medicationCodeableConcept)],
  resource_type: ["[]", "null", "1", '"Bundle"', {}, { resourceType: "Patient" }, { resourceType: ["Bundle"] }],
  repeated_name: [
    '{"resourceType":"Bundle","resourceType":"Bundle"}',
    JSON.stringify(bundle()).replace('"status":', '"status":"cancelled","status":'),
    JSON.stringify(bundle()).replace('"status":', '"\\u0073tatus" : "cancelled", "status" :'),
    '{"resourceType":"Bundle","__proto__":1,"__proto__":2}',
  ],
  bundle_type: ["searchset", "history", "document", "batch-response"].map((type) => ({ ...bundle(), type })),
  request_missing: [
    { resourceType: "Bundle", type: "collection" },
    { resourceType: "Bundle", type: "collection", entry: [null, 1, "x", {}, { resource: [] }, { resource: {} }] },
    bundleWith((_, all) => all.entry.shift()),
  ],
  request_status: ["draft", "on-hold", "completed", "unknown", "Active", undefined].map((status) =>
    bundleWith((request) => Object.assign(request, { status })),
  ),
  request_intent: ["proposal", "plan", "option", "wish"].map((intent) =>
    bundleWith((request) => Object.assign(request, { intent })),
  ),
  do_not_perform: [
    bundleWith((request) => {
      request.doNotPerform = true;
    }),
    bundleWith((request) => Object.assign(request, { doNotPerform: true, status: "cancelled" })),
  ],
  modifier_extension: [
    bundleWith((request) => {
      request.modifierExtension = [{ url: "urn:not" }];
    }),
    bundleWith((request) => {
      request.dispenseRequest.modifierExtension = [{ url: "urn:not" }];
    }),
    bundleWith((request) => {
      request.dosageInstruction[0].modifierExtension = [{ url: "urn:not" }];
    }),
  ],
};

const home = (fields: Loose) =>
  bundleWith((_, all) => {
    patient(all).address = [
      { line: ["1 Elm"], city: "Sacramento", state: "CA", postalCode: "95814", country: "US", ...fields },
    ];
  });
const dispensed = (fields: Loose) => bundleWith((request) => Object.assign(request.dispenseRequest, fields));
const requested = (fields: Loose) => bundleWith((request) => Object.assign(request, fields));
const coded = (code: string) =>
  requested({
    medicationCodeableConcept: { text: "A drug", coding: [{ system: "http://hl7.org/fhir/sid/ndc", code }] },
  });
const scheduled = (code: string) =>
  requested({
    category: [{ coding: [{ system: "http://terminology.hl7.org/CodeSystem/v2-0477", code }] }],
    extension: [],
  });
const ofPatient = (fields: Loose) => bundleWith((_, all) => Object.assign(patient(all), fields));
const ofPractitioner = (fields: Loose) => bundleWith((_, all) => Object.assign(practitioner(all), fields));

const weighing = (valueQuantity: Loose) =>
  bundleWith((request, all) => {
    const code = { coding: [{ system: "http://loinc.org", code: "29463-7" }] };
    add(all, { resourceType: "Observation", status: "final", code, subject: request.subject, valueQuantity });
  });

const doubted: Partial<Record<WarningCode, Loose[]>> = {
  sent_time_unreadable: [
    { ...bundle(), timestamp: "yesterday" },
    { ...bundle(), timestamp: "2026-11-02T10:00:00" },
  ],
  bundle_type_missing: [{ ...bundle(), type: undefined }],
  receiver_conflict: [],
  id_too_long: [
    bundleWith((_, all) => {
      all.identifier.value = "x".repeat(300);
    }),
    ofPatient({ identifier: [{ value: "x".repeat(300) }] }),
  ],
  dob_missing: [ofPatient({ birthDate: undefined })],
  dob_unreadable: [
    ofPatient({ birthDate: "1984" }),
    ofPatient({ birthDate: "1984-02-30" }),
    ofPatient({ birthDate: 1984 }),
  ],
  gender_unknown: [ofPatient({ gender: "F" }), ofPatient({ gender: 1 })],
  first_name_missing: [ofPatient({ name: [{ family: "Brannigan" }] })],
  address_missing: [ofPatient({ address: [] }), ofPatient({ address: [{ use: "old", city: "X" }] })],
  address_incomplete: [home({ line: undefined }), home({ city: undefined })],
  zip_unreadable: [home({ postalCode: "9581" })],
  state_unreadable: [home({ state: "Calif." })],
  country_foreign: [home({ country: "Canada" })],
  phone_unreadable: [ofPatient({ telecom: [{ system: "phone", value: "555-0142" }] })],
  email_unreadable: [ofPatient({ telecom: [{ system: "email", value: "odalys at mail" }] })],
  npi_missing: [ofPractitioner({ identifier: [] })],
  npi_checksum: [ofPractitioner({ identifier: [{ system: "http://hl7.org/fhir/sid/us-npi", value: "1888888888" }] })],
  dea_missing: [ofPractitioner({ identifier: [{ system: "http://hl7.org/fhir/sid/us-npi", value: "1234567893" }] })],
  dea_checksum: [ofPractitioner({ identifier: [{ type: { coding: [{ code: "DEA" }] }, value: "AW1234567" }] })],
  prescriber_phone_missing: [ofPractitioner({ telecom: [] })],
  drug_code_missing: [requested({ medicationCodeableConcept: { text: "A drug" } })],
  ndc_unreadable: [coded("12345"), coded("1".repeat(100_000))],
  ndc_ambiguous: [coded("7099908013")],
  drug_description_missing: [requested({ medicationCodeableConcept: { coding: [{ code: "854876" }] } })],
  schedule_unknown: [scheduled("IX")],
  schedule_one: [scheduled("I")],
  signature_missing: [bundleWith((_, all) => all.entry.pop())],
  quantity_zero: [dispensed({ quantity: { value: 0, unit: "tablet" } })],
  quantity_rounded: [dispensed({ quantity: { value: 30.0004, unit: "mL" } })],
  quantity_unit_unknown: [
    dispensed({ quantity: { value: 30, unit: "vials" } }),
    dispensed({ quantity: { value: 1, code: "L" } }),
  ],
  days_supply_unreadable: [dispensed({ expectedSupplyDuration: { value: 1, code: "mo" } })],
  refills_missing: [dispensed({ numberOfRepeatsAllowed: undefined })],
  refills_unreadable: [-1, 1.5, 100, "many", {}].map((count) => dispensed({ numberOfRepeatsAllowed: count })),
  substitution_unknown: [requested({ substitution: { allowedCodeableConcept: { text: "no" } } })],
  sig_missing: [
    bundleWith((request) => delete request.dosageInstruction),
    requested({ dosageInstruction: [{ patientInstruction: "One daily." }] }),
  ],
  sig_long: [requested({ dosageInstruction: [{ text: "Take one. ".repeat(200) }] })],
  written_date_missing: [requested({ authoredOn: undefined })],
  written_date_unreadable: [requested({ authoredOn: "2026-13-01" })],
  date_unreadable: [dispensed({ validityPeriod: { start: "2026" } }), dispensed({ validityPeriod: { end: "never" } })],
  allergy_unreadable: [bundleWith((_, all) => delete the("AllergyIntolerance", all).code)],
  weight_unreadable: [
    weighing({ value: -70, code: "kg" }),
    weighing({ value: 70_000, unit: "kg" }),
    weighing({ value: 70 }),
  ],
  not_an_order: [requested({ intent: undefined }), requested({ reportedBoolean: true })],
  reference_unresolved: [
    requested({
      medicationReference: { reference: "Medication/gone", display: "A drug" },
      medicationCodeableConcept: {},
    }),
  ],
  other_patient: [
    bundleWith((_, all) => {
      add(all, { resourceType: "Patient", id: "sibling" });
      the("AllergyIntolerance", all).patient = { reference: "Patient/sibling" };
    }),
  ],
  element_ignored: [
    dispensed({ initialFill: { quantity: { value: 7 } } }),
    requested({ reasonCode: [{ text: "Sleep" }] }),
  ],
};

describe("rejections", () => {
  test("each one of the reader has a message that causes it, and a kind of issue", () => {
    const readers = Object.keys(intakeRefusals).filter((code) => !(code in receiverRefusals));
    expect(Object.keys(refused).sort()).toEqual(named(readers));
    expect(Object.keys(refusalIssues).sort()).toEqual(
      [...Object.keys(refused), ...Object.keys(receiverRefusals)].sort(),
    );
  });

  const cases = Object.entries(refused).flatMap(([code, messages]) =>
    messages.map((json, index) => ({ code, index, json })),
  );
  test.each(cases)("$code ($index)", ({ code, json }) => {
    const result = read(json);
    expect(result).toMatchObject({ ok: false, refusal: { description_code: code } });
    if (result.ok) return;
    expect(result.refusal.code).toBe(intakeRefusals[code as DescriptionCode][0]);
    expect(result.envelope === null || result.envelope.format === "fhir").toBe(true);
  });

  test("bytes that are not UTF-8 are not JSON", () => {
    const utf16 = Buffer.from(JSON.stringify(bundle()), "utf16le");
    const broken = Uint8Array.from([...bytesOf('{"resourceType":"'), 0xff, ...bytesOf('"}')]);
    for (const body of [utf16, broken, new Uint8Array()]) {
      expect(readFhir(body, null)).toMatchObject({ ok: false, refusal: { description_code: "024" } });
    }
  });

  test("all missing fields are reported at once, and the answer still reaches the sender", () => {
    const result = read(
      { resourceType: "MedicationRequest", status: "active", intent: "order", identifier: [{ value: "7" }] },
      "9900017",
    );
    expect(result).toMatchObject({
      ok: false,
      refusal: { code: "900", description_code: "204", also: ["206", "203", "135"] },
      envelope: { message_id: "7", to: "9900017" },
    });
  });
});

describe("warnings", () => {
  test("each one of the reader has a message that raises it", () => {
    expect(Object.keys(doubted).sort()).toEqual(named(Object.keys(intakeWarnings)));
  });

  const cases = Object.entries(doubted).flatMap(([code, messages]) =>
    messages.map((json, index) => ({ code, index, json })),
  );
  test.each(cases)("$code ($index) is a warning, and the prescription is accepted", ({ code, json }) => {
    const result = read(json);
    if (!result.ok) throw new Error(`refused with ${result.refusal.description_code}`);
    expect(result.message.warnings.map((warning) => warning.code)).toContain(code);
  });

  test("a receiver given with the message that differs from the one in it", () => {
    const result = read(bundle(), "9900025");
    expect(result.ok && result.message.warnings.map(({ code }) => code)).toEqual(["receiver_conflict"]);
  });
});

describe("the answer", () => {
  const all = [...Object.values(refused), ...Object.values(doubted)].flat();

  test("to every message is an OperationOutcome that contains only the tables' sentences and element names", () => {
    const sentences: string[] = [
      ...Object.values(intakeRefusals).map(([, sentence]) => sentence),
      ...Object.values(acceptances).map(([, , sentence]) => sentence),
      ...Object.values(intakeWarnings),
    ];
    for (const json of all) {
      const result = read(json);
      const outcome = result.ok
        ? outcomeOf("received", result.message.warnings)
        : outcomeOf(result.refusal, result.warnings);
      expect(outcome.resourceType).toBe("OperationOutcome");
      expect(outcome.issue.length).toBeGreaterThan(0);
      expect(outcome.issue[0]?.severity).toBe(result.ok ? "information" : "error");
      for (const { details, expression } of outcome.issue) {
        expect(sentences).toContain(details.text);
        for (const path of expression ?? [])
          expect(path).toMatch(/^[A-Z][A-Za-z]+(\.(_?[a-z][A-Za-z]+|\*)(\[\d+\])*)+$/);
      }
    }
  });

  test("names the place of a name that appears twice, and no name that could be a patient's", () => {
    const places = (json: string) => {
      const result = readFhir(Buffer.from(json), null);
      return result.ok ? "read" : outcomeOf(result.refusal, []).issue.flatMap(({ expression = [] }) => expression);
    };
    const entry = '{"resource":{"note":[{},{"text":1,"\\u0074ext":2}]}}';
    expect(places(`{"resourceType":"Bundle","entry":[{},${entry}]}`)).toEqual([
      "Bundle.entry[1].resource.note[1].text",
    ]);
    expect(places('{"resourceType":"Bundle","Wren O\'Hara":{"a":"a:\\"","a" :1}}')).toEqual(["Bundle.*.a"]);
    expect(places('{"__proto__":1,"__proto__":2}')).toEqual(["Resource.*"]);
    expect(places('{"resourceType":"Bundle","a":{"b":"b","c":["b","b"]},"d":{"b":"a:"}}')).not.toContain("Bundle.a");
  });

  test("contains our numbers if there are any", () => {
    expect(outcomeOf("received", [], { message_id: "m", prescription_id: 7 })).toEqual({
      resourceType: "OperationOutcome",
      extension: [
        { url: "urn:pestle:intake:message_id", valueString: "m" },
        { url: "urn:pestle:intake:prescription_id", valueInteger: 7 },
      ],
      issue: [
        {
          severity: "information",
          code: "informational",
          details: {
            coding: [{ system: "urn:pestle:intake", code: "received" }],
            text: "The prescription was received.",
          },
        },
      ],
    });
  });

  test.each(Object.entries(acceptances))("%s is reported as such", (answer, [severity, code, sentence]) => {
    const [issue] = outcomeOf(answer as Acceptance, []).issue;
    expect(issue).toMatchObject({ severity, code, details: { text: sentence } });
  });

  test("distinguishes a duplicate, an unknown receiver and a fault of ours", () => {
    const kinds = (["220", "002", "007"] as const).map((code) => outcomeOf(refusalFor(code), []).issue[0]?.code);
    expect(kinds).toEqual(["duplicate", "not-found", "transient"]);
  });
});
