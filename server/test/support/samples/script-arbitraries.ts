import fc from "fast-check";
import type {
  AnsweredPrescription,
  Content,
  DrugCode,
  Envelope,
  IncomingPatient,
  IncomingPrescription,
  ResponseKind,
} from "../../../src/domain/intake/incoming-message.ts";
import { quantityUnits } from "../../../src/domain/values/quantity-units.ts";
import type { ScriptVersion } from "../../../src/formats/script/version.ts";
import { writable } from "./script-samples.ts";

/** Any text that XML can carry, with many characters that break parsers and readers. */
const hostile = fc.constantFrom(
  "<a>&amp;</a>",
  "]]>",
  'O\'Brien "Bo"',
  "a\r\n\tb",
  "__proto__",
  "😀 ñ 中",
  "&#0;",
  "0",
  "x",
);
const texts = fc
  .oneof(fc.string({ unit: "binary", maxLength: 40 }), fc.string({ maxLength: 40 }), hostile)
  .map((text) => writable(text, "").trim())
  .filter((text) => text !== "");
const maybe = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });

const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: length, maxLength: length });
const dates = fc
  .date({ min: new Date("1900-01-01"), max: new Date("2150-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString());
const days = dates.map((date) => date.slice(0, 10));
const states = fc.constantFrom("CA", "NV", "PR", "AE");

const addresses = fc.record({
  street1: texts,
  street2: maybe(texts),
  city: maybe(texts),
  state: maybe(states),
  zip: maybe(
    fc.oneof(
      digits(5),
      fc.tuple(digits(5), digits(4)).map((parts) => parts.join("-")),
    ),
  ),
  country: fc.constantFrom("US", null),
});

const ids = fc
  .subarray(["medical_record", "account", "mutually_defined", "other"] as const)
  .chain((kinds) => fc.tuple(...kinds.map((kind) => texts.map((value) => ({ kind, value })))));

const patients: fc.Arbitrary<IncomingPatient> = fc.record({
  ids,
  last_name: texts,
  first_name: maybe(texts),
  middle_name: maybe(texts),
  suffix: maybe(texts),
  dob: maybe(days),
  gender: fc.constantFrom("M", "F", "N", "U", null),
  address: maybe(addresses),
  phone: maybe(digits(10)),
  email: fc.constantFrom("a@b.example", "o'k+x@mail.example", null),
  medications: fc.constant([]),
  health_conditions: fc.constant([]),
});

const prescribers = fc.record({
  last_name: texts,
  first_name: maybe(texts),
  practice: maybe(texts),
  npi: maybe(digits(9).map((rest) => `1${rest}`)),
  dea: maybe(digits(7).map((rest) => `FM${rest}`)),
  state_license: maybe(texts),
  phone: maybe(digits(10)),
  fax: maybe(digits(10)),
  address: maybe(addresses),
});

/** In the order of the reader: product codes, then database codes. */
const codes: fc.Arbitrary<DrugCode[]> = fc
  .record({ ndc: maybe(digits(11)), upc: maybe(texts), rxnorm: maybe(digits(6)), gcn: maybe(digits(5)) })
  .map((known) =>
    Object.entries(known).flatMap(([system, code]) =>
      code === null ? [] : [{ system: system as DrugCode["system"], code }],
    ),
  );

const prescriptions: fc.Arbitrary<IncomingPrescription> = fc.record({
  patient: patients,
  prescriber: prescribers,
  drug: fc.record({
    description: texts,
    codes,
    strength: maybe(texts),
    schedule: fc.constantFrom("0", "2", "3", "4", "5", null),
  }),
  quantity: fc.record({
    value: fc.nat(999_999_999).map((thousandths) => thousandths / 1000),
    unit: fc.constantFrom(...Object.values(quantityUnits), null),
  }),
  days_supply: maybe(fc.integer({ min: 1, max: 999 })),
  refills: fc.oneof(fc.nat(99), fc.constantFrom("prn" as const, null)),
  daw: fc.boolean(),
  sig_text: texts,
  note: maybe(texts),
  diagnoses: fc.array(
    fc.record({
      code: texts,
      system: fc.constantFrom("icd10cm", "icd9cm", "snomed", "ZZ", null),
      description: maybe(texts),
    }),
    { maxLength: 3 },
  ),
  allergies: fc.oneof(
    fc.constantFrom("unknown" as const, "none" as const),
    fc.array(
      fc.record({
        text: texts,
        codes: fc.array(fc.record({ system: fc.constantFrom("ndc", "rxnorm", "snomed", "other"), code: texts }), {
          maxLength: 1,
        }),
        reaction: maybe(texts),
        severity: maybe(texts),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  ),
  written_date: maybe(days),
  effective_date: maybe(days),
  expiration_date: maybe(days),
  signature_evidence: fc.boolean(),
  prior_authorization: maybe(texts),
  fill_indicator: maybe(texts),
  order_group: maybe(fc.record({ number: texts, item: maybe(fc.nat(999)), total: maybe(fc.nat(999)) })),
});

const answered: fc.Arbitrary<AnsweredPrescription> = fc
  .record({
    prescription: prescriptions,
    left_out: fc.subarray(["patient", "prescriber", "quantity", "sig_text"] as const),
  })
  .map(({ prescription, left_out }) => ({
    ...prescription,
    ...Object.fromEntries(left_out.map((name) => [name, null])),
  }));

const refusing: readonly ResponseKind[] = ["denied", "denied_new_prescription_to_follow", "pending"];
const responses = fc
  .record({
    kind: fc.constantFrom("renewal" as const, "change" as const),
    response: fc.constantFrom<ResponseKind>("approved", "approved_with_changes", "replace", "validated", ...refusing),
    reason_codes: fc.array(texts, { maxLength: 3 }),
    note: maybe(texts),
    prescription: answered,
  })
  .map((content) => (refusing.includes(content.response) ? { ...content, prescription: null } : content));

const cancellations = fc.record({
  kind: fc.constant("cancel" as const),
  discontinue: fc.boolean(),
  target: fc.record({
    patient: maybe(patients),
    prescriber_npi: maybe(digits(9).map((rest) => `2${rest}`)),
    drug_description: maybe(texts),
    drug_codes: codes,
    written_date: maybe(days),
  }),
});

export const newPrescriptions: fc.Arbitrary<Content> = prescriptions.map((prescription) => ({
  kind: "new",
  prescription,
}));

export const contents: fc.Arbitrary<Content> = fc.oneof(newPrescriptions, responses, cancellations);

export const envelopes = (version: ScriptVersion): fc.Arbitrary<Envelope> =>
  fc.record({
    format: fc.constant("script" as const),
    version: fc.constant(version),
    from: texts,
    from_qualifier: maybe(texts),
    to: texts,
    to_qualifier: maybe(texts),
    message_id: texts,
    relates_to_message_id: texts,
    sent_time: maybe(dates),
    prescriber_order_number: maybe(texts),
    test_message: fc.boolean(),
    return_receipt: fc.boolean(),
  });
