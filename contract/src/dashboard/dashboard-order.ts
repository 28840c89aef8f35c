import type { ActionKey } from "../actions.ts";
import type { Environment } from "../endpoints/oauth.ts";
import type { ExceptionId } from "../exceptions.ts";
import type { DrugSchedule, ShipmentStatus } from "../fields.ts";
import type { OrderState, OrderStatus, Stage, TransitionEvent } from "../lifecycle.ts";
import type { Address, MedicationRequest, Order, OrderException, Patient, Shipment } from "../resources.ts";
import type { WorkEvent } from "./dashboard-work.ts";

/** The page of an order, as the pharmacy's people see it below `/web/dashboard`. Times are ISO 8601. */

/** GET /dashboard/orders/{account_id}/{order_number}. The view is written down. */
export type DashboardOrder = {
  account_id: string;
  partner: string;
  environment: Environment;
  /** As partners see it, but for who it is for and where it goes: that is revealed on request. */
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
  address: MaskedAddress | null;
  lines: DashboardLine[];
  findings: DashboardFinding[];
  exceptions: DashboardException[];
  shipments: (Shipment & { scans: ShipmentScan[] })[];
  payments: PaymentLine[];
  timeline: TimelineEntry[];
  documents: DashboardDocument[];
  /** The events that this person may send now. */
  can: WorkEvent[];
  /** What the order's state allows and something else does not: a screen shows it and says why. */
  cannot: { event: WorkEvent; key: string; message: string }[];
  /** Exceptions that an operator may raise now. */
  can_raise: ExceptionId[];
};

export type MaskedPatient = { patient_id: string; initials: string; birth_year: string; state: string | null };
export type MaskedAddress = {
  state: string;
  /** Its first three digits. */
  zip: string;
  /** Whether the validator would write it otherwise; what it suggests is shown once revealed. */
  has_suggestion: boolean;
};

/** POST …/reveal, which takes no fields. Written down with who asked. */
export type RevealedOrder = {
  patient: Patient;
  address: Address | null;
  suggestion: Omit<Address, "first_name" | "last_name" | "phone"> | null;
};

/** An item beside the prescription that it fills, as that was received. */
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
  lot: string | null;
  lot_expires_on: string | null;
  needs_prescription: boolean;
  prescription: (Omit<MedicationRequest, "medication_dispenses" | "patient_id"> & { refills: number }) | null;
  differences: LineDifference[];
};
/** Where what is dispensed is not what was written. */
export type LineDifference = {
  field: "product" | "ndc" | "units" | "schedule";
  prescribed: string;
  dispensed: string;
  /** Whether somebody should look at it; false where it is the usual course, as another maker's product. */
  notable: boolean;
};

export type DashboardFinding = {
  kind: string;
  severity: string;
  exception_id: ExceptionId | null;
  item_id: number | null;
  message: string;
  source: string;
};

export type DashboardException = OrderException & {
  who_acts: "partner" | "pharmacist" | "pharmacy";
  /** Whether this person may end it; null is yes, else why not. */
  cannot_resolve: string | null;
};

export type ShipmentScan = { at: string; status: ShipmentStatus; place: string | null; description: string };
export type PaymentLine = {
  at: string;
  kind: "authorisation" | "capture" | "void" | "refund";
  state: "asked" | "done";
  amount_cents: number;
  reason: string | null;
  actor: string;
};

/** What happened, by whom, newest first. */
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
  /** `signature_holds`: false where somebody changed what was signed; null where there was nothing to sign. */
  | { kind: "note"; reason: string; overridden: ExceptionId[]; signature_holds: boolean | null }
  /** An attempt to tell the partner. `status` is the HTTP status that came back, null where none did. */
  | {
      kind: "webhook";
      event_type: string;
      /** The endpoint's host: what follows it may be a secret. */
      url: string;
      attempt: number;
      status: number | null;
      error: string | null;
      outcome: "pending" | "delivered" | "failed";
    }
  | { kind: "view"; action: string }
);

/** GET …/documents/{kind}?item_id=: a file to print. The view is written down. */
export const documentKinds = ["label", "prescription", "leaflet", "slip"] as const;
export type DocumentKind = (typeof documentKinds)[number];
/** Of those that are there now. Labels of prescriptions and leaflets are one for each item. */
export type DashboardDocument = { kind: DocumentKind; item_id: number | null; name: string };
