import { type EasyPostTracker, readTracker } from "../../adapters/carriers/easypost/read-answers.ts";
import { isSigned } from "../../adapters/carriers/easypost/webhook-signature.ts";
import { ProviderUnavailable } from "../../adapters/providers/provider-client.ts";
import { listTrackedBy } from "../../db/fulfillment/shipments.ts";
import type { EnvironmentDeps } from "../../deps.ts";
import { scansOfTracker } from "../../domain/fulfillment/tracker-scans.ts";
import { takeScans } from "../fulfillment/track-shipments.ts";
import { LostRaces } from "../write.ts";

/** `unknown`: the event is about something else, such as a parcel of another shop in the same EasyPost account. */
export type ReceivedEvent = "taken" | "unknown" | "not_signed" | "not_in_use";

const MOST_TRIES = 10;

/**
 * Takes an event that EasyPost sent. It contains all scans of the parcel so far, and each scan counts once, so events may
 * come twice, late and in any order.
 */
export async function receiveEasyPostEvent(
  deps: EnvironmentDeps,
  body: Buffer,
  signature: string | undefined,
): Promise<ReceivedEvent> {
  if (deps.providers.carrier !== "easypost") return "not_in_use";
  if (!isSigned(body, signature, deps.config.EASYPOST_WEBHOOK_SECRET)) return "not_signed";
  const tracker = trackerIn(body);
  if (tracker === null) return "unknown";
  const parcels = await listTrackedBy(deps.db, tracker.tracking_no, "production");
  const scans = scansOfTracker(tracker.events);
  for (const { account_id, order_number } of parcels) {
    let taken = false;
    for (let tries = 0; tries < MOST_TRIES && !taken; tries++) {
      taken = await takeScans(deps, account_id, order_number, tracker.tracking_no, scans);
    }
    // EasyPost sends the event again.
    if (!taken) throw new LostRaces();
  }
  return parcels.length === 0 ? "unknown" : "taken";
}

/** Null for an event that tells nothing about a parcel. */
function trackerIn(body: Buffer): EasyPostTracker | null {
  try {
    const { description, result } = JSON.parse(body.toString("utf8")) as Record<string, unknown>;
    return description === "tracker.updated" || description === "tracker.created" ? readTracker(result) : null;
  } catch (error) {
    if (error instanceof ProviderUnavailable || error instanceof SyntaxError || error instanceof TypeError) return null;
    throw error;
  }
}
