import { expect, test } from "vitest";
import { seededRandom } from "../../../../chaos/random.ts";
import { TESTED } from "../../../../chaos/server-process.ts";
import { judgeReceivers } from "../../../../chaos/webhook-ledger.ts";
import { campaignWebhooks } from "../../../../chaos/webhooks.ts";

// A small run of the campaign: `npm run campaign -- webhooks` runs it at full size.
const ENDPOINTS = 6;
const TIMEOUT_MS = 300_000;

test("every event reaches every healthy endpoint, despite hostile endpoints and kills", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { faults, arrived, events, process_kills, database_kills } = await campaignWebhooks({
    from: TESTED,
    deliveries: 960,
    endpoints: ENDPOINTS,
    hostile: ["hangs", "fails"],
    kills: 2,
    random: seededRandom(11),
  });
  expect(faults).toEqual([]);
  expect({ process_kills, database_kills }).toEqual({ process_kills: 1, database_kills: 1 });
  expect(arrived).toBe(160 * (ENDPOINTS - 2));
  // An endpoint without a list of types does not get ORDER_UPDATED; the feed has it.
  expect(events).toBeGreaterThan(160);
});

test("the campaign detects events that are missing, invented, changed, under a duplicate id, or out of order", () => {
  const journeys = [{ patient_id: "P", order_number: "O" }];
  const order = (event_type: string, sequence: number) => ({
    event_type,
    patient_id: "P",
    order_number: "O",
    sequence,
  });
  const told = [
    { event_type: "RX_RECEIVED", patient_id: "P" },
    order("RX_UPDATED", 1),
    order("ORDER_EXCEPTION", 1),
    order("RX_UPDATED", 2),
  ].map((body, index) => ({ event_id: `e${index}`, ...body }));
  const feed = new Set(told.map(({ event_id }) => event_id));
  const receiver = (bodies: { event_id: string }[], faults: string[] = []) => ({
    bodies: new Map(bodies.map((body) => [body.event_id, JSON.stringify(body)])),
    faults,
  });
  const judge = (...given: Parameters<typeof receiver>) => judgeReceivers(journeys, [receiver(...given)], feed);

  const late = [told[0]!, told[3]!, told[1]!, told[2]!];

  expect(judge(told)).toEqual([]);
  expect(judge(told, ["a signature does not verify"])).toEqual(["a signature does not verify"]);
  expect(judge(told.slice(1))).toEqual(["a prescription that an endpoint got no event for"]);
  expect(judge(told.slice(0, 3))).toEqual(["change 2 of an order told as nothing"]);
  expect(judge([told[0]!, told[1]!, told[3]!])).toEqual(["change 1 of an order told as RX_UPDATED"]);
  expect(judge(late)).toEqual(["changes out of order"]);
  const judgeRetried = (...retried: string[]) =>
    judgeReceivers(journeys, [{ ...receiver(late), retried: new Set(retried) }], feed);
  expect(judgeRetried("e1", "e2")).toEqual([]);
  expect(judgeRetried("e1")).toEqual(["changes out of order"]);
  expect(judge([...told, { event_id: "x", ...order("RX_UPDATED", 3) }])).toEqual([
    "an event that is not in the feed",
    "a change that was not made",
  ]);
  expect(judge([...told, { event_id: "e9", event_type: "RX_RECEIVED", patient_id: "Q" }])).toEqual([
    "an event that is not in the feed",
    "events about 1 that nobody knows",
  ]);
  const other = [{ ...told[0]!, patient_id: "P", more: 1 }, ...told.slice(1)];
  expect(judgeReceivers(journeys, [receiver(told), receiver(other)], feed)).toEqual([
    "an event with other bytes than elsewhere",
  ]);
});
