import { randomUUID } from "node:crypto";
import { mentionedIn, type OverrideCode, type StaffRole } from "@pestle/contract";
import type { Tx } from "../../db/db.ts";
import { findColleague, listColleagues } from "../../db/fulfillment/notifications.ts";
import { claim, letGo } from "../../db/fulfillment/order-claims.ts";
import { insertNote, listNotes, type NoteRow, notePlace } from "../../db/fulfillment/order-notes.ts";
import { findOrder } from "../../db/orders/orders.ts";
import type { Deps } from "../../deps.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { checkedNote } from "../operations/checked-note.ts";
import { signatureOf } from "../orders/save-change.ts";
import { transact, write } from "../write.ts";
import { notifyStaff } from "./people/notify.ts";
import { actorOf, auditWork, type Work } from "./steps.ts";
import { WorkRefusal } from "./work-refusal.ts";

/** A forgotten claim blocks an order for at most this long. */
export const CLAIM_MS = 15 * 60_000;

/** An assignment waits for a colleague who may be at another station, so it lasts longer than a claim. */
export const ASSIGNED_MS = 4 * 3600_000;

/** A lead or an admin may take over an order that another person has claimed. */
export const mayTakeOver = (role: StaffRole): boolean => role === "lead" || role === "admin";

/** While the claim lasts, only this person may work on the order. Claiming again renews it. */
export const claimOrder = (deps: Deps, work: Work): Promise<{ claimed_until: Date }> =>
  transact(deps, async (tx) => {
    const claimed_until = new Date(deps.now().getTime() + CLAIM_MS);
    await takeClaim(deps, tx, work, work.by.person_id, claimed_until);
    await auditWork(deps, tx, work);
    return { claimed_until };
  });

/** Claims the order for a colleague and notifies them. A person who can claim the order can assign it. */
export const assignOrder = (deps: Deps, work: Work, person_id: string): Promise<{ claimed_until: Date }> =>
  transact(deps, async (tx) => {
    const { account_id, order_number, by } = work;
    const at = deps.now();
    const colleague = await findColleague(tx, person_id);
    if (colleague === undefined || person_id === by.person_id) throw new WorkRefusal("no_colleague");
    const claimed_until = new Date(at.getTime() + ASSIGNED_MS);
    await takeClaim(deps, tx, work, person_id, claimed_until);
    const about = { account_id, order_number, at };
    await notifyStaff(tx, about, { kind: "assignment", caused_by: by.person_id, person_ids: [person_id] });
    await auditWork(deps, tx, work, person_id);
    return { claimed_until };
  });

async function takeClaim(
  deps: Deps,
  tx: Tx,
  { account_id, order_number, by }: Work,
  for_person_id: string,
  claimed_until: Date,
): Promise<void> {
  const { person_id, role } = by;
  const asked = { account_id, order_number, person_id, for_person_id, now: deps.now(), claimed_until };
  const claimed = await claim(tx, { ...asked, takes_over: mayTakeOver(role) });
  if (claimed === 1) return;
  if ((await findOrder(tx, account_id, order_number)) === undefined) throw new StatusRefusal(404);
  throw new WorkRefusal("claimed");
}

/** Releases the person's own claim; without one, it does nothing. */
export const releaseClaim = (deps: Deps, work: Work): Promise<number> =>
  transact(deps, async (tx) => {
    const released = await letGo(tx, work.account_id, work.order_number, work.by.person_id);
    await auditWork(deps, tx, work);
    return released;
  });

/** `@Name` in the text notifies a colleague. */
export const addNote = (deps: Deps, work: Work, text: string): Promise<void> =>
  write(deps, {
    prepare: () => checkedNote(text),
    attempt: async (tx, reason) => {
      const { account_id, order_number, by } = work;
      if ((await findOrder(tx, account_id, order_number)) === undefined) throw new StatusRefusal(404);
      const note_id = randomUUID();
      const place = notePlace(account_id, order_number, note_id);
      await insertNote(tx, {
        account_id,
        order_number,
        note_id,
        at: deps.now(),
        person_id: by.person_id,
        role: actorOf(by).roles[0]!,
        text_sealed: deps.vault.seal(Buffer.from(JSON.stringify({ reason })), place),
      });
      await auditWork(deps, tx, work);
      if (!reason.includes("@")) return;
      const person_ids = mentionedIn(reason, await listColleagues(tx)).map(({ person_id }) => person_id);
      const about = { account_id, order_number, at: deps.now() };
      await notifyStaff(tx, about, { kind: "mention", caused_by: by.person_id, person_ids });
    },
  });

export type OrderNote = {
  note_id: string;
  at: Date;
  person_id: string | null;
  role: string;
  reason: string;
  overridden: number[];
  found: string[];
  /** Null for a note that overrides nothing, and for overrides from before codes existed. */
  code: OverrideCode | null;
  license_number: string | null;
  /** False if the signed text was altered; null if the note needs no signature. */
  signature_holds: boolean | null;
};

/** What a note's sealed text can hold. */
type NoteText = Partial<Pick<OrderNote, "reason" | "overridden" | "found">> & {
  code?: OverrideCode;
  license_number?: string;
};

/** All notes on an order, oldest first, with their signatures checked. */
export async function readNotes(deps: Deps, account_id: string, order_number: string): Promise<OrderNote[]> {
  const rows = await listNotes(deps.db, account_id, order_number);
  return withKeysOfNow(deps, async () => rows.map((row) => openNote(deps, account_id, order_number, row)));
}

/** A note, with its signature checked. */
export function openNote(
  deps: Pick<Deps, "vault">,
  account_id: string,
  order_number: string,
  { text_sealed, signature, ...row }: NoteRow,
): OrderNote {
  const { note_id, at, person_id, role } = row;
  const place = notePlace(account_id, order_number, note_id);
  const text = JSON.parse(deps.vault.open(text_sealed, place).toString("utf8")) as NoteText;
  const { reason = "", overridden = [], found = [], code, license_number } = text;
  const who = { account_id, order_number, note_id, at: at.toISOString(), person_id, role };
  // Every override is signed, so one without a signature was tampered with.
  const unsigned = overridden.length === 0 && signature === null;
  const own = signatureOf(deps, { ...who, reason, overridden, found, code, license_number });
  const signature_holds = unsigned ? null : signature !== null && own.equals(signature);
  const by = { code: code ?? null, license_number: license_number ?? null };
  return { note_id, at, person_id, role, reason, overridden, found, ...by, signature_holds };
}
