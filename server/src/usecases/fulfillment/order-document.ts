import type { DocumentKind, Paper } from "@pestle/contract";
import { loadPrinted, type PrintedItem } from "../../db/fulfillment/dispenses.ts";
import { loadShipmentLabel, shipmentLabelPlace } from "../../db/fulfillment/shipments.ts";
import { detailsPlace } from "../../db/patients/patients.ts";
import type { Deps } from "../../deps.ts";
import {
  type DispensedItem,
  type PackingSlip,
  type PrintedText,
  pharmacyFacts,
  textsOfItem,
  textsOfPharmacy,
  textsOfSlip,
} from "../../domain/fulfillment/documents.ts";
import { refillsLeft } from "../../domain/intake/prescription.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { lineDifferences } from "../../domain/values/line-differences.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { type LoadedOrder, loadChangingOrder } from "../orders/load-order.ts";
import { carrierOf, newestLabel, printable } from "./parcels/parcel-label.ts";
import { requirePrintable } from "./require-printable.ts";
import type { Work } from "./steps.ts";
import { WorkRefusal } from "./work-refusal.ts";

export type PrintedDocument = { kind: DocumentKind; format: "PDF" | "PNG" | "ZPL"; bytes: Buffer };

/** A parcel that has shipped, or whose label is printed. */
type Parcel = { tracking_no: string; carrier: string; ship_date: string };

/**
 * Prints a document from the order's current data; the shipping label is the stored one. The document names patient and
 * drug, so the log records who printed which document, and none of its content.
 */
export async function orderDocument(
  deps: Deps,
  work: Work,
  kind: DocumentKind,
  item_id: number | null = null,
  slip_paper: Paper = "letter",
): Promise<PrintedDocument> {
  const document = await withKeysOfNow(deps, () =>
    kind === "label" ? keptLabel(deps, work) : drawn(deps, work, kind, item_id, slip_paper),
  );
  const { account_id, order_number, by } = work;
  deps.log.info({ account_id, order_number, document: kind, person_id: by.person_id }, "printed a document");
  return document;
}

async function keptLabel(deps: Deps, { account_id, order_number }: Work): Promise<PrintedDocument> {
  const row = await loadShipmentLabel(deps.db, account_id, order_number);
  if (row === undefined) return readyLabel(deps, account_id, order_number);
  const { label_format: format, tracking_url } = row;
  const kept = deps.vault.open(row.label_sealed, shipmentLabelPlace(account_id, order_number, row.shipment_id));
  // A partner's label has no tracking address. 0.1.0 stored such labels as they came.
  const label = await printable(deps, kept);
  const bytes = tracking_url === null ? await deps.documents.cleanLabel(format, label) : label;
  if (bytes === undefined) throw new WorkRefusal("label_unsafe");
  return { kind: "label", format, bytes };
}

/** The label of an order that is being packed. */
async function readyLabel(deps: Deps, account_id: string, order_number: string): Promise<PrintedDocument> {
  const { printed, fits } = await newestLabel(deps, await loadChangingOrder(deps, deps.db, account_id, order_number));
  if (printed === null || !fits) throw new WorkRefusal("not_shipped");
  return { kind: "label", format: printed.format, bytes: printed.data };
}

async function drawn(
  deps: Deps,
  { account_id, order_number }: Work,
  kind: Exclude<DocumentKind, "label">,
  item_id: number | null,
  slip_paper: Paper,
): Promise<PrintedDocument> {
  const loaded = await loadChangingOrder(deps, deps.db, account_id, order_number);
  const printed = (await loadPrinted(deps.db, account_id, order_number))!;
  const pharmacy = pharmacyFacts(deps.config);
  const checked = async <Data>(data: Data, texts: (data: Data) => PrintedText[]): Promise<Data> => {
    await requirePrintable(deps, [...textsOfPharmacy(pharmacy), ...texts(data)]);
    return data;
  };
  const item = () => checked(dispensed(deps, loaded, printed, item_id), textsOfItem);
  const slip = async () => checked(slipOf(loaded, printed, await parcelOf(deps, loaded)), textsOfSlip);
  const draw = {
    slip: async () => deps.documents.packingSlip(pharmacy, await slip(), slip_paper),
    prescription: async () => deps.documents.prescriptionLabel(pharmacy, await item()),
    leaflet: async () => deps.documents.leaflet(pharmacy, await item()),
  };
  return { kind, format: "PDF", bytes: await draw[kind]() };
}

type Printed = NonNullable<Awaited<ReturnType<typeof loadPrinted>>>;

