import {
  type DashboardLots,
  type DashboardStock,
  destructionReasonNames,
  type Environment,
  type MovedShelf,
} from "@pestle/contract";
import { listShelves } from "../../db/catalogue/stock.ts";
import { loadShelvesWithLots } from "../../db/catalogue/stock-lots.ts";
import type { Deps } from "../../deps.ts";
import type { NamedLot } from "../../domain/catalogue/lot-moves.ts";
import type { Shelf } from "../../domain/catalogue/stock.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { exact } from "../../domain/values/quantity-units.ts";
import { refuse, StatusRefusal } from "../../domain/values/refusals.ts";
import { requireKnown } from "../../usecases/accounts/partners-in-dashboard.ts";
import { destroyStock } from "../../usecases/catalogue/destroy-stock.ts";
import { countStock, receiveStock } from "../../usecases/catalogue/move-stock.ts";
import { readCatalogue } from "../../usecases/catalogue/read-catalogue.ts";
import { returnParcel } from "../../usecases/catalogue/return-parcel.ts";
import { writeAudit } from "../../usecases/operations/write-audit.ts";
import { type Answer, json } from "../answer.ts";
import type { JsonObject } from "../body.ts";
import { amountField, choiceField, flagField, optionalText, textField } from "../body-fields.ts";
import { accountIn, asked, everybody, queryOf } from "../dashboard-route.ts";
import type { WebCall, WebCallTo, WebRoute } from "../web-api.ts";

const LONGEST_LOT = 200;
const LONGEST_NOTE = 500;

/** The stock of an account, by product and by lot. */
export const stockRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: "/dashboard/stock/:account_id",
    roles: everybody,
    handler: async (deps, call) => {
      const { account_id } = await ownerIn(deps, call);
      const { formulary } = await readCatalogue(deps, account_id);
      const shelves = (await listShelves(deps.db, account_id, null, 0)).map(
        ({ sku, name, on_hand_units, reserved_units, available_units, loose_units, returned_units }) => {
          const product = formulary.by_sku.get(sku);
          return {
            ...{ sku, name, on_hand_units, reserved_units, free_units: available_units, loose_units, returned_units },
            ndc: product?.ndc ?? null,
            has_lot: product === undefined || product.ndc !== null || product.rx_only,
            controlled: (product?.drug_schedule ?? "0") !== "0",
          };
        },
      );
      return json(200, { account_id, shelves } satisfies DashboardStock);
    },
  },
  {
    method: "GET",
    path: "/dashboard/stock/:account_id/lots",
    roles: everybody,
    handler: async (deps, call) => {
      const { account_id, clock_offset_s } = await ownerIn(deps, call);
      const sku = asked(queryOf(call, "sku"), "sku", /^.{1,100}$/u) ?? refuse(40003, "sku");
      const [shelf] = await loadShelvesWithLots(deps.db, account_id, [sku]);
      if (shelf === undefined) throw new StatusRefusal(404);
      const today = dateIn(deps.config.TIME_ZONE, accountNow(deps.now(), clock_offset_s));
      const returned_units = exact(shelf.returned_units - shelf.lots.reduce((sum, one) => sum + one.returned_units, 0));
      const lots: DashboardLots = {
        sku,
        lots: shelf.lots.map((lot) => ({ ...lot, expired: lot.expires_on <= today })),
        loose: {
          on_hand_units: exact(shelf.on_hand_units - shelf.lot_units),
          filled_units: shelf.loose_filled_units,
          returned_units,
        },
      };
      return json(200, lots);
    },
  },
  {
    method: "POST",
    path: "/dashboard/stock/:account_id/receive",
    roles: everybody,
    handler: (deps, call) => moveStock(deps, call, receiveStock, "stock_received"),
  },
  {
    method: "POST",
    path: "/dashboard/stock/:account_id/count",
    roles: everybody,
    handler: (deps, call) => moveStock(deps, call, countStock, "stock_counted"),
  },
  {
    method: "POST",
    path: "/dashboard/stock/:account_id/return",
    roles: everybody,
    handler: async (deps, call) => {
      const { body, person, request } = call;
      const { account_id } = await ownerIn(deps, call);
      const order_number = textField(body, "order_number", 10).toUpperCase();
      const note = optionalText(body, "note", LONGEST_NOTE) ?? null;
      return json(200, await returnParcel(deps, person, { account_id, order_number, note }, request.id));
    },
  },
  {
    method: "POST",
    path: "/dashboard/stock/:account_id/destroy",
    roles: everybody,
    handler: async (deps, call) => {
      const { body, person, request } = call;
      const { account_id } = await ownerIn(deps, call);
      const given = {
        account_id,
        sku: textField(body, "sku", 100),
        units: unitsField(body),
        lot: optionalText(body, "lot", LONGEST_LOT) ?? null,
        returned: flagField(body, "returned"),
        reason: choiceField(body, "reason", destructionReasonNames),
        note: optionalText(body, "note", LONGEST_NOTE) ?? null,
        witness_id: optionalText(body, "witness_id", 100) ?? null,
      };
      return json(200, moved(await destroyStock(deps, person, given, request.id)));
    },
  },
];

/** The partner's account that the path names. The pharmacy's own has no catalogue. */
export async function ownerIn(
  deps: Deps,
  call: WebCall,
): Promise<{ account_id: string; environment: Environment; clock_offset_s: number }> {
  const { account_id, environment, partner_id, clock_offset_s } = await requireKnown(deps.db, accountIn(call));
  if (partner_id === null) throw new StatusRefusal(404);
  return { account_id, environment, clock_offset_s };
}

async function moveStock(
  deps: Deps,
  call: WebCallTo<"POST /dashboard/stock/{account_id}/receive" | "POST /dashboard/stock/{account_id}/count">,
  move: typeof countStock,
  action: "stock_received" | "stock_counted",
): Promise<Answer<MovedShelf>> {
  const { body, person, request } = call;
  const { account_id } = await ownerIn(deps, call);
  const sku = textField(body, "sku", 100);
  const units = move === receiveStock ? unitsField(body) : amountField(body, "units");
  const note = optionalText(body, "note", LONGEST_NOTE) ?? null;
  const reason = optionalText(body, "reason", 100) ?? null;
  const lot = lotField(body);
  const shelf = await move(deps.db, { account_id, sku, units, note, reason, by: person, lot }, deps.now());
  await writeAudit(deps, person, { account_id, action, subject: sku }, request.id);
  return json(200, moved(shelf));
}

const moved = (shelf: Shelf): MovedShelf => ({
  ...shelf,
  free_units: exact(shelf.on_hand_units - shelf.reserved_units),
});

function unitsField(body: JsonObject): number {
  const units = amountField(body, "units");
  return units === 0 ? refuse(42200, "units") : units;
}

/** A lot comes with its expiration date. */
function lotField(body: JsonObject): NamedLot | null {
  const lot = optionalText(body, "lot", LONGEST_LOT);
  const expires_on = optionalText(body, "expires_on", LONGEST_LOT);
  if (lot === undefined && expires_on === undefined) return null;
  return { lot: lot ?? "", expires_on: expires_on ?? "" };
}
