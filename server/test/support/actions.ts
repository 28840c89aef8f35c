import {
  type ActionKey,
  ActionRequest,
  type HistoryEntry,
  type Order,
  type WebhookBody,
  webhookBodies,
} from "@pestle/contract";
import { expect } from "vitest";
import { codesOf } from "./conventions.ts";
import { footprint } from "./orders.ts";
import { type AskOptions, ask, goodAddress, person } from "./patient.ts";
import { misfits } from "./samples/misfits.ts";
import { inSendingOrder, storedEvents } from "./stored-events.ts";
import type { TestApp } from "./test-app.ts";

export type Asked = { event: string } & Record<string, unknown>;

const pathOf = (order_number: string) => `/orders/${order_number}/partner_order_action_requests`;

/** A partner's action on an order, and its result. */
export async function act(app: TestApp, order_number: string, body: unknown, options: AskOptions = {}) {
  const { status, text, headers } = await ask(app, pathOf(order_number), body, options);
  return { status, text, headers, body: JSON.parse(text) };
}

/** An action that must succeed: the answer fits the contract, and its order equals a read of the order. */
export async function acted(app: TestApp, { order_number }: Order, body: Asked, options: AskOptions = {}) {
  const answer = await act(app, order_number, body, options);
  if (answer.status !== 201) throw new Error(`${answer.status}: ${answer.text}`);
  const request = answer.body as ActionRequest;
  expect(misfits(ActionRequest, request)).toEqual([]);
  expect(request).toMatchObject({ event: body.event, order_number, reason_id: body["reason_id"] ?? null });
  expect(request.order).toEqual(await readOrder(app, order_number, options.partner));
  return request;
}

const read = async (app: TestApp, path: string, partner = 0) =>
  JSON.parse((await ask(app, path, undefined, { partner })).text);

export const readOrder = (app: TestApp, order_number: string, partner = 0): Promise<Order> =>
  read(app, `/orders/${order_number}`, partner);

export const requestsOf = async (app: TestApp, order_number: string, partner = 0): Promise<ActionRequest[]> =>
  (await read(app, pathOf(order_number), partner)).partner_order_action_requests;

/** The whole history, oldest first, one line per change: "partner cancel: On Hold > Canceled". */
export async function historyOf(app: TestApp, order_number: string, partner = 0): Promise<string[]> {
  const { history } = await read(app, `/orders/${order_number}/history?limit=200`, partner);
  return (history as HistoryEntry[])
    .reverse()
    .map(
      ({ actor, event, from, to, exception_id }) =>
        `${actor} ${event}${exception_id === null ? "" : ` ${exception_id}`}: ${from ?? "new"} > ${to}`,
    );
}

type OrderEvent = Extract<WebhookBody, { sequence: number }>;

/** The events about changes of an order, in sequence. Each body fits the contract and identifies no patient. */
export async function eventsOf(app: TestApp, order_number: string): Promise<OrderEvent[]> {
  const events = inSendingOrder(await storedEvents(app.deps, "where order_number = $1", [order_number]), false);
  return events.flatMap(({ body: text }) => {
    for (const secret of [
      person.first_name!,
      person.dob!,
      "Thistledown",
      goodAddress.first_name,
      goodAddress.street1,
    ]) {
      expect(text).not.toContain(secret);
    }
    const body = JSON.parse(text) as OrderEvent;
    expect(misfits(webhookBodies[body.event_type], body)).toEqual([]);
    // Payments and messages are not changes of the order.
    return "sequence" in body ? [body] : [];
  });
}

/** The same, one line per event: "2 ORDER_UPDATED On Hold > Canceled". */
export const linesOf = (events: readonly OrderEvent[]): string[] =>
  events.map((event) => {
    const line = `${event.sequence} ${event.event_type}`;
    if (event.event_type === "ORDER_EXCEPTION") return `${line} ${event.exception.id}`;
    if (event.event_type !== "ORDER_UPDATED") return line;
    return `${line} ${event.previous_order_status ?? "new"} > ${event.order_status}`;
  });

export type Refusal = [code: number, ...fields: string[]];

/** Expects a rejection with exactly these codes, and no writes. */
export async function expectRefused(
  app: TestApp,
  { order_number }: Order,
  body: unknown,
  codes: Refusal[],
  partner = 0,
): Promise<void> {
  const untouched = await footprint(app, partner);
  const { status, text } = await act(app, order_number, body, { partner });
  expect([status, codesOf(text)]).toEqual([422, codes]);
  expect(await footprint(app, partner)).toEqual(untouched);
}

/** Valid fields, so that only the order's state can cause a rejection. */
export const goodFields: Record<ActionKey, Record<string, unknown>> = {
  release: {},
  cancel: {},
  update_email: { email: "z@quill.example" },
  update_address: { address: goodAddress },
  confirm_not_duplicate: {},
  replace_prescription: { prescription_id: 1 },
  verify: {},
  remove_item: { item_id: 1 },
  accept_suggested_address: {},
  confirm_address: {},
  retry_payment: { token: "tok_visa" },
  hold: {},
  refund: { reason_id: 101 },
  partial_refund: { reason_id: 101, amount_cents: 1 },
};