function dispensed(
  deps: Pick<Deps, "vault">,
  loaded: LoadedOrder,
  printed: Printed,
  item_id: number | null,
): DispensedItem {
  const { order, prescriptions, details, record, rules } = loaded;
  const prescribed = order.items.filter(({ prescription_id }) => prescription_id !== null);
  if (item_id === null && prescribed.length > 1) throw new WorkRefusal("which_item");
  const item = item_id === null ? prescribed[0] : prescribed.find((one) => one.item_id === item_id);
  if (item === undefined) throw new WorkRefusal("unknown_item");
  const { lots, lot_expires_on, ingredients, units } = details.find((one) => one.item_id === item.item_id)!;
  const lot = lotNames(lots);
  if (lot === null || lot_expires_on === null || printed.filled_at === null) throw new WorkRefusal("not_filled");
  const prescription = prescriptions.find((one) => one.prescription_id === item.prescription_id)!;
  const { name, cold_chain, drug_schedule, unit, first_filled_at, details_sealed } = ofItem(printed, item.item_id);
  const filled_date = dateIn(rules.time_zone, printed.filled_at);
  const first_filled_date = first_filled_at === null ? null : dateIn(rules.time_zone, new Date(first_filled_at));
  return {
    prescription_id: prescription.prescription_id,
    dispense_id: item.dispense_id,
    order_number: order.order_number,
    filled_date,
    patient: { first_name: record.first_name, last_name: record.last_name },
    // The product in the package, which may differ from the prescribed one.
    drug_name: name,
    ndc: item.ndc ?? "",
    prescribed_as: prescribedAs({ name, ndc: item.ndc, units, schedule: drug_schedule }, prescription),
    ingredients,
    drug_schedule,
    cold_chain,
    lot,
    lot_expires_on,
    sig_text: prescription.sig_text,
    quantity: item.quantity,
    package_size: item.package_size,
    unit,
    days_supply: prescription.days_supply,
    refills_left: refillsLeft(prescription),
    prescriber_name: prescription.prescriber_name,
    first_filled_date: first_filled_date === filled_date ? null : first_filled_date,
    pharmacist_name: printed.pharmacist_name,
    purpose: purposeOf(deps, loaded.account_id, prescription.prescription_id, details_sealed),
    state: order.address?.state ?? null,
    sandbox: loaded.environment === "sandbox",
  };
}

/** The first diagnosis that the prescriber named in words. */
function purposeOf(
  { vault }: Pick<Deps, "vault">,
  account_id: string,
  prescription_id: number,
  sealed: string | null,
): string | null {
  if (sealed === null) return null;
  const opened = vault.open(Buffer.from(sealed, "base64"), detailsPlace(account_id, prescription_id));
  const { diagnoses = [] } = JSON.parse(opened.toString("utf8")) as { diagnoses?: { description: string | null }[] };
  return diagnoses.find(({ description }) => description !== null)?.description ?? null;
}

/** The name and the NDC of the prescription where they differ, so that the label never hides a substitution. */
function prescribedAs(...compared: Parameters<typeof lineDifferences>): string | null {
  const differences = lineDifferences(...compared);
  const written = (field: "product" | "ndc") => differences.find((one) => one.field === field)?.prescribed;
  const ndc = written("ndc");
  return [written("product") ?? [], ndc === undefined ? [] : `NDC ${ndc}`].flat().join(", ") || null;
}

async function parcelOf(deps: Deps, loaded: LoadedOrder): Promise<Parcel> {
  const { order, rules } = loaded;
  const [shipment] = order.shipments;
  if (shipment !== undefined) {
    const ship_date = dateIn(rules.time_zone, new Date(shipment.shipped_at));
    return { tracking_no: shipment.tracking_no, carrier: shipment.carrier, ship_date };
  }
  const { printed, fits } = await newestLabel(deps, loaded);
  if (printed === null || !fits) throw new WorkRefusal("not_shipped");
  return { tracking_no: printed.tracking_no, carrier: carrierOf(loaded), ship_date: rules.today };
}

function slipOf(
  { order, details, rules, environment }: LoadedOrder,
  printed: Printed,
  { tracking_no, carrier, ship_date }: Parcel,
): PackingSlip {
  if (order.address === null) throw new WorkRefusal("no_address");
  const method = rules.formulary.known_methods.get(order.shipping_method_id);
  return {
    order_number: order.order_number,
    reference: order.reference,
    brand_name: printed.brand_name,
    ship_date,
    carrier,
    service: method?.service ?? order.shipments[0]?.method ?? "",
    tracking_no,
    to: order.address,
    items: order.items.map(({ item_id, ndc, quantity, package_size }) => {
      const { lots, lot_expires_on } = details.find((one) => one.item_id === item_id)!;
      const { name } = ofItem(printed, item_id);
      return { name, ndc, quantity, package_size, lot: lotNames(lots), lot_expires_on };
    }),
    sandbox: environment === "sandbox",
  };
}

/** All lots, the first to expire first: its date is the one that is printed. */
const lotNames = (lots: readonly { lot: string }[]): string | null =>
  lots.length === 0 ? null : lots.map(({ lot }) => lot).join(", ");

const ofItem = ({ items }: Printed, item_id: number): PrintedItem => items.find((one) => one.item_id === item_id)!;
