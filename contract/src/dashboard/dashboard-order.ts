import type { ActionKey } from "../actions.ts";
import type { Environment } from "../endpoints/oauth.ts";
import type { ExceptionId } from "../exceptions.ts";
import type { DrugSchedule, labelFormats, SafetyKind, SafetySource, SafetyStatus, ShipmentStatus } from "../fields.ts";
import type { OrderState, OrderStatus, Stage, TransitionEvent } from "../lifecycle.ts";
import type { OverrideCode } from "../override-reasons.ts";
import type { ShownPatientMessage } from "../practice/patient-notices.ts";
import type {
  Address,
  Order,
  OrderException,
  Patient,
  ReceivedPrescription,
  SafetyEntry,
  Shipment,
} from "../resources.ts";
import type { FilledLot, WorkEvent } from "./dashboard-work.ts";

/** The order page for pharmacy staff, under `/web/dashboard`. Times are ISO 8601. */

/** GET /dashboard/orders/{account_id}/{order_number}. The server audits the view. */
export type DashboardOrder = {
  account_id: string;
  partner: string;
  environment: Environment;
  /** The partner's view without patient and address, which staff reveal on request. */
  order: Omit<Order, "address" | "items" | "medication_requests">;
  state: OrderState;
  held_from: OrderState | null;
  stage_since: string;
  late: boolean;
  revision: number;
  claim: { person_id: string; name: string; until: string; mine: boolean } | null;
  filled_by: { person_id: string; name: string; me: boolean } | null;
  brand: string | null;
  method: { id: number; name: string; carrier: string; service: string; cold_chain: boolean };
  patient: MaskedPatient;
  /** The service's own number of the patient, for the patient's page. */
  patient_key: number;
  /** Whether the patient was asked. The reveal shows the entries. */
  safety_status: Record<SafetyKind, SafetyStatus>;
  address: MaskedAddress | null;
  lines: DashboardLine[];
  findings: DashboardFinding[];
  exceptions: DashboardException[];
  shipments: (Shipment & { scans: ShipmentScan[] })[];
  /** Who makes the parcel's label. */
  label_from: "partner" | "carrier" | "staff" | "nobody";
  /** The label that is printed for the parcel, before the carrier has it. */
  parcel: PrintedParcel | null;
  payments: PaymentLine[];
  /** What the labels cost the pharmacy; null if the user's role does not see it. */
  postage: PostageLine[] | null;
  timeline: TimelineEntry[];
  documents: DashboardDocument[];
  /** Events this user can send now. */
  can: WorkEvent[];
  /** Events that the order's state allows but another rule blocks. Screens show the reason. */
  cannot: { event: WorkEvent; key: string; message: string }[];
  /** Exceptions an operator can raise now. */
  can_raise: ExceptionId[];
};

export type MaskedPatient = { patient_id: string; initials: string; birth_year: string; state: string | null };
export type MaskedAddress = {
  state: string;
  /** First three digits only. */
  zip: string;
  /** Whether the validator suggests a correction. The reveal shows it. */
  has_suggestion: boolean;
};

/** POST …/reveal, without a body. The server audits who asked. */
export type RevealedOrder = {
  patient: Patient;
  /** From the newest prescription that has one. */
  weight_kg: number | null;
  /** Entries of `patient_safety` that a partner or a pharmacist removed. */
  removed_entries: RemovedSafetyEntry[];
  address: Address | null;
  suggestion: Omit<Address, "first_name" | "last_name" | "phone"> | null;
};

export type RemovedSafetyEntry = SafetyEntry & { removed: { at: string; by: SafetySource; reason: string } };

/** POST …/safety_entries: records an entry with the source `pharmacy`. */
export type SafetyEntryRequest = { kind: SafetyKind; text: string };
/** POST …/safety_entries/remove, by a pharmacist. */
export type SafetyEntryRemovalRequest = { entry_id: number; reason: string };

/** An item with the prescription it fills, as received. */
export type DashboardLine = {
  item_id: number;
  sku: string;
  name: string;
  ndc: string | null;
  schedule: DrugSchedule;
  cold_chain: boolean;
  quantity: number;
  package_size: number;
  units: number;
  dispense_id: number;
  /** False for products such as a pill organizer: no drug, so nothing to recall by lot. */
  has_lot: boolean;
  /** The first to expire of `lots`. */
  lot: string | null;
  lot_expires_on: string | null;
  lots: FilledLot[];
  /** While the order is to be filled: the lots on the shelf to take, the first to expire first. */
  suggested_lots: FilledLot[];
  needs_prescription: boolean;
  prescription: (Omit<ReceivedPrescription, "patient_id"> & { refills: number }) | null;
  differences: LineDifference[];
};
/** A difference between the prescription and the dispensed item. */
export type LineDifference = {
  field: "product" | "ndc" | "units" | "schedule";
  prescribed: string;
  dispensed: string;
  /** Whether staff should check it. False for expected differences, such as another manufacturer's product. */
  notable: boolean;
};

