import { setTimeout as delay } from "node:timers/promises";
import type { OrderCheck } from "@pestle/contract";
import type { SceneName } from "../../src/certify/orders/scenes.ts";

type Answer = { status: number; retry_after_s: number | undefined; text: string };
type Event = {
  event_type: string;
  patient_id: string;
  order_number?: string;
  order_status?: string;
  medication_requests?: { id: number }[];
  exception?: { id: number };
};

/** The parts of a system that orders. Each fault replaces some of them. */
export type Parts = {
  key(reference: string, attempt: number): string | undefined;
  /** Orders under another reference after these outcomes. */
  anew_after: readonly (number | "no answer")[];
  /** Stops after these outcomes. */
  gives_up_after: readonly (number | "no answer")[];
  pause_ms(retry_after_s: number | undefined, attempt: number): number;
  time_limit_ms: number;
  parses_first: boolean;
  most_refused: number;
  most_broken: number;
  one_token_for_all: boolean;
  token_for_each: boolean;
  repeats_token_request: boolean;
  token_in_url: boolean;
  polls: boolean;
  /** What it does about exceptions, by id: an action, a change of the patient, or another order. */
  about: Readonly<Record<number, object | "patient" | "order again" | undefined>>;
  orders_again_after_cancel: boolean;
  /** How many orders it places for each prescription. */
  orders: number;
};

const backoff = (retry_after_s: number | undefined, attempt: number) =>
  retry_after_s === undefined ? 120 * 2 ** attempt : retry_after_s * 1000 + 20;

const goodParts: Parts = {
  key: (reference) => reference,
  anew_after: [],
  gives_up_after: [],
  pause_ms: backoff,
  time_limit_ms: 10_000,
  parses_first: false,
  most_refused: 1,
  most_broken: 3,
  one_token_for_all: true,
  token_for_each: false,
  repeats_token_request: true,
  token_in_url: false,
  polls: false,
  about: {
    65: { event: "update_email", email: "certified@patients.example" },
    77: { event: "confirm_address" },
    80: { event: "retry_payment", token: "tok_visa" },
  },
  orders_again_after_cancel: false,
  orders: 1,
};

type Planted = { check: OrderCheck; scenes: readonly SceneName[]; parts: Partial<Parts> };
const tokens = ["token_one", "token_two", "token_three", "token_four"] as const;
const without = (id: number) => ({ ...goodParts.about, [id]: undefined });

/** Faults that order integrations have, each with the check that must find it and the scenes that it needs. */
export const plantedFaults: Record<string, Planted> = {
  "orders nothing": { check: "orders_prescription", scenes: [], parts: { orders: 0 } },
  "orders each prescription twice": { check: "orders_prescription", scenes: [], parts: { orders: 2 } },
  "sends no key": { check: "sends_key", scenes: [], parts: { key: () => undefined } },
  "has one key for all orders": { check: "own_key_for_each", scenes: ["unavailable"], parts: { key: () => "the-key" } },
  "makes a new key for each try": {
    check: "repeats_with_key",
    scenes: ["unavailable"],
    parts: { key: (reference, attempt) => `${reference}-${attempt}` },
  },
  "orders anew after a lost answer": {
    check: "lost_answer",
    scenes: ["lost_answer"],
    parts: { anew_after: ["no answer"] },
  },
  "forgets an order whose answer was lost": {
    check: "lost_answer",
    scenes: ["lost_answer"],
    parts: { gives_up_after: ["no answer"] },
  },
  "gives up after a broken connection": {
    check: "lost_request",
    scenes: ["lost_request"],
    parts: { gives_up_after: ["no answer"] },
  },
  "has no time limit": { check: "no_answer", scenes: ["no_answer"], parts: { time_limit_ms: 600_000 } },
  "gives up after 503": { check: "unavailable", scenes: ["unavailable"], parts: { gives_up_after: [503] } },
  "ignores Retry-After of 503": { check: "waits_after_503", scenes: ["unavailable"], parts: { pause_ms: () => 200 } },
  "gives up after 429": { check: "rate_limited", scenes: ["rate_limited"], parts: { gives_up_after: [429] } },
  "ignores Retry-After of 429": { check: "waits_after_429", scenes: ["rate_limited"], parts: { pause_ms: () => 200 } },
  "parses the body before it reads the status": {
    check: "gateway_page",
    scenes: ["gateway_page"],
    parts: { parses_first: true },
  },
  "repeats at once": { check: "backs_off", scenes: ["gateway_page"], parts: { pause_ms: () => 5 } },
  "orders anew after any 409": { check: "in_progress", scenes: ["in_progress"], parts: { anew_after: [409] } },
  "changes the order to get past a 409": {
    check: "already_ordered",
    scenes: ["already_ordered"],
    parts: { anew_after: [409] },
  },
  "does not renew its token": { check: "renews_token", scenes: tokens, parts: { gives_up_after: [401] } },
  "renews its token in each caller": {
    check: "renews_once",
    scenes: tokens,
    parts: { one_token_for_all: false },
  },
  "asks the token server once": {
    check: "token_server_down",
    scenes: tokens,
    parts: { repeats_token_request: false },
  },
  "requests a token for each call": {
    check: "keeps_token",
    scenes: ["unavailable", "rate_limited", "lost_answer", ...tokens],
    parts: { token_for_each: true },
  },
  "repeats what was refused": { check: "stops_after_422", scenes: ["refused"], parts: { most_refused: 100 } },
  "repeats after 500 for ever": {
    check: "stops_after_500",
    scenes: ["broken"],
    parts: { most_broken: 100, pause_ms: () => 20 },
  },
  "leaves the missing email": { check: "email_hold", scenes: ["email_hold"], parts: { about: without(65) } },
  "leaves the wrong address": { check: "address_hold", scenes: ["address_hold"], parts: { about: without(77) } },
  "leaves the declined card": { check: "declined_card", scenes: ["declined_card"], parts: { about: without(80) } },
  "orders again when the stock is delayed": {
    check: "back_order",
    scenes: ["back_order"],
    parts: { about: { 76: "order again" } },
  },
  "orders again what the pharmacy canceled": {
    check: "canceled_by_pharmacy",
    scenes: ["canceled"],
    parts: { orders_again_after_cancel: true },
  },
  "asks for the order all the time": { check: "no_polling", scenes: ["unavailable"], parts: { polls: true } },
  "puts the token into the address": { check: "no_credentials_in_urls", scenes: [], parts: { token_in_url: true } },
};

