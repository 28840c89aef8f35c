import type { Message, Order } from "@pestle/contract";
import { until } from "../until.ts";
import { count, hear } from "./year-book.ts";
import { payments } from "./year-cast.ts";
import { resolveAsPharmacist } from "./year-pharmacy.ts";
import { cancelRx } from "./year-prescriber.ts";
import { between, chance, chanceOrFirst, noted, pick, simulate, someInTurn, type Year } from "./year-world.ts";

type Feed = { webhook_events: Year["book"]["feed"]; next_cursor: string | null; end_cursor: string };

/** Reads the feed from where the partner stopped. */
export async function readFeed(year: Year): Promise<void> {
  for (let more = true; more; ) {
    const { body } = await year.ask<Feed>(
      `/webhook_events?limit=200${year.cursor === null ? "" : `&cursor=${year.cursor}`}`,
    );
    for (const event of body.webhook_events) hear(year.book, event);
    year.book.feed.push(...body.webhook_events);
    year.cursor = body.end_cursor;
    more = body.next_cursor !== null;
  }
}

const read = async ({ ask }: Year, order_number: string) => (await ask<Order>(`/orders/${order_number}`)).body;
const request = async (year: Year, order_number: string, body: { event: string } & Record<string, unknown>) =>
  noted(year, `action ${body.event}`, await year.ask(`/orders/${order_number}/partner_order_action_requests`, body));

/** The partner and the pharmacist react to holds, mostly at once. */
export async function reactToHolds(year: Year): Promise<void> {
  const held = [...year.book.told.values()].filter(({ order_status }) => order_status === "On Hold");
  await someInTurn(year, held, async (own, { order_number }) => {
    if (!chance(own, 0.7)) return;
    const [exception] = (await read(own, order_number)).exceptions;
    if (exception === undefined) return;
    if (chance(own, 0.05)) await request(own, order_number, { event: "cancel" });
    else await react(own, order_number, exception.id);
  });
}

async function react(year: Year, order_number: string, exception_id: number): Promise<unknown> {
  switch (exception_id) {
    case 64:
      return request(year, order_number, { event: "release", exception_id });
    case 68:
    case 70:
    case 72:
      return (await answerQuestion(year, order_number)) || confirm(year, order_number, exception_id);
    case 74:
    case 75:
      return resolve(year, order_number, exception_id);
    case 76:
      // Stock arrives.
      return undefined;
    case 80:
      return request(year, order_number, { event: "retry_payment", exception_id, token: "tok_visa" });
    default:
      return request(year, order_number, { event: "cancel" });
  }
}

const confirm = (year: Year, order_number: string, exception_id: number) =>
  request(year, order_number, { event: exception_id === 68 ? "confirm_not_duplicate" : "verify", exception_id });

async function resolve(year: Year, order_number: string, exception_id: number): Promise<void> {
  if (await resolveAsPharmacist(year, order_number, exception_id)) count(year.book, "findings ended by a pharmacist");
  else await request(year, order_number, { event: "cancel" });
}

/** Answers the pharmacy's question, if there is one. */
async function answerQuestion(year: Year, order_number: string): Promise<boolean> {
  const { body } = await year.ask<{ messages: Message[] }>(`/orders/${order_number}/messages`);
  const question = body.messages.find(({ author, exception_id }) => author === "pharmacy" && exception_id !== null);
  if (question === undefined || !chance(year, 0.8)) return false;
  const said = { text: "Yes, as ordered.", in_reply_to: question.message_id };
  return noted(year, "questions answered", await year.ask(`/orders/${order_number}/messages`, said));
}

/** The pharmacy works on the orders that no schedule made. First it asks about some. */
export async function workOnOpen(year: Year): Promise<void> {
  const open = [...year.book.told.values()].filter(({ order_status }) => isAtWork(order_status));
  await someInTurn(year, open, async (own, { order_number }) => {
    if (chance(own, 0.25)) {
      const question = { order_number, text: "Did you mean this quantity?", exception_id: 72 };
      noted(own, "questions of the pharmacy", await simulate(own, "message", question));
    } else if (chance(own, 0.05)) await request(own, order_number, { event: "cancel" });
    else if (chance(own, 0.8))
      noted(own, "orders shipped by hand", await simulate(own, "order", { order_number, to: "Shipped" }));
  });
}

const isAtWork = (status: string) => status === "Processing" || status === "Filling";

