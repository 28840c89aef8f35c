import {
  type CounselingRequest,
  counselingOutcomeNames,
  counselingStateNames,
  counselingWayNames,
  NOTE_CHARACTERS,
} from "@pestle/contract";
import { type CounselingPlace, MOST_COUNSELING_ROWS } from "../../db/fulfillment/counseling.ts";
import { refuse } from "../../domain/values/refusals.ts";
import { listCounseling } from "../../usecases/fulfillment/counseling/list-counseling.ts";
import { recordCounseling } from "../../usecases/fulfillment/counseling/record-counseling.ts";
import { revealCounseling } from "../../usecases/fulfillment/counseling/reveal-counseling.ts";
import { writeLook } from "../../usecases/operations/write-audit.ts";
import { json } from "../answer.ts";
import { choiceField, optionalText, wholeField } from "../body-fields.ts";
import {
  asked,
  askedEnvironment,
  askedNumber,
  askedOne,
  numberIn,
  orderIn,
  pharmacists,
  type Query,
  queryOf,
  workerOf,
} from "../dashboard-route.ts";
import type { WebCall, WebRoute } from "../web-api.ts";

const FILL = "/dashboard/counseling/:account_id/:order_number/:item_id";
const ROWS = 50;

/** The pharmacist's call list, and what is recorded about it. */
export const counselingRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: "/dashboard/counseling",
    roles: pharmacists,
    handler: async (deps, call) => {
      const query = queryOf(call, "show", "environment", "cursor", "limit");
      const show = askedOne(query, "show", counselingStateNames) ?? "to_call";
      const limit = Math.min(askedNumber(query, "limit") ?? ROWS, MOST_COUNSELING_ROWS);
      const { fills, next } = await listCounseling(deps, show, askedEnvironment(query), placeIn(query), limit);
      const entry = { account_id: null, action: "orders_listed" as const, subject: "counseling" };
      await writeLook(deps, call.person, entry, call.request.id);
      return json(200, { fills, next: next && cursorOf(next) });
    },
  },
  {
    method: "POST",
    path: FILL,
    roles: pharmacists,
    handler: async (deps, call) => {
      const { body } = call;
      const note = optionalText(body, "note", NOTE_CHARACTERS);
      const given: CounselingRequest = {
        outcome: choiceField(body, "outcome", counselingOutcomeNames),
        how: choiceField(body, "how", counselingWayNames),
        entries: wholeField(body, "entries"),
        ...(note !== undefined && { note }),
      };
      return json(200, await recordCounseling(deps, workerOf(call), fillIn(call), given, call.request.id));
    },
  },
  {
    method: "POST",
    path: `${FILL}/reveal`,
    roles: pharmacists,
    handler: async (deps, call) => json(200, await revealCounseling(deps, call.person, fillIn(call), call.request.id)),
  },
];

const fillIn = (call: WebCall) => ({ ...orderIn(call), item_id: numberIn(call, "item_id") });

/** Opaque to pages, so that its content can change. */
const cursorOf = ({ shipped_at, account_id, order_number, item_id }: CounselingPlace) =>
  Buffer.from([shipped_at.toISOString(), account_id, order_number, item_id].join(" ")).toString("base64url");

function placeIn(query: Query): CounselingPlace | null {
  const cursor = asked(query, "cursor", /^[\w-]{1,200}$/);
  if (cursor === null) return null;
  const [time = "", account_id = "", order_number = "", item = ""] = Buffer.from(cursor, "base64url")
    .toString("latin1")
    .split(" ");
  const shipped_at = new Date(time);
  if (Number.isNaN(shipped_at.getTime()) || !/^\d{1,9}$/.test(item)) refuse(40003, "cursor", { problem: "not_found" });
  const place = { shipped_at, account_id, order_number, item_id: Number(item) };
  return cursorOf(place) === cursor ? place : refuse(40003, "cursor", { problem: "not_found" });
}
