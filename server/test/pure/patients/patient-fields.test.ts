import { OrderPatientInput, PatientSafetyInput } from "@pestle/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readAddress, settleAddress } from "../../../src/domain/patients/address-input.ts";
import { readIdentityDocument } from "../../../src/domain/patients/identity-document.ts";
import {
  MOST_DOCUMENTS,
  withIdentityDocument,
  withoutShippingAddress,
  withShippingAddress,
} from "../../../src/domain/patients/patient-changes.ts";
import { type PatientRecord, patientAnswer } from "../../../src/domain/patients/patient-record.ts";
import { emptySafety } from "../../../src/domain/patients/safety-record.ts";
import type { Verdict } from "../../../src/domain/values/address/verdict.ts";
import { countryCodes } from "../../../src/domain/values/countries.ts";
import { readBody } from "../../../src/domain/values/read-body.ts";
import { goodAddress, goodDocument } from "../../support/patient.ts";
import { effort } from "../../support/tools/effort.ts";

const TODAY = "2026-11-15";
const zips = {
  stateOf: (zip5: string) => (zip5 === goodAddress.zip ? "CA" : null),
  cityOf: () => "SAN FRANCISCO",
  areasOf: () => new Set<number>(),
};
const contactFields = ["email", "first_name", "last_name", "phone", "gender"] as const;

const readContact = (sent: object, prefix = "") => {
  const { fields, problems } = readBody(OrderPatientInput, { ...sent, patient_id: "ay87nt" }, prefix);
  const { patient_id: _, ...contact } = fields;
  return { contact, problems };
};

const record: PatientRecord = {
  first_name: "Odile",
  last_name: "Marchetti",
  middle_name: null,
  suffix: null,
  dob: "1990-02-03",
  gender: null,
  email: null,
  phone: null,
  patient_safety: emptySafety,
  addresses: [],
  next_address_id: 1,
  identity_documents: [],
  next_document_id: 1,
};

describe("fields of a patient", () => {
  const codes = { email: 42201, first_name: 42202, last_name: 42203, phone: 42204, gender: 42205 } as const;

  test.for<[keyof typeof codes, unknown, string | null]>([
    ["email", "o.marchetti+rx@mail.clinic.example", "o.marchetti+rx@mail.clinic.example"],
    ["email", "O'Neil_1@xn--bcher-kva.example", "O'Neil_1@xn--bcher-kva.example"],
    ["email", `${"a".repeat(64)}@b.example`, `${"a".repeat(64)}@b.example`],
    ["email", `${"a".repeat(65)}@b.example`, null],
    ["email", `a@${"b".repeat(64)}.example`, null],
    ["email", `a@${"bcde.".repeat(52)}example`, null],
    ["email", "a@b@c.example", null],
    ["email", ".a@b.example", null],
    ["email", "a.@b.example", null],
    ["email", "a@-b.example", null],
    ["email", "a@10.0.0.1", null],
    ["email", '"a b"@c.example', null],
    ["email", "a@b.example\nBcc: x@y.example", null],
    ["first_name", " Jean-Luc  O’Neil ", "Jean-Luc O’Neil"],
    ["first_name", "李", "李"],
    ["first_name", "", null],
    ["first_name", "R2D2", null],
    ["first_name", "x".repeat(41), null],
    ["last_name", "de la Cruz", "de la Cruz"],
    ["last_name", "-", null],
    ["last_name", 7, null],
    ["phone", "(415) 555-0134", "4155550134"],
    ["phone", "+1.415.555.0134", "4155550134"],
    ["phone", "14155550134", "4155550134"],
    ["phone", "415-555-0134 x12", null],
    ["phone", "211-555-0134", null],
    ["phone", "415-911-0134", null],
    ["phone", "115-555-0134", null],
    ["gender", "N", "N"],
    ["gender", "n", null],
  ])("%s %j: %j", ([field, sent, value]) => {
    const { contact, problems } = readContact({ [field]: sent }, "patient.");
    expect(contact).toEqual(value === null ? {} : { [field]: value });
    const problem = typeof sent === "string" ? "not_allowed" : "wrong_type";
    expect(problems).toMatchObject(value === null ? [{ code: codes[field], field: `patient.${field}`, problem }] : []);
  });

  test("that are omitted are no problem", () => {
    expect(readContact({})).toEqual({ contact: {}, problems: [] });
  });

  test("read back the same: stored values need no second normalization", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.emailAddress(),
      fc.stringMatching(/^[\s+(]{0,2}[2-9][02-9]\d[).\s-]{0,2}[2-9][02-9]\d[.\s-]?\d{4}\s?$/),
      fc.constantFrom("M", "F", "N", " Ana ", "Ana\u00a0Lu", "a@b.co"),
    );
    fc.assert(
      fc.property(text, (value) => {
        const sent = Object.fromEntries(contactFields.map((field) => [field, value]));
        const { contact, problems } = readContact(sent);
        expect(Object.keys(contact).length + problems.length).toBe(contactFields.length);
        expect(readContact(contact).contact).toEqual(contact);
      }),
      { seed: 20_261_115, numRuns: effort(2_000) },
    );
  });
});

