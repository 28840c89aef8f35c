import type { Address, LabelFormat } from "@pestle/contract";
import { type CarrierService, chooseRate } from "../../../domain/fulfillment/carrier-services.ts";
import type { PharmacyFacts } from "../../../domain/fulfillment/documents.ts";
import { LabelRefused, type PostageRequest } from "../../../domain/fulfillment/postage.ts";
import { lostScan, scansOfTracker } from "../../../domain/fulfillment/tracker-scans.ts";
import { type ProviderAnswer, type ProviderClient, ProviderUnavailable } from "../../providers/provider-client.ts";
import type { Carriers, LabelRequest } from "../carriers.ts";
import { carrierNamed } from "../tracking-numbers.ts";
import {
  type EasyPostShipment,
  type EasyPostTracker,
  errorCodeOf,
  fields,
  list,
  readInvoice,
  readShipment,
  readTracker,
  unexpected,
} from "./read-answers.ts";
import { isSigned } from "./webhook-signature.ts";

type About = LabelRequest["about"];

const HOUR_MS = 3600_000;
/** Webhooks tell the news first. A poll only finds what they missed. */
const POLL_MS = 4 * HOUR_MS;
const LONGEST_TRACKED_MS = 90 * 24 * HOUR_MS;

/**
 * Labels and tracking through EasyPost. A shipment costs nothing until its postage is bought, and EasyPost sells each
 * shipment's postage once. So its id is stored before the purchase, and an interrupted call goes on with the same one.
 */
export function easypostCarriers(
  client: ProviderClient,
  { label_format, webhook_secret }: { label_format: LabelFormat; webhook_secret: string },
): Carriers {
  const retrieve = async (id: string, about: About): Promise<EasyPostShipment | null> => {
    const path = `/v2/shipments/${encodeURIComponent(id)}`;
    const answer = await client.call({ method: "GET", path, ...(about && { about }), what: "read shipment" });
    // Another EasyPost account made it: the operator changed the key.
    if (answer.status === 404) return null;
    return readShipment(accepted(answer));
  };

  const create = async (request: LabelRequest, postage: PostageRequest): Promise<EasyPostShipment> => {
    const { length_in, width_in, height_in, weight_oz } = postage.parcel;
    const shipment = {
      reference: request.key,
      to_address: recipient(request.to),
      from_address: sender(request.from),
      parcel: { length: length_in, width: width_in, height: height_in, weight: weight_oz },
      options: {
        label_format,
        label_size: "4x6",
        ...(request.signature_confirmation && { delivery_confirmation: "SIGNATURE" }),
      },
    };
    const json = { shipment };
    const answer = await client.call({
      method: "POST",
      path: "/v2/shipments",
      json,
      ...(request.about && { about: request.about }),
      what: "create shipment",
    });
    return readShipment(accepted(answer));
  };

  /** Buys the chosen service's rate. If the answer is lost or says that it is bought already, the shipment itself tells. */
  const buy = async (shipment: EasyPostShipment, chosen: CarrierService, about: About): Promise<EasyPostShipment> => {
    const rate = chooseRate(shipment.rates, chosen);
    if (rate === null) throw new LabelRefused("no_rate", `${chosen.carrier} ${chosen.service}`);
    const path = `/v2/shipments/${encodeURIComponent(shipment.id)}/buy`;
    const bought = await client
      .call({ method: "POST", path, json: { rate: { id: rate.id } }, ...(about && { about }), what: "buy label" })
      .catch((error: unknown) => {
        if (error instanceof ProviderUnavailable) return error;
        throw error;
      });
    const unsure =
      bought instanceof ProviderUnavailable ||
      ["SHIPMENT.POSTAGE.EXISTS", "SHIPMENT.PURCHASE.IN_PROGRESS"].includes(errorCodeOf(bought.body) ?? "");
    if (!unsure) return readShipment(accepted(bought));
    const now_is = await retrieve(shipment.id, about);
    if (now_is?.rate != null) return now_is;
    throw bought instanceof ProviderUnavailable ? bought : new ProviderUnavailable("easypost", "purchase_in_progress");
  };

  const labelOf = async ({ url, format }: NonNullable<EasyPostShipment["label"]>, about: About): Promise<Buffer> => {
    if (!URL.canParse(url)) throw unexpected();
    const { origin, pathname, search } = new URL(url);
    const path = `${pathname}${search}`;
    const answer = await client.call({
      method: "GET",
      origin,
      path,
      bytes: true,
      ...(about && { about }),
      what: "fetch label",
    });
    const file = answer.body;
    if (answer.status !== 200 || !Buffer.isBuffer(file) || !begins[format](file)) throw unexpected();
    return file;
  };

  const findTracker = async (tracking_no: string, carrier: string, about: About): Promise<EasyPostTracker | null> => {
    const query = new URLSearchParams({ tracking_code: tracking_no, page_size: "5" });
    const path = `/v2/trackers?${query.toString()}`;
    const found = accepted(await client.call({ method: "GET", path, ...(about && { about }), what: "read tracker" }));
    const known = list(fields(found)["trackers"]).map(readTracker);
    const same = known.find((one) => one.tracking_no === tracking_no);
    if (same !== undefined) return same;
    // A label of the partner or of other software. EasyPost returns the same tracker for the same number.
    const json = { tracker: { tracking_code: tracking_no, ...(carrierNamed(carrier) && { carrier }) } };
    const made = await client.call({
      method: "POST",
      path: "/v2/trackers",
      json,
      ...(about && { about }),
      what: "create tracker",
    });
    // EasyPost does not know the carrier or the number. A person can still record what the carrier says.
    return made.status === 422 ? null : readTracker(accepted(made));
  };

  return {
    sells_postage: true,
    async createLabel(request) {
      const { postage, about } = request;
      if (postage === undefined) throw new Error("EasyPost needs to know what to buy");
      if (postage.service === null) throw new LabelRefused("no_service", postage.method);
      const known = await postage.known();
      let shipment = known === null ? null : await retrieve(known, about);
      if (shipment === null) {
        shipment = await create(request, postage);
        const kept = await postage.keep(shipment.id);
        // Someone else printed at the same moment. A shipment that is not bought costs nothing.
        if (kept !== shipment.id) shipment = (await retrieve(kept, about)) ?? shipment;
      }
      if (shipment.rate === null) {
        shipment = await buy(shipment, postage.service, about).catch(async (error: unknown) => {
          // EasyPost said no, so the next try makes a new shipment.
          if (error instanceof LabelRefused) await postage.abandon();
          throw error;
        });
      }
      const { rate, tracking_no, label, paid_cents } = shipment;
      if (rate === null || tracking_no === null || label === null) throw unexpected();
      const { carrier, service, cents: rate_cents } = rate;
      await postage.bought({ tracking_no, carrier, service, rate_cents, paid_cents });
      const data = await labelOf(label, about);
      const tracking_url = carrierNamed(carrier)?.url(tracking_no) ?? null;
      return { tracking_no, tracking_url, label: { format: label.format, data } };
    },
    async voidLabel({ provider_ref, about }) {
      if (provider_ref === null) return "done";
      const path = `/v2/shipments/${encodeURIComponent(provider_ref)}/refund`;
      const answer = await client.call({
        method: "POST",
        path,
        json: {},
        ...(about && { about }),
        what: "refund label",
      });
      if (answer.status < 300) return refundState(readShipment(answer.body).refund);
      if (answer.status === 401 || answer.status === 403) accepted(answer);
      // Not bought, refunded before, or used: the shipment tells which.
      const shipment = await retrieve(provider_ref, about);
      if (shipment === null || shipment.rate === null) return "done";
      return shipment.refund === "none" ? "refused" : refundState(shipment.refund);
    },
    async track({ tracking_no, carrier, about, ...parcel }, now) {
      const tracker = await findTracker(tracking_no, carrier, about);
      const scans = scansOfTracker(tracker?.events ?? []);
      const lost = lostScan(parcel, scans, now);
      return lost === null ? scans : [...scans, lost];
    },
    readEvent(body, signature) {
      if (!isSigned(body, signature, webhook_secret)) return "not_signed";
      return newsIn(body);
    },
    nextLookAt({ shipped_at, untracked }, now) {
      if (untracked || now.getTime() - shipped_at.getTime() > LONGEST_TRACKED_MS) return null;
      return new Date(now.getTime() + POLL_MS);
    },
  };
}

