import { Readable } from "node:stream";
import {
  type DashboardOrders,
  dashboardOrderFilters,
  drugSchedules,
  heldSides,
  isExceptionId,
  MOST_PRINTED_ORDERS,
  messageFilters,
  orderStatuses,
  PARTNER_MESSAGE_DAYS,
  papers,
  printedDocuments,
  queueKeys,
  queues,
  stages,
} from "@pestle/contract";
import { countSides, type QueueFilter, type QueuePlace } from "../../db/fulfillment/queue.ts";
import type { Deps } from "../../deps.ts";
import { refuse } from "../../domain/values/refusals.ts";
import {
  anyOrder,
  everyPlace,
  listHeld,
  listQueue,
  openPlaces,
  placesOfStatus,
  walkQueue,
} from "../../usecases/fulfillment/list-queue.ts";
import { printParcels } from "../../usecases/fulfillment/parcels/print-parcels.ts";
import { workInBulk } from "../../usecases/fulfillment/take-step.ts";
import { placeOf, startOfToday } from "../../usecases/operations/read-home.ts";
import { writeAudit, writeLook } from "../../usecases/operations/write-audit.ts";
import { file, json } from "../answer.ts";
import {
  asked,
  askedEnvironment,
  askedNumber,
  askedOne,
  everybody,
  type Query,
  queryOf,
  workerOf,
} from "../dashboard-route.ts";
import type { WebCall, WebRoute } from "../web-api.ts";
import { csvHead, csvLines } from "./order-csv.ts";
import { readBulk } from "./work-request.ts";

const DEFAULT_LIMIT = 50;
const MOST = 200;
const MINUTE_MS = 60_000;

/** The order tables across all accounts. */
export const ordersRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: "/dashboard/orders",
    roles: everybody,
    handler: async (deps, call) => {
      const query = queryOf(call, ...dashboardOrderFilters, "cursor", "limit");
      const limit = askedNumber(query, "limit") ?? DEFAULT_LIMIT;
      if (limit > MOST) refuse(40003, "limit");
      const filter = filterOf(deps, call, query);
      const queue = askedOne(query, "queue", queueKeys) ?? "all";
      await noteList(deps, call, filter.account_id, queue);
      const { orders, next } = await listQueue(deps, filter, placeIn(query), limit);
      return json(200, { orders, next: next && cursorOf(next) } satisfies DashboardOrders);
    },
  },
  {
    method: "GET",
    path: "/dashboard/orders.csv",
    roles: everybody,
    step_up: true,
    handler: async (deps, call) => {
      const filter = filterOf(deps, call, queryOf(call, ...dashboardOrderFilters));
      const entry = { account_id: filter.account_id, action: "orders_exported" as const, subject: null };
      await writeAudit(deps, call.person, entry, call.request.id);
      call.reply.header("cache-control", "no-store").type("text/csv; charset=utf-8");
      call.reply.header("content-disposition", 'attachment; filename="orders.csv"');
      // Streams the file, because it may be long.
      call.reply.send(Readable.from(csvOf(deps, filter)));
      return undefined;
    },
  },
  {
    method: "GET",
    path: "/dashboard/held",
    roles: everybody,
    handler: async (deps, call) => json(200, await countSides(deps.db, askedEnvironment(queryOf(call, "environment")))),
  },
  {
    method: "GET",
    path: "/dashboard/exceptions",
    roles: everybody,
    handler: async (deps, call) => {
      const query = queryOf(call, "environment", "account_id");
      const account_id = asked(query, "account_id", /^[a-z0-9]{12}$/);
      await noteList(deps, call, account_id, "exceptions");
      return json(200, await listHeld(deps, askedEnvironment(query), account_id));
    },
  },
  {
    method: "GET",
    path: "/dashboard/print",
    roles: everybody,
    handler: async (deps, call) => {
      const query = queryOf(call, "orders", "documents", "label_paper", "slip_paper");
      const given = {
        orders: ordersIn(query),
        documents: askedOne(query, "documents", printedDocuments) ?? "slips_and_labels",
        label_paper: askedOne(query, "label_paper", papers) ?? "4x6",
        slip_paper: askedOne(query, "slip_paper", papers) ?? "letter",
      };
      const pdf = await printParcels(deps, workerOf(call), given, call.request.id);
      const name = given.orders.length === 1 ? given.orders[0]!.order_number : "orders";
      return file(pdf, "application/pdf", `${name}.pdf`);
    },
  },
  {
    method: "POST",
    path: "/dashboard/bulk",
    roles: everybody,
    handler: async (deps, call) =>
      json(200, await workInBulk(deps, workerOf(call), readBulk(call.body), call.request.id)),
  },
];