describe("any input", () => {
  const runs = { seed: 20_261_115, numRuns: effort(1_000) };
  const names = [...contactFields, ...Object.keys(goodAddress), ...Object.keys(goodDocument), "allergies", "phone"];
  const sent = fc.dictionary(fc.constantFrom(...names, "accept_suggested", "__proto__"), fc.jsonValue());

  test("gets a list of problems, each under its prefix, and never an exception", () => {
    fc.assert(
      fc.property(sent, (fields) => {
        const problems = [
          ...readContact(fields, "patient.").problems,
          ...readBody(PatientSafetyInput, fields, "patient.patient_safety.").problems,
          ...readAddress(fields, zips, "patient.address.").problems,
          ...readIdentityDocument(fields, TODAY, "patient.identity_documents[0].").problems,
        ];
        for (const { code, field, message } of problems) {
          expect(field).toMatch(/^patient\./);
          // Only a field without a code of its own gets one, from its row.
          if (message !== undefined) expect([code, message]).toEqual([42200, expect.stringMatching(/^(Send|Use) /)]);
        }
      }),
      runs,
    );
  });

  test("gives a value without problems, or problems without a value", () => {
    fc.assert(
      fc.property(sent, fc.boolean(), (fields, good) => {
        const address = readAddress(good ? { ...fields, ...goodAddress } : fields, zips);
        expect(address.read === null).toBe(address.problems.length > 0);
        const document = readIdentityDocument(good ? { ...fields, ...goodDocument } : fields, TODAY);
        expect(document.document === null).toBe(document.problems.length > 0);
      }),
      runs,
    );
  });
});

describe("an address with a verdict", () => {
  const { read } = readAddress(goodAddress, zips);
  const suggestion = { ...read!.address, street1: "2210 MISSION ST", street2: "APT 5" };
  const verdict = (result: Verdict["result"], suggestions = [suggestion]): Verdict => ({
    result,
    reasons: result === "valid" ? [] : ["not_found"],
    kind: "street",
    suggestions,
  });
  const settled = (flags: object, judged: Verdict) => {
    const { address, problems } = settleAddress({ ...read!, ...flags }, judged, "address");
    return problems.length > 0 ? problems.map(({ code }) => code) : address;
  };

  test.for<[Verdict["result"], object, "sent" | "suggested" | "refused"]>([
    ["valid", {}, "sent"],
    ["valid", { accept_suggested: true }, "sent"],
    ["invalid", {}, "refused"],
    ["invalid", { accept_suggested: true }, "suggested"],
    ["invalid", { ignore_warnings: true }, "sent"],
    ["invalid", { accept_suggested: true, ignore_warnings: true }, "suggested"],
    ["unit_missing", {}, "refused"],
    ["unit_missing", { ignore_warnings: true }, "sent"],
  ])("%s with %j is %s", ([result, flags, outcome]) => {
    const expected = { sent: read!.address, suggested: suggestion, refused: [42230, 42230] }[outcome];
    expect(settled(flags, verdict(result))).toEqual(expected);
  });

  test("without a suggestion to accept is rejected, unless the warning is ignored", () => {
    const none = verdict("invalid", []);
    expect(settled({ accept_suggested: true }, none)).toEqual([42230, 42230]);
    expect(settled({ accept_suggested: true, ignore_warnings: true }, none)).toEqual(read!.address);
    const { problems } = settleAddress(read!, none);
    expect(problems.some((problem) => "suggested_address" in problem)).toBe(false);
  });
});

