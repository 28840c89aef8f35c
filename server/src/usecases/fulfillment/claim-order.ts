import { randomUUID } from "node:crypto";
import type { StaffRole } from "@pestle/contract";
import { claim, letGo } from "../../db/fulfillment/order-claims.ts";
import { insertNote, listNotes, notePlace } from "../../db/fulfillment/order-notes.ts";
import { findOrder } from "../../db/orders/orders.ts";
import type { Deps } from "../../deps.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { checkedNote } from "../intake/require-reviewer.ts";
import { signatureOf } from "../orders/save-change.ts";
import { actorOf, type Work } from "./steps.ts";
import { WorkRefusal } from "./work-refusal.ts";

/** Whoever walks away without a word holds an order up for this long at most. */
export const CLAIM_MS = 15 * 60_000;

/** The pharmacist in charge may take over an order that another person has claimed. */
export const mayTakeOver = (role: StaffRole): boolean => role === "lead" || role === "admin";

/** For as long as the claim lasts nobody else works on the order; claiming again makes it last anew. */
export async function claimOrder(deps: Deps, { account_id, order_number, by }: Work): Promise<{ claimed_until: Date }> {
  const now = deps.now();
  const claimed_until = new Date(now.getTime() + CLAIM_MS);
  const claimed = await claim(deps.db, {
    account_id,
    order_number,
    person_id: by.person_id,
    now,
    claimed_until,
    takes_over: mayTakeOver(by.role),
  });
  if (claimed === 1) return { claimed_until };
  if ((await findOrder(deps.db, account_id, order_number)) === undefined) throw new StatusRefusal(404);
  throw new WorkRefusal("claimed");
}

/** Lets go of one's own claim; where there is none, nothing happens. */
export const releaseClaim = (deps: Deps, { account_id, order_number, by }: Work): Promise<number> =>
  letGo(deps.db, account_id, order_number, by.person_id);

export async function addNote(deps: Deps, { account_id, order_number, by }: Work, text: string): Promise<void> {
  const reason = checkedNote(text);
  if ((await findOrder(deps.db, account_id, order_number)) === undefined) throw new StatusRefusal(404);
  const note_id = randomUUID();
  await withKeysOfNow(deps, () =>
    insertNote(deps.db, {
      account_id,
      order_number,
      note_id,
      at: deps.now(),
      person_id: by.person_id,
      role: actorOf(by).roles[0]!,
      text_sealed: deps.vault.seal(
        Buffer.from(JSON.stringify({ reason })),
        notePlace(account_id, order_number, note_id),
      ),
    }),
  );
}

export type OrderNote = {
  note_id: string;
  at: Date;
  person_id: string | null;
  role: string;
  reason: string;
  overridden: number[];
  found: string[];
  /** False where somebody changed what was signed; null where there was nothing to sign. */
  signature_holds: boolean | null;
};

/** All that was written about an order, oldest first, with signatures checked. */
export async function readNotes(deps: Deps, account_id: string, order_number: string): Promise<OrderNote[]> {
  const rows = await listNotes(deps.db, account_id, order_number);
  return withKeysOfNow(deps, async () =>
    rows.map(({ text_sealed, signature, ...row }) => {
      const place = notePlace(account_id, order_number, row.note_id);
      const text = JSON.parse(deps.vault.open(text_sealed, place).toString("utf8")) as Partial<OrderNote>;
      const { reason = "", overridden = [], found = [] } = text;
      const { note_id, at, person_id, role } = row;
      const who = { account_id, order_number, note_id, at: at.toISOString(), person_id, role };
      // What overrides something was signed: without a signature somebody has taken it away.
      const unsigned = overridden.length === 0 && signature === null;
      const own = signatureOf(deps, { ...who, reason, overridden, found });
      const signature_holds = unsigned ? null : signature !== null && own.equals(signature);
      return { ...row, reason, overridden, found, signature_holds };
    }),
  );
}
