import { SimulatedClock } from "@pestle/contract";
import { advanceAccountClock } from "../../db/accounts/accounts.ts";
import { announce } from "../../db/bus.ts";
import type { Tx } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { readBody } from "../../domain/values/read-body.ts";
import { refuse, refuseAll } from "../../domain/values/refusals.ts";
import { trackShipments } from "../fulfillment/track-shipments.ts";
import { fillDue } from "../intake/order-due-prescriptions.ts";
import { tellExpiries } from "../intake/tell-expiries.ts";
import { fillBackOrders } from "../orders/fill-back-orders.ts";
import { recheckDue } from "../orders/recheck-orders.ts";
import { expireDueRequests } from "../prescribers/expire-requests.ts";
import { closeMonths } from "../statements/close-months.ts";
import type { Simulation } from "./simulation.ts";

/** `{"advance_seconds":86400}` moves the account's clock forward. */
export const simulateClock: Simulation = (deps, { account_id }, simulation, problems) => {
  const { fields, problems: found } = readBody(SimulatedClock, simulation, "simulation.");
  refuseAll([...problems, ...found]);
  return {
    attempt: async (tx) => {
      const now = await moveClock(tx, account_id, fields.advance_seconds!, deps.now());
      return { now: now.toISOString() };
    },
    // When the caller receives the answer, all work due by the new time is done.
    settle: (done) => catchUp(deps, account_id).then(() => done),
  };
};

/** At most a hundred years in total. */
const FARTHEST_OFFSET_S = 3_153_600_000;

/** Moves a sandbox account's own clock forward and returns the account's time. */
export async function moveClock(tx: Tx, account_id: string, advance_seconds: number, now: Date): Promise<Date> {
  const moved = await advanceAccountClock(tx, account_id, advance_seconds, FARTHEST_OFFSET_S);
  if (moved === undefined) return refuse(42200, "simulation.advance_seconds", { problem: "not_allowed" });
  await announce(tx, { kind: "account", account_id });
  return accountNow(now, moved.clock_offset_s);
}

/** Runs an account's due work at once instead of waiting for the jobs. The jobs retry whatever fails here. */
async function catchUp(deps: Deps, account_id: string): Promise<void> {
  const works = [trackShipments, recheckDue, fillBackOrders, fillDue, tellExpiries, expireDueRequests, closeMonths];
  for (const work of works) {
    try {
      await work(deps, account_id);
    } catch (error) {
      deps.log.warn({ fault: (error as Error).name }, "due sandbox work failed and waits for the next job run");
    }
  }
}
