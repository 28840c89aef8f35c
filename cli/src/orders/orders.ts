import { exceptionIds, type HistoryEntry, type Order, orderStatuses } from "@pestle/contract";
import { type PartnerOptions, partnerOptions } from "../accounts/partner-account.ts";
import { wholeNumber } from "../arguments.ts";
import { WrongUsage } from "../errors.ts";
import { pageOf, progress } from "../output.ts";
import { openPartnerApi } from "../partner-api.ts";
import type { CommandRow } from "../program.ts";
import { historyText, orderRows, partnerOrderText } from "./partner-order-text.ts";

export const ORDER = ["order_number", "from `pestle orders list`"] as const;
export const NO_ORDER = "The account has no such order. Run `pestle orders list` to see its orders.";
export const orderPath = (order_number: string) => `/orders/${encodeURIComponent(order_number)}` as const;

const USUALLY_SHOWN = 25;
const LONGEST_PAGE = 100;
const MOST_SHOWN = 10_000;

type ListOptions = PartnerOptions & {
  patient?: string;
  status?: string;
  rx?: string;
  brand?: string;
  reference?: string;
  exception?: string;
  createdAfter?: string;
  createdBefore?: string;
  updatedAfter?: string;
  limit?: string;
  cursor?: string;
};

/** The partner's view, over the API. The pharmacy's view is `pestle order`. */
export const orderReadCommands: readonly CommandRow[] = [
  {
    name: "orders list",
    lists: "orders",
    summary: "list an account's orders, newest first",
    options: [
      ["--patient <patient_id>", "only this patient"],
      ["--status <status>", "only with this status", { choices: orderStatuses }],
      ["--rx <prescription_id>", "only this prescription"],
      ["--brand <brand_id>", "only this brand"],
      ["--reference <text>", "only with this reference of yours"],
      ["--exception <id>", "only where this exception is open", { choices: exceptionIds.map(String) }],
      ["--created-after <time>", "a time with time zone, or a date"],
      ["--created-before <time>", "a time with time zone, or a date"],
      ["--updated-after <time>", "a time with time zone, or a date"],
      ["--limit <number>", `how many (default: ${USUALLY_SHOWN})`],
      ["--cursor <cursor>", "continue an earlier list"],
      ...partnerOptions,
    ],
    examples: [
      "orders list",
      'orders list --status "On Hold" --json',
      "orders list --patient ay87nt --created-after 2026-11-01 --limit 500",
    ],
    async run(options: ListOptions, _argument, env) {
      const most = countOf(options.limit);
      const api = await openPartnerApi(options, env);
      const query = {
        patient_id: options.patient,
        order_status: options.status,
        prescription_id: options.rx,
        brand_id: options.brand,
        reference: options.reference,
        exception_id: options.exception,
        created_after: options.createdAfter,
        created_before: options.createdBefore,
        updated_after: options.updatedAfter,
      };
      const orders: Order[] = [];
      const shown = progress();
      let next_cursor: string | null = options.cursor ?? null;
      do {
        const page: { orders: Order[]; next_cursor: string | null } = await api.request("GET", "/orders", {
          query: { ...query, cursor: next_cursor ?? undefined, limit: Math.min(LONGEST_PAGE, most - orders.length) },
        });
        orders.push(...page.orders);
        next_cursor = page.next_cursor;
        shown.show(`${orders.length} orders`);
      } while (next_cursor !== null && orders.length < most);
      shown.done();
      const more =
        next_cursor === null ? "" : `\nThere are more. Raise --limit, or continue with --cursor ${next_cursor}`;
      return {
        data: pageOf(orders, next_cursor),
        text: orders.length === 0 ? "No orders." : `${orderRows(orders)}${more}`,
      };
    },
  },
  {
    name: "orders get",
    summary: "show an order: status, items, parcels and open exceptions",
    argument: ORDER,
    options: [["--history", "also show its history"], ...partnerOptions],
    examples: ["orders get 7K2M9XQ4TB", "orders get 7K2M9XQ4TB --history --json"],
    async run({ history, ...options }: PartnerOptions & { history?: boolean }, order_number, env) {
      const api = await openPartnerApi(options, env);
      const order = await api.request<Order>("GET", orderPath(order_number), { missing: NO_ORDER });
      const text = partnerOrderText(order);
      if (!history) return { data: order, text };
      const { history: changes } = await api.request<{ history: HistoryEntry[] }>(
        "GET",
        `${orderPath(order_number)}/history`,
        { query: { limit: LONGEST_PAGE } },
      );
      return { data: { ...order, history: changes }, text: [text, ...changes.map(historyText)].join("\n") };
    },
  },
];

function countOf(limit: string | undefined): number {
  const count = limit === undefined ? USUALLY_SHOWN : wholeNumber(limit, "--limit");
  if (count < 1 || count > MOST_SHOWN) throw new WrongUsage(`--limit takes a number from 1 to ${MOST_SHOWN}.`);
  return count;
}
