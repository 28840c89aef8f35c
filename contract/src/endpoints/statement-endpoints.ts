import { order } from "../openapi/example-records.ts";
import { array, nullable, object, string } from "../schema.ts";
import { noTotals, Statement, StatementPage } from "../statements/statements.ts";
import { answer, type Endpoint, paged } from "./endpoint.ts";

const statement: Statement = {
  month: "2026-11",
  status: "closed",
  from: "2026-11-01T04:00:00.000Z",
  to: "2026-12-01T05:00:00.000Z",
  closes_at: "2026-12-04T05:00:00.000Z",
  closed_at: "2026-12-04T05:00:21.480Z",
  currency: "USD",
  line_count: 2,
  due_cents: 1695,
  totals: { partner: { ...noTotals, items_cents: 1100, shipping_cents: 595, total_cents: 1695 }, patient: noTotals },
};
const line = {
  booked_at: "2026-11-16T15:04:05.120Z",
  payer: "partner",
  order_number: order.order_number,
  reference: "inv-20931",
  item_id: null,
  sku: null,
  quantity: null,
  reason_id: null,
  description: null,
} as const;
const shown: StatementPage = {
  ...statement,
  lines: [
    {
      ...line,
      line_id: "5b0c9a52-8f0e-4a77-9d1c-3f2f6f1f4b10-1",
      kind: "item",
      amount_cents: 1100,
      item_id: 1,
      sku: "atorvastatin-20",
      quantity: 1,
    },
    {
      ...line,
      line_id: "5b0c9a52-8f0e-4a77-9d1c-3f2f6f1f4b10-2",
      kind: "shipment",
      amount_cents: 595,
      description: "Ground",
    },
  ],
  next_cursor: null,
};

export const statementEndpoints = [
  {
    operation_id: "listStatements",
    method: "GET",
    path: "/statements",
    server: "partner",
    tags: ["Statements"],
    auth: "bearer:partners",
    summary: "List the monthly statements",
    description: "The months in which your account was charged or refunded, newest first, with their totals.",
    query: paged,
    responses: {
      200: answer("A page of statements.", object({ statements: array(Statement), next_cursor: nullable(string()) }), {
        statements: [statement],
        next_cursor: null,
      }),
    },
    codes: [40003],
  },
  {
    operation_id: "getStatement",
    method: "GET",
    path: "/statements/{month}",
    server: "partner",
    tags: ["Statements"],
    auth: "bearer:partners",
    summary: "Read a month's statement",
    description:
      "The totals of a month, and a page of its lines: one per item, parcel, fee, refund and credit. Lines are booked when an order ships, and when a refund is requested. A month without lines returns 404. While the month is open, it can get more lines.",
    query: paged,
    responses: { 200: answer("The statement and a page of its lines.", StatementPage, shown) },
    codes: [40003],
    may_be_missing: true,
  },
] as const satisfies readonly Endpoint[];