export type DashboardFinding = {
  kind: string;
  severity: string;
  exception_id: ExceptionId | null;
  item_id: number | null;
  message: string;
  /** What the pharmacist should do. */
  advice: string | null;
  source: string;
  /** The names of other partners whose data it rests on. The partner of this order must not learn of it. */
  elsewhere: readonly string[];
};

export type DashboardException = OrderException & {
  who_acts: "partner" | "pharmacist" | "pharmacy";
  /** Whether a pharmacist must give an override code to resolve it. */
  needs_code: boolean;
  /** Why this user cannot resolve it; null if they can. */
  cannot_resolve: string | null;
};

export type PrintedParcel = {
  tracking_no: string;
  carrier: string;
  label_format: (typeof labelFormats)[number];
  printed_at: string;
  printed_by: string;
  /** False if the address changed since. It must be printed again, and the old label thrown away. */
  current: boolean;
};

export type ShipmentScan = { at: string; status: ShipmentStatus; place: string | null; description: string };
export type PaymentLine = {
  at: string;
  kind: "authorisation" | "capture" | "void" | "refund" | "fee" | "dispute";
  state: "asked" | "done";
  amount_cents: number;
  reason: string | null;
  actor: string;
  /** Why the provider refuses a pending one. The job keeps trying. */
  problem: string | null;
};

/** Postage that Pestle bought for a label of the order. */
export type PostageLine = {
  at: string;
  /** `made`: the purchase is not confirmed. `refused`: the carrier refused the refund of an unused label. */
  state: "made" | "bought" | "refunding" | "refunded" | "refused";
  tracking_no: string | null;
  carrier: string | null;
  service: string | null;
  /** The rate of the service; null until the purchase is confirmed. */
  rate_cents: number | null;
  /** All that the carrier service charged for the label, surcharges included. */
  paid_cents: number | null;
  /** What the carrier charged later, or gave back if negative. */
  adjustments: { at: string; amount_cents: number; reason: PostageAdjustmentReason }[];
};
export type PostageAdjustmentReason = "weight" | "size" | "service" | "distance" | "other";

/** Timeline, newest first. */
export type TimelineEntry = { at: string; who: string | null; role: string | null } & (
  | {
      kind: "history";
      event: TransitionEvent;
      from: OrderStatus | null;
      to: OrderStatus;
      stage: Stage | null;
      exception_id: ExceptionId | null;
      reason: string | null;
    }
  | { kind: "action"; event: ActionKey; exception_id: ExceptionId | null }
  /**
   * `signature_holds`: false if the signed content changed; null if nothing was signed. An override has a `code` and the
   * pharmacist's `license_number`.
   */
  | {
      kind: "note";
      reason: string;
      overridden: ExceptionId[];
      code: OverrideCode | null;
      license_number: string | null;
      signature_holds: boolean | null;
    }
  /** A webhook attempt. `status` is the HTTP status, or null without a response. */
  | {
      kind: "webhook";
      event_type: string;
      /** The endpoint's host only; the path can contain a secret. */
      url: string;
      attempt: number;
      status: number | null;
      error: string | null;
      outcome: "pending" | "delivered" | "failed";
    }
  /** A call of a payment, carrier or message provider, without its content. */
  | {
      kind: "provider";
      provider: string;
      /** Such as `authorize payment`. */
      what: string;
      /** Null without an answer. */
      status: number | null;
      error_code: string | null;
      tries: number;
      duration_ms: number;
      /** The provider's id of the request, for its support. */
      provider_request_id: string | null;
    }
  | ({ kind: "patient_message" } & Omit<ShownPatientMessage, "at">)
  | { kind: "view"; action: string }
);

/** GET …/documents/{kind}?item_id=: a file to print. The server audits the view. */
export const documentKinds = ["label", "prescription", "leaflet", "slip"] as const;
export type DocumentKind = (typeof documentKinds)[number];
/** What a page is printed on: a roll of 4 by 6 inch labels, or US letter. */
export const papers = ["4x6", "letter"] as const;
export type Paper = (typeof papers)[number];
/**
 * GET /dashboard/print?orders=&documents=&label_paper=&slip_paper=: one PDF with the slips and labels of orders that are
 * printed or shipped. `orders` is a list of `account_id/order_number`, separated by commas.
 */
export const printedDocuments = ["slips_and_labels", "labels", "slips"] as const;
export type PrintedDocuments = (typeof printedDocuments)[number];
export const MOST_PRINTED_ORDERS = 50;

/** A document available now. Prescription labels and leaflets exist per item. */
export type DashboardDocument = { kind: DocumentKind; item_id: number | null; name: string };

/**
 * GET /dashboard/orders/{account_id}/{order_number}/revision: whether an open page is still up to date. `changed_*` is the
 * last row of the order's history: `changed_by` is the person's name, if a person changed it, `changed_as` their role or
 * `partner`, `carrier` or `system`. It shows nothing of the patient, so it is not audited.
 */
export type OrderRevision = {
  revision: number;
  changed_at: string;
  changed_by: string | null;
  changed_as: string;
  /** True if the caller changed it, on another page. */
  by_me: boolean;
  /** The name of the person who has claimed it. */
  claimed_by: string | null;
};
