import {
  type EventType,
  examplePatient,
  examplePrescription,
  type HoldableState,
  type OrderState,
  usualEventTypes,
} from "@pestle/contract/partner";
import type {
  ActionRequest,
  HistoryEntry,
  MedicationRequest,
  Order,
  Patient,
  SimulatedPrescription,
  WebhookEndpoint,
} from "../generated/records.ts";
import type { WebhookBody, WebhookBodyOf } from "../webhook-body.ts";

/** An order of the fake pharmacy, with what its record does not show. */
export type FakeOrder = {
  record: Order;
  state: OrderState | "new";
  before_hold: HoldableState | undefined;
  sequence: number;
  history: HistoryEntry[];
  requests: ActionRequest[];
  /** The payment in the last event about it. */
  payment_told: string | undefined;
};
export type FakeEndpoint = WebhookEndpoint & { secret: string; signing_secret: string };
/** An event for one endpoint. */
type FakeDelivery = { event: WebhookBody; endpoint: FakeEndpoint; attempts: number; delivered: boolean };

/** Everything that the fake pharmacy knows. */
export type FakeBook = {
  now(): Date;
  patients: Map<string, Patient>;
  prescriptions: Map<number, MedicationRequest>;
  orders: Map<string, FakeOrder>;
  endpoints: Map<string, FakeEndpoint>;
  events: { body: WebhookBody; created_at: string; deliveries: FakeDelivery[] }[];
  /** A new number, for ids. */
  next(): number;
  /** The request that is being answered. */
  request_id: string | null;
};

export function openBook(clock: () => Date): FakeBook {
  let last = 0;
  return {
    now: clock,
    patients: new Map(),
    prescriptions: new Map(),
    orders: new Map(),
    endpoints: new Map(),
    events: [],
    next: () => ++last,
    request_id: null,
  };
}

/** A prescription arrives, with the patient if it names a new one. Fields that you omit are those of the contract's example. */
export function receivePrescription(book: FakeBook, given: SimulatedPrescription = {}): MedicationRequest {
  const patient = given.patient ?? {};
  const patient_id = given.patient_id ?? patient.patient_id ?? `fake${String(book.next()).padStart(4, "0")}`;
  const at = book.now().toISOString();
  if (!book.patients.has(patient_id)) book.patients.set(patient_id, newPatient(patient_id, patient, at));
  const {
    patient: _patient,
    not_fillable: _none,
    order_errors: _errors,
    medication_dispenses: _fills,
    ...fields
  } = given;
  // Null in an optional field means that it is omitted.
  const own = Object.entries(fields).filter(([, value]) => value != null);
  const prescription_id = examplePrescription.prescription_id + book.next();
  const prescription: MedicationRequest = {
    ...structuredClone(examplePrescription),
    ...Object.fromEntries(own),
    ...{ id: prescription_id, prescription_id, patient_id, receive_date: at },
    expire_date: given.expire_date ?? new Date(book.now().getTime() + YEAR_MS).toISOString(),
    written_date: given.written_date ?? at.slice(0, 10),
    effective_date: given.effective_date ?? at.slice(0, 10),
  };
  book.prescriptions.set(prescription_id, prescription);
  emit(book, "RX_RECEIVED", { patient_id, medication_requests: [structuredClone(prescription)] });
  return prescription;
}

const YEAR_MS = 365 * 86_400_000;

function newPatient(patient_id: string, given: NonNullable<SimulatedPrescription["patient"]>, at: string): Patient {
  const { address, allergies } = given;
  const first_name = given.first_name ?? examplePatient.first_name;
  const last_name = given.last_name ?? examplePatient.last_name;
  const { patient_safety, addresses, ...example } = structuredClone(examplePatient);
  const sent = Object.entries(address ?? {}).filter(([, value]) => value !== null);
  return {
    ...example,
    ...{ patient_id, first_name, last_name, created_at: at, updated_at: at, identity_documents: [] },
    email: given.email === undefined ? example.email : given.email,
    dob: given.dob ?? example.dob,
    gender: given.gender === undefined ? example.gender : given.gender,
    phone: given.phone === undefined ? example.phone : given.phone,
    addresses: address === null ? [] : [{ ...addresses[0]!, first_name, last_name, ...Object.fromEntries(sent) }],
    patient_safety: {
      ...patient_safety,
      ...{ medications: [], health_conditions: [], entries: [] },
      ...{ medications_status: "not_asked", conditions_status: "not_asked" },
      allergies: [...(allergies ?? [])],
      allergies_status: allergies == null ? "not_asked" : allergies.length === 0 ? "none_known" : "listed",
    },
  };
}

/** Adds an event to the feed, and one delivery for each endpoint that subscribes to it. */
export function emit<Type extends EventType>(
  book: FakeBook,
  event_type: Type,
  fields: Omit<WebhookBodyOf<Type>, "event_id" | "event_type" | "timestamp">,
): WebhookBody {
  const now = book.now();
  const timestamp = Math.floor(now.getTime() / 1000);
  const body = { event_id: crypto.randomUUID(), event_type, timestamp, ...fields } as unknown as WebhookBody;
  const deliveries = [...book.endpoints.values()]
    .filter((endpoint) => endpoint.status === "active" && subscribes(endpoint, event_type))
    .map((endpoint) => ({ event: body, endpoint, attempts: 0, delivered: false }));
  book.events.push({ body, created_at: now.toISOString(), deliveries });
  return body;
}

const subscribes = ({ events }: WebhookEndpoint, event_type: EventType): boolean =>
  (events.length === 0 ? usualEventTypes : events).includes(event_type);

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** Like the service's: ten characters, none of which looks like another. */
export function orderNumber(book: FakeBook): string {
  const number = book.next();
  const digits = Array.from({ length: 6 }, (_, place) => ALPHABET[Math.floor(number / 32 ** (5 - place)) % 32]);
  return `FAKE${digits.join("")}`;
}
