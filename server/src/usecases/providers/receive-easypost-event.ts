import { saveAdjustment } from "../../db/fulfillment/postage.ts";
import { listTrackedBy } from "../../db/fulfillment/shipments.ts";
import type { EnvironmentDeps } from "../../deps.ts";
import { takeScans } from "../fulfillment/track-shipments.ts";
import { LostRaces } from "../write.ts";

/** `unknown`: the event is about something else, such as a parcel of another shop in the same EasyPost account. */
type ReceivedEvent = "taken" | "unknown" | "not_signed" | "not_in_use";

const MOST_TRIES = 10;

/**
 * Takes an event that EasyPost sent. It contains all scans of the parcel so far, and each scan counts once, so events may
 * come twice, late and in any order. An invoice replaces the one of the same id.
 */
export async function receiveEasyPostEvent(
  deps: EnvironmentDeps,
  body: Buffer,
  signature: string | undefined,
): Promise<ReceivedEvent> {
  const { readEvent } = deps.carriers.production;
  if (readEvent === undefined) return "not_in_use";
  const news = readEvent(body, signature);
  if (news === "not_signed") return news;
  if (news === null) return "unknown";
  const parcels = await listTrackedBy(deps.db, news.tracking_no, "production");
  for (const { account_id, order_number } of parcels) {
    if ("adjustment" in news) {
      await saveAdjustment(deps.db, account_id, order_number, news.tracking_no, { ...news.adjustment, at: deps.now() });
      continue;
    }
    let taken = false;
    for (let tries = 0; tries < MOST_TRIES && !taken; tries++) {
      taken = await takeScans(deps, account_id, order_number, news.tracking_no, news.scans);
    }
    // EasyPost sends the event again.
    if (!taken) throw new LostRaces();
  }
  return parcels.length === 0 ? "unknown" : "taken";
}
