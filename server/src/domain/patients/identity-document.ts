import { IdentityDocumentInput } from "@pestle/contract";
import { isMilitaryState, isStateCode } from "../values/address/states.ts";
import { readBody, refusalOf, withNulls } from "../values/read-body.ts";
import type { Problem } from "../values/refusals.ts";
import type { SentFields } from "../values/unknown-fields.ts";
import type { StoredDocument } from "./patient-record.ts";

export type NewDocument = Omit<StoredDocument, "id">;

/** A state issues these, so they need its code. */
const STATE_ISSUED: ReadonlySet<unknown> = new Set(["DL", "SI"]);

/**
 * Returns an identity document, or all of its problems. `prefix` is its location in the request:
 * `patient.identity_documents[0].` produces `patient.identity_documents[0].number`.
 */
export function readIdentityDocument(
  sent: SentFields,
  today: string,
  prefix = "",
): { document: NewDocument | null; problems: Problem[] } {
  const { fields, problems } = readBody(IdentityDocumentInput, sent, prefix);
  const refuse = (field: keyof NewDocument) =>
    void problems.push(refusalOf(IdentityDocumentInput, field, sent[field] ?? undefined, prefix));
  const { type, issuing_country, issuing_state = null, expiration_date } = fields;
  const state_missing = STATE_ISSUED.has(type) && (sent["issuing_state"] ?? null) === null;
  const state_unknown = issuing_country === "US" && issuing_state !== null && !issuesDocuments(issuing_state);
  if (state_missing || state_unknown) refuse("issuing_state");
  // The patient shows it on delivery, so a document that expires today is not enough.
  if (expiration_date !== undefined && expiration_date <= today) refuse("expiration_date");
  const document = problems.length === 0 ? (withNulls(IdentityDocumentInput, fields) as NewDocument) : null;
  return { document, problems };
}

/** The same document, regardless of punctuation in its number. Its date can differ after a renewal. */
export const isSameDocument = (a: NewDocument, b: NewDocument): boolean => documentKey(a) === documentKey(b);

const documentKey = ({ type, issuing_country, issuing_state, number }: NewDocument) =>
  [type, issuing_country, issuing_state ?? "", number.replaceAll("-", "").toUpperCase()].join(" ");

const issuesDocuments = (state: string) => isStateCode(state) && !isMilitaryState(state);
