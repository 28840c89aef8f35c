import { createCipheriv, createDecipheriv, timingSafeEqual } from "node:crypto";
import type { Deps } from "../deps.ts";
import { refuse } from "../domain/values/refusals.ts";

/** The list that a cursor belongs to. Another account or another list refuses it. */
export type CursorList = { vault: Deps["vault"]; account_id: string; list: string };

const TAG_BYTES = 16;
const LONGEST = 200;

/**
 * Encrypts a position, because positions count the orders and events of all accounts. The same position gives the same
 * cursor: the keyed hash of the text is both its seal and the start of its cipher (RFC 5297 describes this kind).
 */
export function sealCursor(list: CursorList, text: string): string {
  const { blindIndex } = list.vault;
  const tag = tagOf(blindIndex, list, text);
  const cipher = createCipheriv("aes-128-ctr", keyOf(blindIndex), tag);
  return Buffer.concat([tag, cipher.update(text, "latin1"), cipher.final()]).toString("base64url");
}

/**
 * The text of a cursor that `sealCursor` made for this list; otherwise 40003. Programs store cursors, so one from before a
 * rotation of the index key stays good.
 */
export function openCursor(list: CursorList, cursor: string): string {
  const bytes = Buffer.from(cursor.slice(0, LONGEST), "base64url");
  if (bytes.length <= TAG_BYTES || bytes.toString("base64url") !== cursor)
    refuse(40003, "cursor", { problem: "not_found" });
  const tag = bytes.subarray(0, TAG_BYTES);
  for (const blindIndex of list.vault.indexVersions) {
    const cipher = createDecipheriv("aes-128-ctr", keyOf(blindIndex), tag);
    const text = Buffer.concat([cipher.update(bytes.subarray(TAG_BYTES)), cipher.final()]).toString("latin1");
    if (timingSafeEqual(tag, tagOf(blindIndex, list, text))) return text;
  }
  return refuse(40003, "cursor", { problem: "not_found" });
}

type BlindIndex = Deps["vault"]["blindIndex"];
const keyOf = (blindIndex: BlindIndex) => blindIndex("key", "cursor").subarray(0, 16);
const tagOf = (blindIndex: BlindIndex, { account_id, list }: CursorList, text: string) =>
  blindIndex(text, `cursor ${account_id} ${list}`).subarray(0, TAG_BYTES);