/** Null for an event that tells nothing about a parcel. */
function newsIn(body: Buffer): ReturnType<NonNullable<Carriers["readEvent"]>> {
  try {
    const { description, result } = fields(JSON.parse(body.toString("utf8")));
    if (description === "shipment.invoice.created" || description === "shipment.invoice.updated") {
      return readInvoice(result);
    }
    if (description !== "tracker.updated" && description !== "tracker.created") return null;
    const { tracking_no, events } = readTracker(result);
    return { tracking_no, scans: scansOfTracker(events) };
  } catch (error) {
    if (error instanceof ProviderUnavailable || error instanceof SyntaxError) return null;
    throw error;
  }
}

const refundState = (refund: EasyPostShipment["refund"]): "done" | "asked" | "refused" =>
  refund === "refunded" ? "done" : refund === "rejected" ? "refused" : "asked";

/** How the files of each format begin. */
const begins: Readonly<Record<LabelFormat, (file: Buffer) => boolean>> = {
  PDF: (file) => file.subarray(0, 5).toString("latin1") === "%PDF-",
  PNG: (file) => file.subarray(1, 4).toString("latin1") === "PNG",
  ZPL: (file) => file.subarray(0, 200).toString("latin1").includes("^XA"),
};

/** The body of a success. A refusal becomes a sentence for the operator, without text of EasyPost: it may name a person. */
function accepted({ status, body }: ProviderAnswer): unknown {
  if (status < 300) return body;
  const code = errorCodeOf(body) ?? `HTTP ${status}`;
  if (status === 401 || status === 403) throw new LabelRefused("key", code);
  if (status === 402 || code === "PAYMENT_REQUIRED") throw new LabelRefused("balance", code);
  if (code.startsWith("ADDRESS.")) throw new LabelRefused("address", code);
  throw new LabelRefused("other", /^[A-Z0-9_.]{1,60}$/.test(code) ? code : `HTTP ${status}`);
}

const recipient = ({ first_name, last_name, street1, street2, city, state, zip, phone }: Address) => ({
  name: `${first_name} ${last_name}`,
  street1,
  ...(street2 !== null && { street2 }),
  city,
  state,
  zip,
  country: "US",
  ...(phone != null && { phone }),
});

const sender = ({ name, street, city, state, zip, phone }: PharmacyFacts) => ({
  company: name,
  street1: street,
  city,
  state,
  zip,
  country: "US",
  phone,
});
