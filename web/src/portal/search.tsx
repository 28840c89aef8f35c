import { ORDER_NUMBER_PATTERN, type PortalOrders } from "@pestle/contract";
import { ApiError, api } from "../app/api.ts";
import type { PaletteHit, PaletteSearch } from "../app/shell/palette.tsx";
import { say, sayName } from "../ui/words/say.tsx";
import { environmentIn } from "./environment.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ORDER_NUMBER = new RegExp(ORDER_NUMBER_PATTERN);
const MOST = 8;

/** Searches by order number, reference, patient ID, or an ID from a log. */
export const search: PaletteSearch = {
  placeholder: say("Order number, reference, patient ID, request ID or event ID"),
  hint: say("Paste any ID from a log or an API response."),
  find: async (q, signal) => {
    const environment = environmentIn(location.pathname.replace(/^\/portal/, ""));
    if (UUID.test(q.toLowerCase())) return { hits: pasted(environment, q.toLowerCase()), more: false };
    const exact = ORDER_NUMBER.test(q.toUpperCase())
      ? [orderHit(environment, q.toUpperCase(), say("Order number"))]
      : [];
    const found = await Promise.all(
      (["reference", "patient_id"] as const).map(async (name) => {
        const given = new URLSearchParams({ [name]: q, limit: String(MOST) });
        return api(`/portal/${environment}/orders?${given}`, { signal }).catch(nothing);
      }),
    );
    const hits = found.flatMap(({ orders }) =>
      orders.map(({ order_number, order_status }) => orderHit(environment, order_number, sayName(order_status))),
    );
    return { hits: [...exact, ...hits], more: found.some(({ next_cursor }) => next_cursor !== null) };
  },
};

const orderHit = (environment: string, order_number: string, about: string): PaletteHit => ({
  key: order_number,
  path: `/${environment}/orders/${order_number}`,
  title: order_number,
  about,
  icon: "pack",
});

const pasted = (environment: string, id: string): PaletteHit[] => [
  { key: "request", path: `/${environment}/requests/${id}`, title: say("Request {id}", { id }), icon: "list" },
  { key: "event", path: `/${environment}/events/${id}`, title: say("Event {id}", { id }), icon: "webhook" },
];

/** Treats a 4xx (not a valid value) as no results and rethrows everything else. */
function nothing(error: unknown): PortalOrders {
  if (error instanceof ApiError && error.status >= 400 && error.status < 500) return { orders: [], next_cursor: null };
  throw error;
}
