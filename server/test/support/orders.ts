import type { Order } from "@pestle/contract";
import type { IncomingPatient, IncomingPrescription } from "../../src/domain/intake/incoming-message.ts";
import { products } from "../../src/seed/cast.ts";
import { type AskOptions, addPatient, ask, stranger } from "./patient.ts";
import type { TestApp } from "./test-app.ts";

/** A body of `POST /orders` that tests modify, so any field may hold any value. */
export type OrderBody = {
  [field: string]: unknown;
  shipping: Record<string, unknown>;
  patient: Record<string, unknown>;
  items: [Record<string, unknown>, ...Record<string, unknown>[]];
};

export type Given = {
  partner?: number;
  patient?: Partial<IncomingPatient>;
  prescription?: Partial<IncomingPrescription>;
};
export type Patient = { patient_id: string; prescription_id: number };

/** A new patient with a prescription, and the smallest valid order for it. */
export async function newOrder(app: TestApp, given: Given = {}): Promise<Patient & { body: OrderBody }> {
  const added = await addPatient(app, { ...given, patient: { ...stranger(), ...given.patient } });
  return { ...added, body: orderOf(added, given.prescription?.quantity?.value ?? 90) };
}

export const orderOf = ({ patient_id, prescription_id }: Patient, package_size = 90): OrderBody => ({
  shipping: { method_id: 1 },
  patient: { patient_id },
  items: [{ prescription_id, quantity: 1, package_size }],
});

/** A prescription for a product of the cast. A controlled one is signed and has a valid DEA number. */
export function prescribed(sku: string, value: number, more: Partial<IncomingPrescription> = {}) {
  const { name, ndc, drug_schedule } = products.find((product) => product.sku === sku)!;
  return {
    drug: {
      description: name,
      codes: [{ system: "ndc" as const, code: ndc! }],
      strength: null,
      schedule: drug_schedule,
    },
    quantity: { value, unit: "tablet" },
    days_supply: value,
    ...(drug_schedule === "0" ? {} : { signature_evidence: true, prescriber: signer }),
    ...more,
  };
}

const signer: IncomingPrescription["prescriber"] = {
  last_name: "Lindqvist",
  first_name: "Ada",
  practice: null,
  npi: "1234567893",
  dea: "FL1234563",
  state_license: null,
  phone: "4155550177",
  fax: null,
  address: null,
};

export async function post(app: TestApp, body: unknown, options: AskOptions & { path?: string } = {}) {
  const { path = "/orders", ...asked } = options;
  const { status, text, headers } = await ask(app, path, body, asked);
  return { status, text, headers, body: JSON.parse(text) };
}

/** An order that must succeed. */
export async function placed(app: TestApp, body: unknown, options: AskOptions = {}): Promise<Order> {
  const made = await post(app, body, options);
  if (made.status !== 201) throw new Error(`${made.status}: ${made.text}`);
  return made.body as Order;
}

const FOOTPRINT = `
select (select count(*) from orders where account_id = $1) as orders,
  (select count(*) from order_item where account_id = $1) as items,
  (select count(*) from order_exception where account_id = $1) as exceptions,
  (select count(*) from order_history where account_id = $1) as history,
  (select count(*) from order_fingerprint where account_id = $1) as fingerprints,
  (select count(*) from stock_entry where account_id = $1) as stock_entries,
  (select count(*) from webhook_event where account_id = $1) as events,
  (select count(*) from idempotent_answer where account_id = $1) as answers,
  (select count(*) from order_note where account_id = $1) as notes,
  (select count(*) from order_message where account_id = $1) as messages,
  (select count(*) from refill_schedule where account_id = $1) as schedules,
  (select count(*) from shipment where account_id = $1) as shipments,
  (select count(*) from payment_entry where account_id = $1) as payment_entries,
  (select count(*) from order_action_request where account_id = $1) as action_requests,
  (select sum(revision) from orders where account_id = $1) as order_revisions,
  (select sum(units_ordered) from prescription where account_id = $1) as units_ordered,
  (select sum(reserved_units) from stock where account_id = $1) as units_reserved,
  (select sum(revision) from patient where account_id = $1) as revisions`;

/** Every row that an order writes in an account: equal before and after if nothing was written. */
export async function footprint(app: TestApp, partner = 0): Promise<Record<string, unknown>> {
  const { rows } = await app.deps.db.raw(FOOTPRINT, [app.demo.partners[partner]!.account_id]);
  return rows[0]!;
}
