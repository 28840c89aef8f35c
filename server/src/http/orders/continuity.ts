import { CONTINUITY_DAYS } from "@pestle/contract";
import { FIRST_SUPPLY, type SupplyPosition } from "../../db/orders/continuity.ts";
import { refuse } from "../../domain/values/refusals.ts";
import { auditListing } from "../../usecases/operations/audit-portal.ts";
import { type ForecastEntry, readContinuity } from "../../usecases/orders/read-continuity.ts";
import { json } from "../answer.ts";
import { type CursorList, openCursor, sealCursor } from "../cursors.ts";
import { limitOf, linkTo, listAnswer } from "../page.ts";
import type { ReadHandler } from "../partner-api.ts";
import { everybody, ofAccount, queryOf } from "../portal-route.ts";
import { numberOf, type Query } from "../query-values.ts";
import type { WebRoute } from "../web-api.ts";

export const listContinuity: ReadHandler = async (deps, { grant, query, url }) => {
  const { list, within_days, after, limit } = asked(deps, grant.account_id, query);
  const { entries, more } = await readContinuity(deps, grant.account_id, within_days, after, limit);
  const cursorAfter = (index: number) => cursorOf(list, entries[index]!.position);
  return listAnswer(url, "continuity", entries, {
    cursorAfter,
    next_cursor: more ? cursorAfter(entries.length - 1) : null,
    textOf: (entry) => JSON.stringify(shown(entry)),
    patientOf: ({ patient_id }) => patient_id,
  });
};

/** The same forecast in the portal. */
export const continuityRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: "/portal/:environment/continuity",
    roles: everybody,
    handler: ofAccount(async (deps, call) => {
      const { account_id } = call.account;
      const { list, within_days, after, limit } = asked(
        deps,
        account_id,
        queryOf(call, "within_days", "limit", "cursor"),
      );
      const { entries, more } = await readContinuity(deps, account_id, within_days, after, limit);
      await auditListing(deps, call.by, entries, "continuity_read");
      const next_cursor = more ? cursorOf(list, entries.at(-1)!.position) : null;
      const headers = next_cursor === null ? undefined : { link: linkTo(call.request.url, next_cursor) };
      return json(200, { continuity: entries.map(shown), next_cursor }, headers);
    }),
  },
];

const shown = ({ position: _, ...entry }: ForecastEntry) => entry;

function asked(deps: { vault: CursorList["vault"] }, account_id: string, query: Query) {
  const list = { vault: deps.vault, account_id, list: "continuity" };
  const within_days = numberOf(query, "within_days", (days) => days <= CONTINUITY_DAYS.most) ?? CONTINUITY_DAYS.default;
  const [cursor] = query.get("cursor") ?? [];
  const after = cursor === undefined ? FIRST_SUPPLY : positionIn(list, cursor);
  return { list, within_days, after, limit: limitOf(query) };
}

const cursorOf = (list: CursorList, { supply_ends_at, order_number, item_id }: SupplyPosition) =>
  sealCursor(list, `s${supply_ends_at.getTime()}.${order_number}.${item_id}`);

function positionIn(list: CursorList, cursor: string): SupplyPosition {
  const [, at, order_number, item_id] =
    /^s(\d{1,15})\.([0-9A-Z]{10})\.(\d{1,9})$/.exec(openCursor(list, cursor)) ??
    refuse(40003, "cursor", { problem: "not_found" });
  return { supply_ends_at: new Date(Number(at)), order_number: order_number!, item_id: Number(item_id) };
}
