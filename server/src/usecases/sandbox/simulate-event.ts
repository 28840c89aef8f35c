import { compactAsciiJson, eventTypeNames, isEventType, ORDER_NUMBER_PATTERN } from "@pestle/contract";
import type { Tx } from "../../db/db.ts";
import { lockSimulated } from "../../db/sandbox/simulations.ts";
import { insertEvent } from "../../db/webhooks/new-event.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import type { Problem } from "../../domain/values/refusals.ts";
import { refuseAll } from "../../domain/values/refusals.ts";
import { notOneOf } from "../../domain/values/unknown-fields.ts";
import { randomEventId } from "../../random.ts";
import { sealBody } from "../webhooks/event-body.ts";
import type { Simulation } from "./simulation.ts";

/** As long as the body of a real event can be, with a margin. */
const MOST_EVENT_BYTES = 64 * 1024;

/** Only the service sets these fields. */
const OURS = ["event_id", "timestamp"];

/** `{"event_type":"RX_RECEIVED", …}` sends an event as given, to test a receiver. It changes nothing else. */
export const simulateEvent: Simulation = (deps, { account_id }, simulation, problems) => {
  const { event_type, ...rest } = simulation;
  const known = typeof event_type === "string" && isEventType(event_type);
  if (!known) problems.push(notOneOf("simulation.event_type", event_type, eventTypeNames));
  problems.push(
    ...OURS.filter((field) => Object.hasOwn(rest, field)).map(
      (field): Problem => ({ code: 42200, field: `simulation.${field}`, problem: "not_allowed" }),
    ),
  );
  if (Buffer.byteLength(compactAsciiJson(rest)) > MOST_EVENT_BYTES) {
    problems.push({
      code: 42200,
      field: "simulation",
      problem: "not_allowed",
      message: "A simulated event has at most 64 KiB.",
    });
  }
  refuseAll(problems);
  const attempt = async (tx: Tx) => {
    // The token's copy of the clock can be older than the last move.
    const { clock_offset_s } = await lockSimulated(tx, account_id);
    const now = accountNow(deps.now(), clock_offset_s);
    const event_id = randomEventId();
    const timestamp = Math.floor(now.getTime() / 1000);
    await insertEvent(tx, {
      account_id,
      event_id,
      event_type: event_type as string,
      // The feed filters by this column; a malformed value appears only in the body.
      order_number: orderNumber(rest["order_number"]),
      body_sealed: sealBody(
        deps.vault,
        { account_id, event_id },
        compactAsciiJson({ event_id, event_type, timestamp, ...rest }),
      ),
      created_at: now,
    });
    return { event_id };
  };
  return { attempt };
};

const orderNumber = (value: unknown): string | null =>
  typeof value === "string" && new RegExp(ORDER_NUMBER_PATTERN).test(value) ? value : null;
