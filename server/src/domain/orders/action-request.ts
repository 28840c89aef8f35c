import { type ActionKey, ActionRequestInput, actionBody, type ExceptionId, isActionKey } from "@pestle/contract";
import { addressReader, type ReadAddress } from "../patients/address-input.ts";
import type { ZipTable } from "../values/address/zip.ts";
import { readBody, refusalOf, withNulls } from "../values/read-body.ts";
import type { Problem } from "../values/refusals.ts";
import type { SentFields } from "../values/unknown-fields.ts";

/** A partner's action request. A rejected field is null and has a problem. */
export type ActionDraft = {
  event: ActionKey;
  exception_id: ExceptionId | null;
  reason_id: number | null;
  amount_cents: number | null;
  email: string | null;
  address: ReadAddress | null;
  prescription_id: number | null;
  dob: string | null;
  item_id: number | null;
  token: string | null;
};

/** Reads a request with the action table: an event takes only its own fields. */
export function readAction(
  sent: SentFields,
  zips: ZipTable,
): { action: ActionDraft; problems: Problem[] } | { action: null; problems: Problem[] } {
  const { event } = sent;
  if (typeof event !== "string" || !isActionKey(event)) {
    return { action: null, problems: [refusalOf(ActionRequestInput, "event", event ?? undefined)] };
  }
  const { fields, problems } = readBody(actionBody(event), sent, "", addressReader(zips));
  return { action: { ...(withNulls(ActionRequestInput, fields) as ActionDraft), event }, problems };
}
