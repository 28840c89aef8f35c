import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import easypost from "@easypost/api";
import type { Address } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readVerification } from "../../../src/adapters/addresses/easypost/easypost-addresses.ts";
import { errorCodeOf, readShipment, readTracker } from "../../../src/adapters/carriers/easypost/read-answers.ts";
import { isSigned } from "../../../src/adapters/carriers/easypost/webhook-signature.ts";
import { isTrackingNumber } from "../../../src/adapters/carriers/tracking-numbers.ts";
import { chooseRate, serviceOf } from "../../../src/domain/fulfillment/carrier-services.ts";
import { LOST_AFTER_DAYS, lostScan, scansOfTracker } from "../../../src/domain/fulfillment/tracker-scans.ts";
import { judgeVerified } from "../../../src/domain/values/address/verified-address.ts";
import { type EasyPostStandIn, startEasyPost } from "../../support/stand-ins/easypost.ts";

let service: EasyPostStandIn;
beforeAll(async () => {
  service = await startEasyPost();
});
afterAll(() => service.close());

const address: Address = {
  first_name: "Ada",
  last_name: "Lindqvist",
  street1: "179 North Harbor Drive",
  street2: null,
  city: "Redondo Beach",
  state: "CA",
  zip: "90277",
  phone: null,
};
const valid = { result: "valid" as const, reasons: [], kind: "street" as const, suggestions: [] };
const at = (text: string) => new Date(text);

/** Its types describe a module with a default export. Node gets the class itself. */
const EasyPostClient = easypost as unknown as typeof easypost.default;

describe("EasyPost's own library and the stand-in agree", () => {
  test("on shipments, labels, refunds, trackers, addresses and signatures", async () => {
    const client = new EasyPostClient(service.key, { baseUrl: `${service.base_url}/v2/` });
    const place = { street1: "1 Elm St", city: "Reno", state: "NV", zip: "89501", country: "US" };
    const shipment = await client.Shipment.create({
      reference: "7K2M9XQ4TB",
      to_address: place,
      from_address: place,
      parcel: { length: 9, width: 6, height: 3, weight: 8 },
      options: { label_format: "PDF" },
    } as never);
    const bought = await client.Shipment.buy(shipment.id, shipment.lowestRate(["USPS"], ["Priority"]));
    expect(readShipment(JSON.parse(JSON.stringify(bought)))).toMatchObject({
      id: shipment.id,
      rate: { carrier: "USPS", service: "Priority", cents: 690 },
      paid_cents: 690,
      label: { format: "PDF" },
      refund: "none",
    });
    await expect(client.Shipment.buy(shipment.id, shipment.rates[0]!)).rejects.toMatchObject({
      code: "SHIPMENT.POSTAGE.EXISTS",
    });
    const tracker = await client.Tracker.create({ tracking_code: bought.tracking_code } as never);
    expect((await client.Tracker.retrieve(tracker.id)).tracking_code).toBe(bought.tracking_code);
    expect((await client.Shipment.refund(shipment.id)).refund_status).toBe("submitted");
    const verified = await client.Address.create({ ...place, verify: true } as never);
    expect(verified.verifications.delivery.success).toBe(true);
    const { body, headers } = service.event(bought.tracking_code);
    expect(client.Utils.validateWebhook(Buffer.from(body), headers, service.webhook_secret)).toMatchObject({
      description: "tracker.updated",
    });
    const stranger = new EasyPostClient("EZAKother", { baseUrl: `${service.base_url}/v2/` });
    await expect(stranger.Tracker.all({})).rejects.toMatchObject({ statusCode: 401 });
  });
});

test("a webhook is signed only with the same secret over the same bytes", () => {
  const { body, headers } = service.event("9400100000000000000000");
  const signature = headers["x-hmac-signature"];
  expect(isSigned(Buffer.from(body), signature, service.webhook_secret)).toBe(true);
  expect(isSigned(Buffer.from(`${body} `), signature, service.webhook_secret)).toBe(false);
  expect(isSigned(Buffer.from(body), signature, "another")).toBe(false);
  expect(isSigned(Buffer.from(body), undefined, service.webhook_secret)).toBe(false);
  // Without a secret, an attacker could sign with the empty one.
  expect(isSigned(Buffer.from(body), signature, "")).toBe(false);
});