const ONE_ORDER = /^([a-z0-9]{12})\/([0-9A-Z]{10})$/;

function ordersIn(query: Query): { account_id: string; order_number: string }[] {
  const texts = (asked(query, "orders", /^[\w/,]+$/) ?? refuse(40003, "orders")).split(",");
  if (texts.length > MOST_PRINTED_ORDERS) refuse(40003, "orders");
  return texts.map((text) => {
    const [, account_id, order_number] = ONE_ORDER.exec(text) ?? refuse(40003, "orders");
    return { account_id: account_id!, order_number: order_number! };
  });
}

/** One audit entry per list: it shows only initials and products, of many people. */
const noteList = (deps: Deps, { person, request }: WebCall, account_id: string | null, list: string) =>
  writeLook(deps, person, { account_id, action: "orders_listed", subject: list }, request.id);

async function* csvOf(deps: Deps, filter: QueueFilter): AsyncGenerator<string> {
  yield csvHead;
  for await (const orders of walkQueue(deps, filter)) yield csvLines(orders);
}

const allStages = Object.values(stages).flat();
const CLAIMS = ["mine", "free", "others"] as const;
const SHOWN = ["open", "all"] as const;
const PRINTED = ["yes", "no"] as const;

function filterOf(deps: Deps, { person }: WebCall, query: Query): QueueFilter {
  const queue = askedOne(query, "queue", queueKeys);
  const exception_id = askedNumber(query, "exception_id");
  if (exception_id !== null && !isExceptionId(exception_id)) refuse(40003, "exception_id");
  const older_than = askedNumber(query, "older_than_minutes");
  const claimed = askedOne(query, "claimed", CLAIMS);
  const messages = askedOne(query, "messages", messageFilters);
  const waits_for = askedOne(query, "waits_for", heldSides);
  const printed = askedOne(query, "printed", PRINTED);
  const every = messages === "from_partner" || askedOne(query, "show", SHOWN) === "all";
  return {
    ...anyOrder,
    queues: placesOf(query, every ? everyPlace : openPlaces),
    sort: askedOne(query, "sort", ["oldest", "newest"]) ?? "oldest",
    partner_id: asked(query, "partner_id", /^[a-z0-9]{12}$/),
    account_id: asked(query, "account_id", /^[a-z0-9]{12}$/),
    environment: askedEnvironment(query),
    brand_id: askedNumber(query, "brand_id"),
    exception_id: exception_id as QueueFilter["exception_id"],
    needs_pharmacy: waits_for === null ? null : waits_for === "pharmacy",
    schedule: askedOne(query, "schedule", drugSchedules),
    state: asked(query, "state", /^[A-Z]{2}$/),
    stood_before: older_than === null ? null : new Date(deps.now().getTime() - older_than * MINUTE_MS),
    stood_since: queue !== null && "today" in queues[queue] ? startOfToday(deps) : null,
    mine: claimed === "mine" ? person.person_id : null,
    others: claimed === "others" ? person.person_id : null,
    free: claimed === "free" ? true : null,
    partner_wrote_days: messages === "from_partner" ? PARTNER_MESSAGE_DAYS : null,
    question_open: messages === "unanswered" ? true : null,
    printed: printed === null ? null : printed === "yes",
  };
}

/** The queues to list: the intersection of the queue, status and stage filters, or `otherwise` without any. */
function placesOf(query: Query, otherwise: readonly string[]): string[] {
  const queue = askedOne(query, "queue", queueKeys);
  const status = askedOne(query, "order_status", orderStatuses);
  const stage = askedOne(query, "stage", allStages);
  const sets = [
    ...(queue === null ? [] : [[placeOf(queue)]]),
    ...(status === null ? [] : [placesOfStatus(status)]),
    ...(stage === null ? [] : [[stage]]),
  ];
  const [first = otherwise, ...others] = sets;
  return first.filter((place) => others.every((set) => set.includes(place)));
}

/** Opaque to pages, so that its content can change. */
const cursorOf = ({ stage_since, account_id, order_number }: QueuePlace) =>
  Buffer.from([stage_since.toISOString(), account_id, order_number].join(" ")).toString("base64url");

function placeIn(query: Query): QueuePlace | null {
  const cursor = asked(query, "cursor", /^[\w-]{1,200}$/);
  if (cursor === null) return null;
  const [time = "", account_id = "", order_number = ""] = Buffer.from(cursor, "base64url")
    .toString("latin1")
    .split(" ");
  const stage_since = new Date(time);
  if (Number.isNaN(stage_since.getTime())) refuse(40003, "cursor", { problem: "not_found" });
  const place = { stage_since, account_id, order_number };
  return cursorOf(place) === cursor ? place : refuse(40003, "cursor", { problem: "not_found" });
}
