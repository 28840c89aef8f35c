import type { LabelFormat } from "@pestle/contract";
import type { OfferedRate } from "../../../domain/fulfillment/carrier-services.ts";
import { adjustmentReason, type PostageAdjustment } from "../../../domain/fulfillment/postage.ts";
import type { TrackerEvent } from "../../../domain/fulfillment/tracker-scans.ts";
import { ProviderUnavailable } from "../../providers/provider-client.ts";

/** A shipment of EasyPost, as far as Pestle reads it. The part from `rate` on is null until its postage is bought. */
export type EasyPostShipment = {
  id: string;
  rates: OfferedRate[];
  rate: OfferedRate | null;
  tracking_no: string | null;
  /** Everything that EasyPost charged for the label, surcharges included. */
  paid_cents: number;
  label: { url: string; format: LabelFormat } | null;
  refund: "none" | "submitted" | "refunded" | "rejected";
};

export type EasyPostTracker = { tracking_no: string; carrier: string | null; events: TrackerEvent[] };

/** Reads a shipment, or throws: an answer in another form is no answer. */
export function readShipment(body: unknown): EasyPostShipment {
  const it = fields(body);
  const label = it["postage_label"] == null ? null : fields(it["postage_label"]);
  const rate = it["selected_rate"] == null ? null : readRate(it["selected_rate"]);
  const tracking_no = optional(it["tracking_code"]);
  if (rate !== null && (label === null || tracking_no === null)) throw unexpected();
  return {
    id: text(it["id"]),
    rates: list(it["rates"]).flatMap((one) => (fields(one)["currency"] === "USD" ? [readRate(one)] : [])),
    rate,
    tracking_no,
    paid_cents: list(it["fees"] ?? []).reduce<number>((sum, fee) => {
      const { charged, refunded, amount } = fields(fee);
      return charged === true && refunded !== true ? sum + cents(amount) : sum;
    }, 0),
    label: rate === null || label === null ? null : readLabel(label),
    refund: refunds[optional(it["refund_status"]) ?? ""] ?? "none",
  };
}

const refunds: Readonly<Record<string, EasyPostShipment["refund"]>> = {
  submitted: "submitted",
  queued: "submitted",
  refunded: "refunded",
  // The label cost nothing.
  not_applicable: "refunded",
  rejected: "rejected",
};

function readRate(body: unknown): OfferedRate {
  const { id, carrier, service, rate } = fields(body);
  return { id: text(id), carrier: text(carrier), service: text(service), cents: cents(rate) };
}

const types: Readonly<Record<string, LabelFormat>> = {
  "application/pdf": "PDF",
  "image/png": "PNG",
  "application/zpl": "ZPL",
};

function readLabel(label: Fields): EasyPostShipment["label"] {
  const pdf = optional(label["label_pdf_url"]);
  if (pdf !== null) return { url: pdf, format: "PDF" };
  const zpl = optional(label["label_zpl_url"]);
  if (zpl !== null) return { url: zpl, format: "ZPL" };
  const format = types[optional(label["label_file_type"]) ?? ""];
  if (format === undefined) throw unexpected();
  return { url: text(label["label_url"]), format };
}

/** Reads a tracker. Events in another form are left out: one bad scan must not hide the others. */
export function readTracker(body: unknown): EasyPostTracker {
  const it = fields(body);
  const events = list(it["tracking_details"] ?? []).flatMap((one): TrackerEvent[] => {
    const { status, status_detail, datetime, tracking_location } = fields(one);
    const at = new Date(typeof datetime === "string" ? datetime : Number.NaN);
    if (typeof status !== "string" || Number.isNaN(at.getTime())) return [];
    const state = tracking_location == null ? null : optional(fields(tracking_location)["state"]);
    return [{ status, detail: optional(status_detail), at, state }];
  });
  return {
    tracking_no: text(it["tracking_code"]),
    carrier: optional(it["carrier"]),
    events: events.slice(-MOST_EVENTS),
  };
}
const MOST_EVENTS = 200;

/**
 * Reads an invoice of a shipment: the carrier measured the parcel and corrected the price of its label. Null without a
 * correction.
 */
export function readInvoice(body: unknown): { tracking_no: string; adjustment: PostageAdjustment } | null {
  const it = fields(body);
  const amount_cents = signedCents(it["adjustment_amount"]);
  if (amount_cents === 0) return null;
  const reason = adjustmentReason(optional(it["adjustment_reason"]) ?? "");
  const invoice_id = text(it["id"]).slice(0, 100);
  return { tracking_no: text(it["tracking_code"]), adjustment: { invoice_id, amount_cents, reason } };
}

/** The code of EasyPost's error; undefined if the answer is none. */
export function errorCodeOf(body: unknown): string | undefined {
  const code = ((body ?? {}) as { error?: { code?: unknown } }).error?.code;
  return typeof code === "string" ? code : undefined;
}

type Fields = Record<string, unknown>;
export const unexpected = () => new ProviderUnavailable("easypost", "unexpected_answer");

export function fields(value: unknown): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw unexpected();
  return value as Fields;
}
export function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw unexpected();
  return value;
}
function text(value: unknown): string {
  if (typeof value !== "string" || value === "") throw unexpected();
  return value;
}
export const optional = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** EasyPost writes money as text, such as "5.93000". */
function cents(value: unknown): number {
  const amount = signedCents(value);
  if (amount < 0) throw unexpected();
  return amount;
}

function signedCents(value: unknown): number {
  const amount = Number(value);
  if (value === null || value === "" || !Number.isFinite(amount)) throw unexpected();
  return Math.round(amount * 100);
}