test("the rate that is bought is the mapped service's, the cheapest account's, and never another service's", () => {
  const offered = [
    { id: "a", carrier: "USPS", service: "Priority", cents: 690 },
    { id: "b", carrier: "USPS", service: "Priority", cents: 640 },
    { id: "c", carrier: "USPS", service: "GroundAdvantage", cents: 500 },
  ];
  expect(chooseRate(offered, { carrier: "usps", service: "priority" })?.id).toBe("b");
  expect(chooseRate(offered, { carrier: "USPS", service: "Express" })).toBeNull();
  expect(serviceOf({ carrier: "USPS", service: "Ground Advantage" })).toEqual({
    carrier: "USPS",
    service: "GroundAdvantage",
  });
  expect(serviceOf({ carrier: "UPS", service: "Ground Saver" })).toBeNull();
});

test("each status of a tracker becomes a scan in our words, without a city or the carrier's text", () => {
  const event = (status: string, detail: string | null = null) => ({
    status,
    detail,
    at: at("2026-03-02T10:00:00Z"),
    state: "NV",
  });
  const told = (status: string, detail: string | null = null) =>
    scansOfTracker([event(status, detail)]).map((scan) => [scan.status, scan.place, scan.description]);
  expect(told("pre_transit")).toEqual([["label_created", "NV", "The carrier knows the label."]]);
  expect(told("in_transit", "departed_facility")).toEqual([["in_transit", "NV", "Left a facility of the carrier."]]);
  expect(told("out_for_delivery")[0]![0]).toBe("out_for_delivery");
  expect(told("delivered")[0]![0]).toBe("delivered");
  expect(told("available_for_pickup")[0]![0]).toBe("exception");
  expect(told("return_to_sender")[0]![0]).toBe("returned");
  expect(told("failure")[0]![0]).toBe("exception");
  expect(told("failure", "lost")[0]![0]).toBe("lost");
  expect(told("cancelled")[0]![0]).toBe("exception");
  expect(told("error")).toEqual([]);
  expect(told("unknown")).toEqual([]);
});

test("a parcel without scans becomes lost after its transit time and ten days, always at the same moment", () => {
  const parcel = { shipped_at: at("2026-03-02T10:00:00Z"), transit_days: { min: 3, max: 5 } };
  const due = at(`2026-03-${7 + LOST_AFTER_DAYS}T10:00:00Z`);
  expect(lostScan(parcel, [], new Date(due.getTime() - 1))).toBeNull();
  expect(lostScan(parcel, [], due)?.at).toEqual(due);
  expect(lostScan(parcel, [], new Date(due.getTime() + 1e9))?.at).toEqual(due);
  const scan = (status: "in_transit" | "delivered", time: string) => ({
    ...{ at: at(time), status, place: null, description: "" },
  });
  expect(lostScan(parcel, [scan("in_transit", "2026-03-12T10:00:00Z")], due)).toBeNull();
  expect(lostScan(parcel, [scan("delivered", "2026-03-04T10:00:00Z")], new Date(due.getTime() + 1e12))).toBeNull();
});

test("the verdict of a verification: another spelling is the same, another place is a suggestion", () => {
  const found = { street1: "179 N HARBOR DR", street2: null, city: "REDONDO BEACH", state: "CA", zip: "90277-2506" };
  const judge = (more: Partial<Parameters<typeof judgeVerified>[2]>) =>
    judgeVerified(address, valid, { deliverable: true, codes: [], found, ...more });
  expect(judge({})).toBe(valid);
  const other = { ...found, zip: "90278-1111" };
  expect(judge({ found: other })).toMatchObject({
    result: "invalid",
    reasons: ["known_differently"],
    suggestions: [{ ...address, ...other }],
  });
  expect(judge({ codes: ["E.SECONDARY_INFORMATION.MISSING"] })).toMatchObject({ result: "unit_missing" });
  expect(judge({ deliverable: false, codes: ["E.ADDRESS.NOT_FOUND"], found: null })).toMatchObject({
    result: "invalid",
    reasons: ["not_found"],
  });
});

