import { orderStatusReasons } from "../actions.ts";
import { order_number, payers } from "../fields.ts";
import { array, integer, named, nullable, object, oneOf, type Static, string, time } from "../schema.ts";

/** What a line of a statement is for. `totals` names the sum that it belongs to. */
export const moneyKinds = {
  item: { totals: "items_cents", meaning: "an item that shipped, at the price of its order" },
  shipment: { totals: "shipping_cents", meaning: "the parcel, at the price of its shipping method" },
  fee: { totals: "fees_cents", meaning: "an amount that the pharmacy adds" },
  refund: { totals: "refunds_cents", meaning: "money given back for an order; negative" },
  credit: { totals: "credits_cents", meaning: "an amount that the pharmacy gives; negative" },
} as const;
export type MoneyKind = keyof typeof moneyKinds;
export const moneyKindNames = Object.keys(moneyKinds) as [MoneyKind, ...MoneyKind[]];
export type Payer = (typeof payers)[number];

export const statementStatuses = ["open", "closed"] as const;

/** A month closes this long after its end, so that the pharmacy can still add its fees and credits. */
export const SETTLE_DAYS = 3;
export const MONTH_PATTERN = "^[0-9]{4}-(0[1-9]|1[0-2])$";
export const isMonth = (text: string): boolean => new RegExp(MONTH_PATTERN).test(text);

const cents = (options: string) => integer(options);
const month = string({ description: "A calendar month.", pattern: MONTH_PATTERN, examples: ["2026-11"] });

export const StatementTotals = named(
  "StatementTotals",
  object({
    items_cents: cents("The sum of the lines `item`."),
    shipping_cents: cents("The sum of the lines `shipment`."),
    fees_cents: cents("The sum of the lines `fee`."),
    refunds_cents: cents("The sum of the lines `refund`; zero or negative."),
    credits_cents: cents("The sum of the lines `credit`; zero or negative."),
    total_cents: cents("The sum of all lines."),
  }),
);
export type StatementTotals = Static<typeof StatementTotals>;
/** The sums of no lines. */
export const noTotals: StatementTotals = {
  items_cents: 0,
  shipping_cents: 0,
  fees_cents: 0,
  refunds_cents: 0,
  credits_cents: 0,
  total_cents: 0,
};

const statementFields = {
  month,
  status: oneOf(statementStatuses, "A `closed` statement never changes."),
  from: time("The first instant of the month, in the pharmacy's time zone."),
  to: time("The first instant after the month."),
  closes_at: time(`When the month closes: ${SETTLE_DAYS} days after its end.`),
  closed_at: nullable(time("When it was closed. Null while it is open.")),
  currency: string({ examples: ["USD"] }),
  line_count: integer("How many lines the month has."),
  due_cents: cents("What you owe the pharmacy for the month: `totals.partner.total_cents`."),
  totals: object(
    { partner: StatementTotals, patient: StatementTotals },
    { description: "The sums of the lines, by payer. Patients pay by card." },
  ),
};

export const Statement = named("Statement", object(statementFields));
export type Statement = Static<typeof Statement>;

export const StatementLine = named(
  "StatementLine",
  object({
    line_id: string("Identifies the line. It never changes."),
    booked_at: time("When the money moved, by the account's clock: at shipping, or when a refund was requested."),
    kind: oneOf(moneyKindNames, moneyKindNames.map((kind) => `\`${kind}\`: ${moneyKinds[kind].meaning}.`).join(" ")),
    payer: oneOf(payers, "Only lines of the `partner` are part of `due_cents`. A patient pays by card."),
    amount_cents: integer("Negative for refunds and credits."),
    order_number: nullable(order_number),
    reference: nullable(string("The partner's own ID.")),
    item_id: nullable(integer("The item of the order.")),
    sku: nullable(string()),
    quantity: nullable(integer("Packages.")),
    reason_id: nullable(
      oneOf(
        orderStatusReasons.map(({ id }) => id) as [number, ...number[]],
        "The reason of a refund. `GET /order_status_reasons` has their names.",
      ),
    ),
    description: nullable(string("The shipping method, the reason of a refund, or what a fee or credit is for.")),
  }),
);
export type StatementLine = Static<typeof StatementLine>;

export const StatementPage = named(
  "StatementPage",
  object({
    ...statementFields,
    lines: array(StatementLine, "A page of the lines, oldest first."),
    next_cursor: nullable(string()),
  }),
);
export type StatementPage = Static<typeof StatementPage>;
