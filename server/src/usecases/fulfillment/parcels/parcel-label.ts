import type { LabelFormat } from "@pestle/contract";
import { loadNewestLabel, type ParcelLabelRow, parcelLabelPlace } from "../../../db/fulfillment/parcel-labels.ts";
import type { Deps } from "../../../deps.ts";
import { pharmacyFacts, textsOfParcel, textsOfPharmacy } from "../../../domain/fulfillment/documents.ts";
import { dateIn } from "../../../domain/values/calendar.ts";
import { canonicalJson } from "../../../domain/values/canonical-json.ts";
import { withKeysOfNow } from "../../../vault/vault.ts";
import type { LoadedOrder } from "../../orders/load-order.ts";
import { requirePrintable } from "../require-printable.ts";
import { WorkRefusal } from "../work-refusal.ts";
import { labelPostage } from "./label-postage.ts";
import { refuseLabel } from "./refuse-label.ts";

export type ParcelLabel = {
  tracking_no: string;
  tracking_url: string | null;
  format: LabelFormat;
  data: Buffer;
};
/** A label that someone has printed. */
type PrintedLabel = ParcelLabel & { label_id: number; printed_at: Date; printed_by: string };

/** The order's last printed label, and whether it fits the order as it is now. */
export type NewestLabel = { label_id: number; printed: PrintedLabel | null; fits: boolean };
const NONE: NewestLabel = { label_id: 0, printed: null, fits: false };

/** What a label depends on. If it changes, the label must not go on the parcel. */
const madeFor = ({ order }: LoadedOrder): string =>
  canonicalJson({
    address: order.address,
    shipping_method_id: order.shipping_method_id,
    signature_confirmation: order.signature_confirmation,
  });

/** A label that shipped or was voided counts for its number alone. */
export async function newestLabel(
  deps: Pick<Deps, "db" | "vault">,
  loaded: LoadedOrder,
  db = deps.db,
): Promise<NewestLabel> {
  const { account_id, order } = loaded;
  return withKeysOfNow(deps, async () => {
    const row = await loadNewestLabel(db, account_id, order.order_number);
    if (row === undefined) return NONE;
    if (row.content_sealed === null) return { ...NONE, label_id: row.label_id };
    const { made_for, ...printed } = openLabel(deps, loaded, { ...row, content_sealed: row.content_sealed });
    return { label_id: row.label_id, printed, fits: made_for === madeFor(loaded) };
  });
}

function openLabel(
  deps: Pick<Deps, "vault">,
  { account_id, order }: LoadedOrder,
  row: ParcelLabelRow & { content_sealed: Buffer },
): PrintedLabel & { made_for: string } {
  const { label_id, tracking_no, tracking_url, label_format: format, printed_at, printed_by } = row;
  const opened = deps.vault.open(row.content_sealed, parcelLabelPlace(account_id, order.order_number, label_id));
  const { made_for, label } = JSON.parse(opened.toString("utf8")) as { made_for: string; label: string };
  const data = Buffer.from(label, "base64");
  return { label_id, tracking_no, tracking_url, format, data, printed_at, printed_by, made_for };
}

export function sealLabel(
  deps: Pick<Deps, "vault">,
  loaded: LoadedOrder,
  { data }: ParcelLabel,
  label_id: number,
): Buffer {
  const content = { made_for: madeFor(loaded), label: data.toString("base64") };
  const place = parcelLabelPlace(loaded.account_id, loaded.order.order_number, label_id);
  return deps.vault.seal(Buffer.from(JSON.stringify(content)), place);
}

/** The order number for the first label, so that an interrupted call can be repeated. A later label is a new one. */
const labelKey = (order_number: string, label_id: number): string =>
  label_id === 1 ? order_number : `${order_number}-${label_id}`;

/**
 * The partner's own label if it sent a printable one, else the carrier's. With `drawn: false`, the data of a label that we
 * draw ourselves is what it is drawn from: few people open a label of the sandbox.
 */
export async function makeLabel(
  deps: Deps,
  loaded: LoadedOrder,
  label_id: number,
  { drawn = true } = {},
): Promise<ParcelLabel> {
  const { order, rules } = loaded;
  const method = rules.formulary.known_methods.get(order.shipping_method_id)!;
  const sent = loaded.custom_label();
  // 0.1.0 stored labels as they came.
  const own =
    sent === null || order.label === null ? undefined : await deps.documents.cleanLabel(order.label.format, sent);
  if (own !== undefined && order.label !== null) {
    const tracking_no = order.label.tracking_no ?? order.order_number;
    return { tracking_no, tracking_url: null, format: order.label.format, data: own };
  }
  const request = {
    key: labelKey(order.order_number, label_id),
    carrier: method.carrier,
    service: method.service,
    signature_confirmation: order.signature_confirmation,
    from: pharmacyFacts(deps.config),
    to: order.address!,
    reference: order.reference,
    ship_date: dateIn(rules.time_zone, rules.now),
    sandbox: loaded.environment === "sandbox",
  };
  await requirePrintable(deps, [...textsOfPharmacy(request.from), ...textsOfParcel(request)]);
  const refusal = loaded.environment === "production" ? carrierRefusal(deps) : null;
  if (refusal !== null) throw new WorkRefusal(refusal);
  const carrier = deps.carriers[loaded.environment];
  const about = { account_id: loaded.account_id, order_number: order.order_number };
  const planned = drawn ? undefined : carrier.planLabel?.(request);
  if (planned !== undefined) {
    const { drawn_from, ...numbered } = planned;
    return { ...numbered, format: "PDF", data: Buffer.from(`${PLANNED}${JSON.stringify(drawn_from)}`) };
  }
  const postage = carrier.sells_postage && (await labelPostage(deps, loaded, label_id, madeFor(loaded)));
  const { tracking_no, tracking_url, label } = await carrier
    .createLabel({ ...request, about, ...(postage && { postage }) })
    .catch(refuseLabel);
  return { tracking_no, tracking_url, format: label.format, data: label.data };
}

/** Why production gets no label from a carrier; null if it does. */
export function carrierRefusal({ providers }: Pick<Deps, "providers">) {
  if (providers.carrier === null) return "no_carrier" as const;
  if (providers.carrier === "none") return "partner_labels_only" as const;
  return providers.carrier === "manual" ? ("tracking_needed" as const) : null;
}

/** Who makes the label of this order. A partner's label is used if it sent one. */
export function labelSource(deps: Pick<Deps, "providers">, { environment, order }: LoadedOrder) {
  if (order.label !== null) return "partner" as const;
  const refusal = environment === "production" ? carrierRefusal(deps) : null;
  if (refusal === null) return "carrier" as const;
  return refusal === "tracking_needed" ? ("staff" as const) : ("nobody" as const);
}

/** No PDF begins like this. */
const PLANNED = "drawn from ";

/** A stored label as it is printed: one that is not drawn yet is drawn now. */
export const printable = async (deps: Pick<Deps, "documents">, data: Buffer): Promise<Buffer> => {
  if (!data.subarray(0, PLANNED.length).equals(Buffer.from(PLANNED))) return data;
  return deps.documents.shippingLabel(JSON.parse(data.toString("utf8").slice(PLANNED.length)));
};

/** The carrier of the parcel, as its shipment will name it. */
export const carrierOf = ({ order, rules }: LoadedOrder): string =>
  order.label?.carrier ?? rules.formulary.known_methods.get(order.shipping_method_id)!.carrier;