test("a typed tracking number needs the carrier's form and check digit", () => {
  const good = { USPS: "9400111899223197428497", UPS: "1Z999AA10123456784", FedEx: "986578788855" };
  for (const [carrier, number] of Object.entries(good)) {
    expect(isTrackingNumber(carrier, number), carrier).toBe(true);
    const last = (Number(number.at(-1)) + 1) % 10;
    expect(isTrackingNumber(carrier, `${number.slice(0, -1)}${last}`), carrier).toBe(false);
  }
  expect(isTrackingNumber("USPS", "EA123456785US")).toBe(true);
  expect(isTrackingNumber("USPS", "EA123456784US")).toBe(false);
  expect(isTrackingNumber("Courier", "ABC-12345")).toBe(true);
  expect(isTrackingNumber("Courier", "a b<script>")).toBe(false);
});

/** Recorded calls that Pestle does not make. */
const NOT_OURS: readonly (readonly [RegExp, string])[] = [
  [/^POST \/v2\/addresses\/create_and_verify/, "POST /v2/addresses with verify says the same"],
  [/^GET \/v2\/addresses/, "Pestle stores no addresses at EasyPost"],
  [/^POST \/v2\/parcels/, "a shipment contains its parcel"],
  [/\/v2\/refunds/, "a label is refunded by its shipment"],
  [/\/rerate$/, "Pestle makes a new shipment instead"],
  [/^GET \/v2\/shipments\?/, "the shipment's id is stored before the purchase"],
  [/\/v2\/webhooks/, "the operator enters the webhook on EasyPost's page"],
  [/^DELETE \/v2\/trackers/, "trackers end by themselves"],
];
const RECORDINGS = fileURLToPath(new URL("../../../../../shared/recordings/easypost", import.meta.url));

type Exchange = { method: string; path: string; body: unknown; status: number; answer: unknown };
describe.runIf(existsSync(RECORDINGS))("recorded exchanges", () => {
  const files = existsSync(RECORDINGS) ? readdirSync(RECORDINGS).filter((name) => name.endsWith(".json")) : [];
  test.each(files)("%s is read by Pestle, or listed as a call that it does not make", (name) => {
    const { exchanges } = JSON.parse(readFileSync(`${RECORDINGS}/${name}`, "utf8")) as { exchanges: Exchange[] };
    for (const { method, path, status, body, answer } of exchanges) {
      const call = `${method} ${path}`;
      if (NOT_OURS.some(([pattern]) => pattern.test(call))) continue;
      if (status >= 400) expect(errorCodeOf(answer), call).toMatch(/^[A-Z._]+$/);
      else if (path.startsWith("/v2/shipments")) {
        const shipment = readShipment(answer);
        expect(shipment.rates.length, call).toBeGreaterThan(0);
        if (path.endsWith("/buy")) expect(shipment).toMatchObject({ tracking_no: expect.any(String), label: {} });
      } else if (path.startsWith("/v2/trackers?")) {
        for (const one of (answer as { trackers: unknown[] }).trackers) expect(readTracker(one).events).toBeDefined();
      } else if (path.startsWith("/v2/trackers")) {
        const { events } = readTracker(answer);
        expect(scansOfTracker(events).length, call).toBe(events.length);
      } else if (path === "/v2/addresses") {
        // Without `verify`, there is no verdict, and Pestle always asks for one.
        if (!JSON.stringify(body).includes('"verify')) continue;
        expect(typeof readVerification(answer).deliverable).toBe("boolean");
      } else throw new Error(`${call} is neither read nor listed`);
    }
  });
});
