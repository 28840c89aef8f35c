import { documentTypes } from "@pestle/contract";
import { isMilitaryState, isStateCode } from "../values/address/states.ts";
import { isDate } from "../values/calendar.ts";
import type { Problem } from "../values/refusals.ts";
import { type SentFields, unknownFields } from "../values/unknown-fields.ts";
import { countryCodes } from "./countries.ts";
import type { StoredDocument } from "./patient-record.ts";

export type NewDocument = Omit<StoredDocument, "id">;

/** Issued by a state, so worth nothing without its name. */
const STATE_ISSUED: ReadonlySet<unknown> = new Set(["DL", "SI"]);
const NUMBER = /^(?=.*[A-Za-z0-9])[A-Za-z0-9-]{1,30}$/;

type Read = (sent: SentFields, today: string) => unknown;
/** One row a field: its code, and how it is read; undefined where it is missing or malformed. */
const readers: { [Field in keyof NewDocument]: readonly [Problem["code"], Read] } = {
  type: [42216, ({ type }) => documentTypes.find((known) => known === type)],
  issuing_country: [42217, ({ issuing_country }) => countryOf(issuing_country)],
  issuing_state: [42218, readState],
  number: [
    42219,
    ({ number }) => (typeof number === "string" && NUMBER.test(number.trim()) ? number.trim() : undefined),
  ],
  // Whoever is dispensed to shows it, so a document that ends today does not do.
  expiration_date: [42220, ({ expiration_date: date }, today) => (isFuture(date, today) ? date : undefined)],
};
const fields = Object.keys(readers) as (keyof NewDocument)[];

/**
 * An identity document as it was sent, or everything that is wrong with it. `prefix` is where it stands in the request:
 * `patient.identity_documents[0].` makes `patient.identity_documents[0].number`.
 */
export function readIdentityDocument(
  sent: SentFields,
  today: string,
  prefix = "",
): { document: NewDocument | null; problems: Problem[] } {
  const problems = unknownFields(sent, fields, prefix);
  const document: Record<string, unknown> = {};
  for (const field of fields) {
    const [code, read] = readers[field];
    document[field] = read(sent, today);
    if (document[field] === undefined) problems.push({ code, field: `${prefix}${field}` });
  }
  return { document: problems.length === 0 ? (document as NewDocument) : null, problems };
}

/** The same document, however its number is punctuated; its date may have been renewed. */
export const isSameDocument = (a: NewDocument, b: NewDocument): boolean => documentKey(a) === documentKey(b);

const documentKey = ({ type, issuing_country, issuing_state, number }: NewDocument) =>
  [type, issuing_country, issuing_state ?? "", number.replaceAll("-", "").toUpperCase()].join(" ");

/** Null where it may be left out and is. Two letters; in the United States those of a state that issues documents. */
function readState({ type, issuing_country, issuing_state: state }: SentFields): string | null | undefined {
  if (state === undefined || state === null) return STATE_ISSUED.has(type) ? undefined : null;
  const code = twoLetters(state);
  if (countryOf(issuing_country) !== "US") return code;
  return code !== undefined && isStateCode(code) && !isMilitaryState(code) ? code : undefined;
}

function countryOf(value: unknown): string | undefined {
  const code = twoLetters(value);
  return code !== undefined && countryCodes.has(code) ? code : undefined;
}

const twoLetters = (value: unknown): string | undefined =>
  typeof value === "string" && /^\s*[A-Za-z]{2}\s*$/.test(value) ? value.trim().toUpperCase() : undefined;

const isFuture = (value: unknown, today: string): value is string =>
  typeof value === "string" && isDate(value) && value > today;
