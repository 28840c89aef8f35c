import {
  type ActionField,
  type ActionKey,
  actions,
  type ErrorCode,
  type ExceptionId,
  isActionKey,
  isExceptionId,
  orderStatusReasons,
} from "@pestle/contract";
import { type ReadAddress, readAddress } from "../patients/address-input.ts";
import { readContact } from "../patients/contact-fields.ts";
import type { ZipTable } from "../values/address/zip.ts";
import { isDate } from "../values/calendar.ts";
import type { Problem } from "../values/refusals.ts";
import { isOneLine } from "../values/text.ts";
import { isSentObject, type SentFields, unknownFields } from "../values/unknown-fields.ts";

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

type Fields = Omit<ActionDraft, "event" | "exception_id">;
const none: Fields = {
  reason_id: null,
  amount_cents: null,
  email: null,
  address: null,
  prescription_id: null,
  dob: null,
  item_id: null,
  token: null,
};

/** Reads a request by the table of actions: an event takes its own fields and no others. */
export function readAction(
  sent: SentFields,
  zips: ZipTable,
): { action: ActionDraft; problems: Problem[] } | { action: null; problems: Problem[] } {
  const { event, exception_id } = sent;
  if (typeof event !== "string" || !isActionKey(event)) {
    return { action: null, problems: [{ code: 42461, field: "event" }] };
  }
  const taken: readonly ActionField[] = actions[event].fields;
  const problems = unknownFields(sent, ["event", "exception_id", ...taken.map(({ name }) => name)]);
  const given = Number.isInteger(exception_id) && isExceptionId(exception_id as number) ? exception_id : null;
  if (exception_id !== undefined && given === null) problems.push({ code: 42200, field: "exception_id" });
  const fields: Record<string, unknown> = { ...none };
  for (const { name, required } of taken) {
    if (sent[name] === undefined && !required) continue;
    const read = readers[name as keyof Fields](sent[name], zips);
    if ("problems" in read) problems.push(...read.problems);
    else fields[name] = read.value;
  }
  return { action: { ...(fields as Fields), event, exception_id: given as ExceptionId | null }, problems };
}

type Read = { value: unknown } | { problems: Problem[] };
const LONGEST_TOKEN = 255;
/** 32 bits, as the columns have. */
const LARGEST = 2_147_483_647;

const readers: Record<keyof Fields, (value: unknown, zips: ZipTable) => Read> = {
  reason_id: (value) =>
    known(
      orderStatusReasons.some(({ id }) => id === value),
      value,
      42430,
      "reason_id",
    ),
  amount_cents: (value) => known(isCount(value), value, 42200, "amount_cents"),
  email: (value) => {
    const { contact, problems } = readContact({ email: value ?? null }, ["email"]);
    return problems.length > 0 ? { problems } : { value: contact.email };
  },
  address: (value, zips) => {
    if (!isSentObject(value)) return { problems: [{ code: 42230, field: "address" }] };
    const { read, problems } = readAddress(value, zips, "address.");
    return read === null ? { problems } : { value: read };
  },
  prescription_id: (value) => known(isCount(value), value, 42249, "prescription_id"),
  dob: (value) => known(typeof value === "string" && isDate(value), value, 42200, "dob"),
  item_id: (value) => known(isCount(value), value, 42200, "item_id"),
  token: (value) => known(isOneLine(value, LONGEST_TOKEN), value, 42200, "token"),
};

const known = (fits: boolean, value: unknown, code: ErrorCode, field: string): Read =>
  fits ? { value } : { problems: [{ code, field }] };

const isCount = (value: unknown) => Number.isInteger(value) && Number(value) > 0 && Number(value) <= LARGEST;
