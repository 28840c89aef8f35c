import {
  type EventType,
  type MedicationRequest,
  type Order,
  orderActionsOf,
  type WebhookBody,
  type WebhookBodyOf,
  webhookBodies,
} from "@pestle/contract";
import { expect } from "vitest";
import { ask } from "./patient.ts";
import { misfits } from "./samples/misfits.ts";
import { inSendingOrder, type StoredEvent, storedEvents } from "./stored-events.ts";
import type { TestApp } from "./test-app.ts";

/** MESSAGE_RECEIVED and PAYMENT_UPDATED are about an order too, but without its sequence. */
type OfOrder = Extract<WebhookBody, { sequence: number }>;

/**
 * What a partner receives from an account. Each event's body fits the contract and identifies no patient, `sequence`
 * has no gap, and at each check the last events match the order's own answer.
 */
export function partnerEar(app: TestApp, partner: number, never_told: readonly string[]) {
  const { account_id } = app.demo.partners[partner]!;
  const heard = new Set<string>();
  const sequences = new Map<string, number>();

  /** The events since the last call, each as one short line. */
  return async (): Promise<string[]> => {
    const events = inSendingOrder(await storedEvents(app.deps, "where account_id = $1", [account_id]), true);
    const bodies = events.filter(({ event_id }) => !heard.has(event_id)).map((row) => bodyOf(row, never_told));
    for (const { event_id } of bodies) heard.add(event_id);
    for (const body of bodies.filter(isOfOrder)) {
      const last = sequences.get(body.order_number) ?? 0;
      expect([last, last + 1], `the sequence of ${body.event_type}`).toContain(body.sequence);
      expect(body.sequence).toBeGreaterThan(0);
      sequences.set(body.order_number, body.sequence);
    }
    for (const order_number of new Set(bodies.filter(isOfOrder).map((body) => body.order_number))) {
      const order = JSON.parse((await ask(app, `/orders/${order_number}`, undefined, { partner })).text) as Order;
      expectSameStory(
        order,
        bodies.filter(isOfOrder).filter((body) => body.order_number === order_number),
      );
    }
    for (const body of bodies.filter((one) => one.event_type === "RX_RECEIVED")) {
      const { text } = await ask(app, `/patients/${body.patient_id}/rx`, undefined, { partner });
      expectReceived(body, JSON.parse(text).medication_request);
    }
    return bodies.map(lineOf);
  };
}

const isOfOrder = (body: WebhookBody): body is OfOrder => "sequence" in body;

function bodyOf(row: StoredEvent, never_told: readonly string[]): WebhookBody {
  const text = row.body;
  expect(text, "one line of plain characters").toMatch(/^[\x20-\x7e]+$/);
  expect(text, "nothing that form encoders disagree on").not.toMatch(/[!'()*~]/);
  for (const secret of never_told) expect(text.toLowerCase()).not.toContain(secret.toLowerCase());
  const body = JSON.parse(text) as WebhookBody;
  expect(misfits(webhookBodies[row.event_type as EventType], body)).toEqual([]);
  const { event_id, event_type, patient_id } = row;
  expect(body).toMatchObject({ event_id, event_type, patient_id });
  expect("order_number" in body ? body.order_number : null).toBe(row.order_number);
  return body;
}

/** A prescription event equals `/rx` before any order for it. */
function expectReceived(body: WebhookBodyOf<"RX_RECEIVED">, known: readonly MedicationRequest[]): void {
  const { event_id, event_type, timestamp, patient_id, medication_requests } = body;
  const shown = medication_requests.map(({ id, refills_left }) => ({
    ...known.find((one) => one.id === id),
    refills_left,
    medication_dispenses: [],
  }));
  expect(body).toEqual({ event_id, event_type, timestamp, patient_id, medication_requests: shown });
}

/**
 * Compares whole bodies with ones rebuilt from the order's answer. Only later changes may differ, and these are
 * reported as lines.
 */
function expectSameStory(order: Order, bodies: readonly OfOrder[]): void {
  const { order_number, patient_id } = order;
  for (const body of bodies) {
    const { event_id, event_type, sequence, timestamp } = body;
    const common = { event_id, event_type, sequence, timestamp, order_number, patient_id };
    expect(timestamp * 1000).toBeGreaterThan(Date.parse(order.created_at) - 1000);
    expect(timestamp * 1000).toBeLessThanOrEqual(Date.parse(order.updated_at));
    if (body.event_type === "ORDER_EXCEPTION") {
      const { exception } = body;
      expect(body).toEqual({ ...common, exception, order_actions: exception.order_actions });
      expect(orderActionsOf(exception.id)).toEqual(expect.arrayContaining(exception.order_actions));
      const open = order.exceptions.find(({ id }) => id === exception.id);
      // The offered actions follow the order: without a second item, for example, it loses `remove_item`.
      if (open !== undefined) expect({ ...open, order_actions: exception.order_actions }).toEqual(exception);
    } else if (body.event_type === "ORDER_UPDATED") {
      const { order_status, previous_order_status } = body;
      expect(body).toEqual({ ...common, order_status, previous_order_status });
    } else {
      expect(body).toEqual({ ...common, medication_requests: expect.anything() });
      expect(steady(body)).toEqual(steady(order));
    }
  }
  const told = bodies.filter((body) => body.event_type === "RX_UPDATED" || body.event_type === "SHIPMENT_UPDATED");
  const last = told.at(-1) as WebhookBodyOf<"RX_UPDATED"> | undefined;
  if (last !== undefined) expect(last.medication_requests).toEqual(order.medication_requests);
}

/** The prescriptions without the fields that change while an order progresses. */
const steady = ({ medication_requests }: Pick<Order, "medication_requests">) =>
  medication_requests.map(({ medication_dispenses, refills_left: _, ...prescription }) => ({
    ...prescription,
    medication_dispenses: medication_dispenses.map(
      ({ order_status: _status, shipment: _shipment, ...dispense }) => dispense,
    ),
  }));

function lineOf(body: WebhookBody): string {
  const { event_type } = body;
  switch (event_type) {
    case "RX_RECEIVED":
      return `RX_RECEIVED ${body.medication_requests.map(({ drug_name }) => drug_name)}`;
    case "RX_UPDATED":
      return `${body.sequence} RX_UPDATED ${dispensesOf(body).map(({ order_status }) => order_status)}`;
    case "SHIPMENT_UPDATED":
      return `${body.sequence} SHIPMENT_UPDATED ${dispensesOf(body).map(({ shipment }) => shipment?.status)}`;
    case "ORDER_EXCEPTION":
      return `${body.sequence} ORDER_EXCEPTION ${body.exception.id}`;
    case "ORDER_UPDATED":
      return `${body.sequence} ORDER_UPDATED ${body.previous_order_status ?? "new"} > ${body.order_status}`;
    case "RX_STATUS_CHANGED":
      return `RX_STATUS_CHANGED ${body.change}`;
    case "PAYMENT_UPDATED":
      return `PAYMENT_UPDATED ${body.payment.status} ${body.payment.refunded_cents}`;
    case "PATIENT_UPDATED":
      return `PATIENT_UPDATED ${body.changed}`;
    default:
      return event_type;
  }
}

const dispensesOf = ({ medication_requests }: WebhookBodyOf<"RX_UPDATED" | "SHIPMENT_UPDATED">) =>
  medication_requests.flatMap(({ medication_dispenses }) => medication_dispenses);
