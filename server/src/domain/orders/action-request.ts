import { type ActionKey, ActionRequestInput, actionBody, type ExceptionId, isActionKey } from "@pestle/contract";
import { addressReader, type ReadAddress } from "../patients/address-input.ts";
import type { ZipTable } from "../values/address/zip.ts";
import { readBody, refusalOf, withNulls } from "../values/read-body.ts";
import type { Problem } from "../values/refusals.ts";
import type { SentFields } from "../values/unknown-fields.ts";

/** What a partner asks of an order. Fields that were refused are null, and a problem beside. */
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

/** Reads a request by the table of actions: an event takes its own fields and no others. */
export function readAction(
  sent: SentFields,
  zips: ZipTable,
): { action: ActionDraft; problems: Problem[] } | { action: null; problems: Problem[] } {
  const { event } = sent;
  if (typeof event !== "string" || !isActionKey(event)) {
    return { action: null, problems: [refusalOf(ActionRequestInput, "event")] };
  }
  const { fields, problems } = readBody(actionBody(event), sent, "", addressReader(zips));
  return { action: { ...(withNulls(ActionRequestInput, fields) as ActionDraft), event }, problems };
}