let reference = 0;

/** Orders that the partner places itself: of a prescription, or of a product without one. */
export async function orderSome(year: Year): Promise<void> {
  for (const rx of [...year.book.prescriptions.values()]) {
    if (rx.ended_at !== null) continue;
    if (chance(year, 0.001)) await cancelRx(year, rx);
    const prescribed = chance(year, 0.003);
    if (!prescribed && !chance(year, 0.004)) continue;
    const payment = pick(year, payments);
    const body = {
      reference: `year ${reference++}`,
      shipping: rx.drug.shipping,
      patient: { patient_id: rx.patient.patient_id },
      items: [
        prescribed ? { prescription_id: rx.prescription_id } : { sku: "pill-organizer", quantity: between(year, 1, 3) },
      ],
      ...(payment.payer === "patient" && { payment }),
    };
    noted(
      year,
      prescribed ? "orders of the partner" : "orders without a prescription",
      await year.ask("/orders", body),
    );
  }
}

/** The first fill of a prescription that has no schedule yet. */
export async function orderFirst(year: Year, prescription_id: number): Promise<void> {
  const rx = year.book.prescriptions.get(prescription_id)!;
  const body = {
    reference: `year ${reference++}`,
    shipping: rx.drug.shipping,
    patient: { patient_id: rx.patient.patient_id },
    items: [{ prescription_id }],
  };
  noted(year, "orders of the partner", await year.ask("/orders", body));
}

const FULL_REFUND = "full refunds";

/** Refunds for parcels that were lost or returned, and for some others. `from` is the first event not seen yet. */
export async function refundSome(year: Year, from: number): Promise<void> {
  await someInTurn(year, year.book.feed.slice(from), async (own, { event_type, order_number, body }) => {
    if (event_type !== "SHIPMENT_UPDATED" || order_number === null) return;
    const status = parcelIn(body, order_number);
    const gone = status === "lost" ? 102 : status === "returned" ? 106 : null;
    if (gone !== null && chance(own, 0.8)) await refund(own, order_number, gone, false);
    if (status === "delivered" && chanceOrFirst(own, FULL_REFUND, 0.06)) {
      await refund(own, order_number, 101, own.book.seen[FULL_REFUND] !== undefined && chance(own, 0.6));
    }
  });
}

function parcelIn(body: object, order_number: string): string | undefined {
  type Dispense = { order_number: string; shipment: { status: string } | null };
  const { medication_requests = [] } = body as { medication_requests?: { medication_dispenses: Dispense[] }[] };
  const all = medication_requests.flatMap(({ medication_dispenses }) => medication_dispenses);
  return all.find((one) => one.order_number === order_number)?.shipment?.status;
}

async function refund(year: Year, order_number: string, reason_id: number, partly: boolean): Promise<void> {
  const before = (await read(year, order_number)).payment;
  const rest = before.amount_cents - before.refunded_cents;
  const amount_cents = partly ? Math.max(1, Math.floor(rest / between(year, 2, 5))) : rest;
  if (rest <= 0) return;
  const event = partly ? { event: "partial_refund", reason_id, amount_cents } : { event: "refund", reason_id };
  if (await request(year, order_number, event)) {
    year.book.refunds.push({ order_number, amount_cents });
    count(year.book, partly ? "partial refunds" : FULL_REFUND);
  }
}

/** Keeps the text of each month when it is first read as closed. */
export async function readClosed(year: Year): Promise<void> {
  const { body } = await year.ask<{ statements: { month: string; status: string }[] }>("/statements?limit=200");
  for (const { month, status } of body.statements) {
    if (status !== "closed" || year.book.closed.has(month)) continue;
    year.book.closed.set(month, (await year.ask(`/statements/${month}?limit=200`)).text);
    count(year.book, "closed statements");
  }
}

/** Moves the clock and waits until it has arrived: a long move goes on after its answer. */
export async function advance(year: Year, days: number): Promise<void> {
  const { host, book } = year;
  await simulate(year, "clock", { advance_seconds: days * 86_400 });
  await until("the clock has reached its goal", async () => {
    const { rows } = await host.raw("select clock_offset_s, clock_goal_s from account where account_id = $1", [
      book.account_id,
    ]);
    book.clock_offset_s = Number(rows[0]!["clock_offset_s"]);
    return book.clock_offset_s >= Number(rows[0]!["clock_goal_s"]);
  });
}
