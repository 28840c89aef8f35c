import { type DuePostage, listDuePostage, listPostageAccounts, movePostage } from "../../../db/fulfillment/postage.ts";
import type { Deps } from "../../../deps.ts";
import { apart } from "../../operations/apart.ts";
import { addSystemNote } from "../system-note.ts";

const MOST_AT_ONCE = 100;
const HOUR_MS = 3600_000;
/** The next print of an order may still use the label. */
const WANTED_AGAIN_MS = HOUR_MS;
/** Carriers decide on refunds within weeks. */
const REFUND_AGAIN_MS = 12 * HOUR_MS;

/**
 * The job: gives back the postage of labels that no parcel will carry, such as one whose purchase was interrupted before the
 * order was canceled, and follows refunds until the carrier decides.
 */
export async function settlePostage(deps: Deps): Promise<void> {
  const now = deps.now();
  for (const { account_id, environment } of await listPostageAccounts(deps.db, deps.serves ?? null, now)) {
    for (const postage of await listDuePostage(deps.db, account_id, now, MOST_AT_ONCE)) {
      const about = { account_id, order_number: postage.order_number };
      await apart(deps, about, () => settleOne(deps, about, environment, postage, now));
    }
  }
}

async function settleOne(
  deps: Deps,
  about: { account_id: string; order_number: string },
  environment: "production" | "sandbox",
  { provider_ref, state, shipped, wanted }: DuePostage,
  now: Date,
): Promise<void> {
  const { account_id, order_number } = about;
  const move = (to: Parameters<typeof movePostage>[4]) =>
    movePostage(deps.db, account_id, order_number, provider_ref, to);
  const later = (ms: number) => new Date(now.getTime() + ms);
  if (state !== "refunding" && shipped) return void (await move({ state: null, check_at: null }));
  if (state !== "refunding" && wanted) return void (await move({ state: null, check_at: later(WANTED_AGAIN_MS) }));
  const answer = await deps.carriers[environment].voidLabel({ provider_ref, about });
  if (answer === "asked") return void (await move({ state: "refunding", check_at: later(REFUND_AGAIN_MS) }));
  await move({ state: answer === "done" ? "refunded" : "refused", check_at: null });
  if (answer === "refused") {
    await addSystemNote(
      deps,
      account_id,
      order_number,
      "The carrier refused to refund a label that no parcel carries.",
    );
  }
}
