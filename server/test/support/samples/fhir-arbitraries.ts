import fc from "fast-check";
import type { IncomingAddress, IncomingPrescription } from "../../../src/domain/intake/incoming-message.ts";
import { deaSchedules, quantityUnits } from "../../../src/domain/values/quantity-units.ts";
import type { FhirEnvelope } from "../../../src/formats/fhir/write.ts";

/** Any prescription that FHIR R4 can express completely, and any envelope around it. */

/** In the form that readers return: trimmed, not empty, without characters that cannot be stored. */
const text = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
  .map((value) => value.replace(/[^\P{Cc}\n]|\p{Cs}/gu, "").trim())
  .filter((value) => value !== "");
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 3 });
const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: length, maxLength: length });
const date = fc
  .integer({ min: Date.UTC(1850, 0, 1), max: Date.UTC(2199, 11, 31) })
  .map((ms) => new Date(ms).toISOString().slice(0, 10));
const phone = digits(10).map((number) => `2${number.slice(1)}`);
const list = <Value>(value: fc.Arbitrary<Value>) => fc.array(value, { maxLength: 3 });

const address: fc.Arbitrary<IncomingAddress> = fc.record({
  street1: text,
  street2: optional(text),
  city: optional(text),
  state: optional(fc.constantFrom("CA", "NY", "PR", "Ontario")),
  zip: optional(
    fc.oneof(
      digits(5),
      fc.tuple(digits(5), digits(4)).map((parts) => parts.join("-")),
      fc.constant("K1A 0B1"),
    ),
  ),
  country: optional(fc.constantFrom("US", "CA")),
});

const drugCode = fc.oneof(
  fc.record({
    system: fc.constant("ndc" as const),
    code: fc.constantFrom("70999080130", "70999-0801-30", "7099-801-30"),
  }),
  fc.record({ system: fc.constantFrom("rxnorm", "gcn", "upc", "snomed", "other"), code: text }),
);

const patient = fc
  .record({
    ids: list(
      fc.record({ kind: fc.constantFrom("medical_record", "account", "mutually_defined", "other"), value: text }),
    ).map((ids) => ids.sort((a, b) => ID_KINDS.indexOf(a.kind) - ID_KINDS.indexOf(b.kind))),
    last_name: text,
    given: fc.array(text, { maxLength: 2 }),
    suffix: optional(text),
    dob: optional(date),
    gender: optional(fc.constantFrom("M", "F", "N", "U")),
    address: optional(address),
    phone: optional(phone),
    email: optional(fc.constantFrom("a@mail.example", "odalys.brannigan+rx@mail.example")),
    medications: fc.uniqueArray(text, { maxLength: 3 }),
    health_conditions: fc.uniqueArray(text, { maxLength: 3 }),
  })
  .map(({ given: [first_name = null, middle_name = null], ...rest }) => ({ ...rest, first_name, middle_name }));
const ID_KINDS: string[] = ["medical_record", "account", "mutually_defined", "other"];

const prescriber = fc.record({
  last_name: text,
  first_name: optional(text),
  practice: optional(text),
  npi: optional(digits(10)),
  dea: optional(digits(7).map((number) => `FL${number}`)),
  state_license: optional(text),
  phone: optional(phone),
  fax: optional(phone),
  address: optional(address),
});

const allergy = fc.record({
  text: text.filter((value) => !/^n(ka|kda|o)/i.test(value)),
  codes: list(drugCode),
  reaction: optional(text),
  severity: optional(fc.constantFrom("mild", "moderate", "severe")),
});

const schedules = Object.values(deaSchedules).filter((schedule) => schedule !== "1");

export const prescriptions: fc.Arbitrary<IncomingPrescription> = fc.record({
  patient,
  prescriber,
  drug: fc.record({
    description: text,
    codes: list(drugCode),
    strength: fc.constant(null),
    schedule: optional(fc.constantFrom(...schedules)),
  }),
  quantity: fc.record({
    value: fc.integer({ min: 0, max: 9_999_999_000 }).map((thousandths) => thousandths / 1000),
    unit: optional(fc.constantFrom(...Object.values(quantityUnits))),
  }),
  days_supply: optional(fc.integer({ min: 1, max: 999 })),
  refills: optional(fc.integer({ min: 0, max: 99 })),
  daw: fc.boolean(),
  sig_text: text,
  note: optional(text),
  diagnoses: list(
    fc.record({
      code: text,
      system: optional(fc.constantFrom("icd10cm", "snomed", "urn:theirs")),
      description: optional(text),
    }),
  ),
  allergies: fc.oneof(
    fc.constantFrom("unknown" as const, "none" as const),
    fc.array(allergy, { minLength: 1, maxLength: 3 }),
  ),
  written_date: optional(date),
  effective_date: optional(date),
  expiration_date: optional(date),
  signature_evidence: fc.boolean(),
  prior_authorization: optional(text),
  fill_indicator: fc.constant(null),
  order_group: optional(fc.record({ number: text, item: fc.constant(null), total: fc.constant(null) })),
});

export const envelopes: fc.Arbitrary<FhirEnvelope> = fc.record({
  from: optional(fc.constantFrom("https://ehr.fernhill-clinic.example", "urn:oid:1.2.3")),
  to: optional(digits(7)),
  message_id: optional(
    fc.oneof(
      digits(12),
      digits(8).map((number) => `https://fernhill-clinic.example|${number}`),
    ),
  ),
  sent_time: optional(fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) }).map((ms) => new Date(ms).toISOString())),
  prescriber_order_number: optional(text),
  test_message: fc.boolean(),
});