/** Starts a system that orders what it hears of. */
export function startSystem(
  url: string,
  client: { client_id: string; client_secret: string },
  changed: Partial<Parts>,
) {
  const parts = { ...goodParts, ...changed };
  const stop = new AbortController();
  let token: Promise<string> | undefined;

  async function newToken(attempt = 0): Promise<string> {
    const answer = await fetch(`${url}/oauth/token`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}` },
      body: new URLSearchParams({ grant_type: "client_credentials", scope: "partners" }),
      signal: stop.signal,
    });
    if (answer.ok) return ((await answer.json()) as { access_token: string }).access_token;
    if (!parts.repeats_token_request) throw new Error("no token");
    await delay(parts.pause_ms(undefined, attempt), undefined, { signal: stop.signal });
    return newToken(attempt + 1);
  }
  const tokenNow = () => {
    if (parts.token_for_each) return newToken();
    token ??= newToken();
    return token;
  };

  async function call(method: string, path: string, body?: object, key?: string): Promise<Answer | "no answer"> {
    const used = tokenNow();
    const access_token = await used;
    const address = parts.token_in_url ? `${url}/v1${path}?access_token=${access_token}` : `${url}/v1${path}`;
    const headers = {
      accept: "application/json",
      "content-type": "application/json",
      authorization: `Bearer ${access_token}`,
      ...(key !== undefined && { "idempotency-key": key }),
    };
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(parts.time_limit_ms)]);
    try {
      const answer = await fetch(address, { method, headers, signal, ...(body && { body: JSON.stringify(body) }) });
      const text = await answer.text();
      const seconds = answer.headers.get("retry-after");
      if (answer.status === 401) renew(used);
      return { status: answer.status, retry_after_s: seconds === null ? undefined : Number(seconds), text };
    } catch {
      return "no answer";
    }
  }

  function renew(used: Promise<string>): void {
    // One new token for all callers that had the old one.
    if (token === used || !parts.one_token_for_all) token = newToken();
    token?.catch(() => undefined);
  }

  async function order(patient_id: string, prescription_id: number, count = 1): Promise<void> {
    let reference = `inv-${prescription_id}-${count}`;
    let refused = 0;
    let broken = 0;
    for (let attempt = 0; !stop.signal.aborted; attempt++) {
      const body = { reference, shipping: { method_id: 1 }, patient: { patient_id }, items: [{ prescription_id }] };
      const answer = await call("POST", "/orders", body, parts.key(reference, attempt));
      if (parts.parses_first && answer !== "no answer") JSON.parse(answer.text);
      const outcome = answer === "no answer" ? answer : answer.status;
      if (outcome === 201 || parts.gives_up_after.includes(outcome)) return;
      if (parts.anew_after.includes(outcome)) reference = `${reference}-again`;
      else if (outcome === 409 && (answer as Answer).text.includes("order_number")) return;
      if (outcome === 422 && ++refused >= parts.most_refused) return;
      if (outcome === 500 && ++broken >= parts.most_broken) return;
      if (outcome === 401) continue;
      const wait_ms = parts.pause_ms(answer === "no answer" ? undefined : answer.retry_after_s, attempt);
      await delay(wait_ms, undefined, { signal: stop.signal });
    }
  }

  async function resolve({ patient_id, order_number, exception }: Event): Promise<void> {
    const action = parts.about[exception!.id];
    if (action === "order again") return order(patient_id, prescriptions.get(patient_id)!, 2);
    if (action !== undefined)
      await call("POST", `/orders/${order_number}/partner_order_action_requests`, action as object);
  }

  async function poll(): Promise<void> {
    while (!stop.signal.aborted) {
      await call("GET", "/orders");
      await delay(10, undefined, { signal: stop.signal });
    }
  }

  const prescriptions = new Map<string, number>();
  const quietly = (work: Promise<void>) => void work.catch(() => undefined);
  if (parts.polls) quietly(poll());
  return {
    heard(event: Event): void {
      const { event_type, patient_id, medication_requests = [] } = event;
      if (event_type === "RX_RECEIVED") {
        for (const { id } of medication_requests) {
          prescriptions.set(patient_id, id);
          for (let count = 1; count <= parts.orders; count++) quietly(order(patient_id, id, count));
        }
      }
      if (event_type === "ORDER_EXCEPTION") quietly(resolve(event));
      const canceled = event_type === "ORDER_UPDATED" && event.order_status === "Canceled";
      if (canceled && parts.orders_again_after_cancel) quietly(order(patient_id, prescriptions.get(patient_id)!, 2));
    },
    stop: () => stop.abort(),
  };
}
