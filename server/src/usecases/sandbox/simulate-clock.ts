import { SimulatedClock } from "@pestle/contract";
import { listStoppedClocks, setClockGoal, stepAccountClock } from "../../db/accounts/accounts.ts";
import type { Tx } from "../../db/db.ts";
import { type DueWork, loadDueWork } from "../../db/sandbox/due-work.ts";
import type { Deps } from "../../deps.ts";
import { closesAt, openMonth } from "../../domain/statements/months.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { readBody } from "../../domain/values/read-body.ts";
import { refuse, refuseAll } from "../../domain/values/refusals.ts";
import { trackShipments } from "../fulfillment/track-shipments.ts";
import { fillDue } from "../intake/order-due-prescriptions.ts";
import { tellExpiries } from "../intake/tell-expiries.ts";
import { apart } from "../operations/apart.ts";
import { fillBackOrders } from "../orders/fill-back-orders.ts";
import { recheckDue } from "../orders/recheck-orders.ts";
import { expireDueRequests } from "../prescribers/expire-requests.ts";
import { fillSchedules } from "../schedules/fill-schedules.ts";
import { closeMonths } from "../statements/close-months.ts";
import { shipFills } from "./ship-fills.ts";
import type { Simulation } from "./simulation.ts";

/** `{"advance_seconds":86400}` moves the account's clock forward. */
export const simulateClock: Simulation = (deps, { account_id }, simulation, problems) => {
  const { fields, problems: found } = readBody(SimulatedClock, simulation, "simulation.");
  refuseAll([...problems, ...found]);
  return {
    attempt: async (tx) => {
      const goal = await moveClock(tx, account_id, fields.advance_seconds!, deps.now());
      return { now: goal.toISOString() };
    },
    // When the caller receives the answer, all work due by the new time is done, unless it takes very long.
    settle: (done) =>
      Promise.race([apart(deps, { account_id }, () => playOn(deps, account_id)), limit()]).then(() => done),
  };
};

/** A move over years can make thousands of fills. After this time the caller has the answer, and the rest follows. */
const ANSWERED_AFTER_MS = 60_000;
const limit = () => new Promise<void>((resolve) => setTimeout(resolve, ANSWERED_AFTER_MS).unref());

/** At most a hundred years in total. */
const FARTHEST_OFFSET_S = 3_153_600_000;

/**
 * Moves a sandbox account's own clock forward and returns the account's time after it. On the way the clock stops at each
 * moment at which a refill schedule is due.
 */
export async function moveClock(tx: Tx, account_id: string, advance_seconds: number, now: Date): Promise<Date> {
  const goal = await setClockGoal(tx, account_id, advance_seconds, FARTHEST_OFFSET_S, now);
  if (goal === undefined) return refuse(42200, "simulation.advance_seconds", { problem: "not_allowed" });
  // Work that is due already belongs to the time before the move.
  await stepAccountClock(tx, account_id, now, { stays: true });
  return accountNow(now, goal.clock_goal_s);
}

/**
 * Does the work that is due where the clock is, and moves it on until it has reached its goal. Other work, or another
 * process, can make a schedule due meanwhile, by canceling an order, and a try can fail: the clock stays for one more try.
 */
async function playOn(deps: Deps, account_id: string): Promise<void> {
  let step: Awaited<ReturnType<typeof stepAccountClock>>;
  do {
    await catchUp(deps, account_id);
    step = await stepAccountClock(deps.db, account_id, deps.now(), { stays: true });
    if (step === "stayed") {
      await catchUp(deps, account_id);
      step = await stepAccountClock(deps.db, account_id, deps.now(), { stays: false });
    }
  } while (step === "moved");
}

const STOPPED_AFTER_MS = 120_000;

/** Moves on the clocks of sandbox accounts that stopped on their way, because a process ended. */
export async function moveStoppedClocks(deps: Deps): Promise<void> {
  if (deps.serves === "production") return;
  const before = new Date(deps.now().getTime() - STOPPED_AFTER_MS);
  for (const { account_id } of await listStoppedClocks(deps.db, before)) {
    await apart(deps, { account_id }, () => playOn(deps, account_id));
  }
}

type DueNow = { [One in Exclude<keyof DueWork, "ledger" | "clock_offset_s"> | "months"]: boolean };
type PlannedWork = [due: keyof DueNow, work: (deps: Deps, account_id: string) => Promise<unknown>];

/** The works of one stop, in this order. The second ones also do what the first ones leave to them. */
const works: readonly (readonly PlannedWork[])[] = [
  [
    ["parcels", trackShipments],
    ["rechecks", recheckDue],
    ["back_orders", fillBackOrders],
    ["prescriptions", fillDue],
    ["schedules", fillSchedules],
  ],
  [
    ["fills", shipFills],
    ["notices", tellExpiries],
    ["requests", expireDueRequests],
    ["months", closeMonths],
  ],
];

/** Runs an account's due work at once instead of waiting for the jobs. The jobs retry work that fails here. */
async function catchUp(deps: Deps, account_id: string): Promise<void> {
  for (const these of works) {
    const due = await loadDue(deps, account_id);
    for (const [name, work] of these) {
      if (!due[name]) continue;
      try {
        await work(deps, account_id);
      } catch (error) {
        deps.log.warn(
          { account_id, fault: (error as Error).name },
          "due sandbox work failed and waits for the next job run",
        );
      }
    }
  }
}

async function loadDue(deps: Deps, account_id: string): Promise<DueNow> {
  const { ledger, clock_offset_s, ...due } = (await loadDueWork(deps.db, account_id, deps.now()))!;
  const now = accountNow(deps.now(), clock_offset_s);
  const months = ledger !== null && closesAt(openMonth(deps.config.TIME_ZONE, ledger, ledger.first_open_at)) <= now;
  return { ...due, months };
}