describe("a record", () => {
  const address = { ...goodAddress, phone: null };

  test("has one default address if it has any, and never reuses a number, after any additions and removals", () => {
    const step = fc.oneof(
      fc.record({ add: fc.integer({ min: 1, max: 8 }) }),
      fc.record({ remove: fc.integer({ min: 1, max: 12 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let now = record;
        let highest = 0;
        for (const taken of steps) {
          if ("add" in taken) {
            const { record: next, address: added } = withShippingAddress(now, {
              ...address,
              street2: `Apt ${taken.add}`,
            });
            const numbers = now.addresses.map(({ address_id }) => address_id);
            if (next.addresses.length > now.addresses.length) expect(added.address_id).toBeGreaterThan(highest);
            else expect(numbers).toContain(added.address_id);
            highest = Math.max(highest, added.address_id);
            now = next;
          } else now = withoutShippingAddress(now, taken.remove) ?? now;
          expect(now.addresses.filter((one) => one.default)).toHaveLength(Math.min(1, now.addresses.length));
        }
      }),
      { seed: 20_261_115, numRuns: 500 },
    );
  });

  test("distinguishes addresses with the same letters and digits", () => {
    const { record: one } = withShippingAddress(record, { ...address, street1: "1 12th St" });
    expect(withShippingAddress(one, { ...address, street1: "11 2th St" }).address.address_id).toBe(2);
    expect(withShippingAddress(one, { ...address, street1: "1 12TH ST." }).address.address_id).toBe(1);
  });

  test("drops expired documents only when it is full", () => {
    const { document } = readIdentityDocument(goodDocument, TODAY);
    let full = record;
    for (let index = 0; index < MOST_DOCUMENTS; index++) {
      const expiration_date = index < 3 ? "2027-01-01" : "2099-01-01";
      full = withIdentityDocument(full, { ...document!, number: `N${index}`, expiration_date }, TODAY).record;
    }
    expect(full.identity_documents).toHaveLength(MOST_DOCUMENTS);
    const later = withIdentityDocument(full, document!, "2027-01-01");
    expect(later.document.id).toBe(MOST_DOCUMENTS + 1);
    expect(later.record.identity_documents).toHaveLength(MOST_DOCUMENTS - 2);
    expect(() => withIdentityDocument(full, document!, TODAY)).toThrow("42200");
  });

  test("shows at most four characters of a document's number, and none of a short one", () => {
    const shown = (number: string) => {
      const { document } = readIdentityDocument({ ...goodDocument, number }, TODAY);
      const { record: with_document } = withIdentityDocument(record, document!, TODAY);
      const now = new Date("2026-11-15T08:30:00Z");
      const answer = patientAnswer("ay87nt", with_document, { created_at: now, updated_at: now });
      return answer.identity_documents[0]!.number;
    };
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9]{1,30}$/), (number) => {
        expect(shown(number)).toBe(number.length > 6 ? `****${number.slice(-4)}` : "****");
      }),
    );
  });
});

test("the countries are those of ISO 3166-1", () => {
  expect(countryCodes.size).toBe(249);
  for (const code of countryCodes) {
    expect(code).toMatch(/^[A-Z]{2}$/);
    // The runtime's own table has a name for each of them.
    expect(new Intl.DisplayNames("en", { type: "region", fallback: "none" }).of(code), code).toBeDefined();
  }
});
