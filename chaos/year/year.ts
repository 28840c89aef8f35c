import type { Order, Workflow } from "@pestle/contract";
import { useCardProvider } from "../../server/test/support/card-provider.ts";
import { seededRandom } from "../random.ts";
import type { BookRx } from "./year-book.ts";
import { type Drug, drugs } from "./year-cast.ts";
import { eventFaults } from "./year-events.ts";
import { type Cards, moneyFaults } from "./year-money.ts";
import {
  advance,
  orderFirst,
  orderSome,
  reactToHolds,
  readClosed,
  readFeed,
  refundSome,
  workOnOpen,
} from "./year-orders.ts";
import { runPharmacy } from "./year-pharmacy.ts";
import { newPatient, prescribe } from "./year-prescriber.ts";
import { refillFaults } from "./year-refills.ts";
import { changeSome, readSchedules, renewWhereNeeded, resumeSome, schedule, tryForbidden } from "./year-schedules.ts";
import { between, chance, type Host, nowOf, openYear, pick, readAll, someInTurn, type Year } from "./year-world.ts";

export type YearRun = {
  /** Patients. A fifth of them belongs to a partner with Automatic Processing. */
  count: number;
  seed: number;
  days?: number;
  /** Breaks a rule of the service, and returns how to repair it. */
  breakRule?: (host: Host) => Promise<() => Promise<void>>;
};
export type YearTally = {
  /** How often what happened. */
  seen: Record<string, number>;
  faults: string[];
  played_ms: number;
};

const DAYS = 365;
const LONGEST_STEP = 7;
const AUTOMATIC_SHARE = 0.2;

/** Plays a year of two partners in the sandbox, and then compares everything that the service tells with their books. */
export async function playYear(host: Host, { count, seed, days = DAYS, breakRule }: YearRun): Promise<YearTally> {
  const begin_ms = Date.now();
  const cards = useCardProvider(host);
  const repair = await breakRule?.(host);
  const tally: YearTally = { seen: {}, faults: [], played_ms: 0 };
  try {
    const automatic = Math.floor(count * AUTOMATIC_SHARE);
    const shares: [Workflow, number][] = [
      ["api_driven", count - automatic],
      ["automatic", automatic],
    ];
    const years = shares
      .filter(([, patients]) => patients > 0)
      .map(async ([workflow, patients], index) => {
        const year = await openYear(host, workflow, seededRandom(seed + index));
        await play(year, patients, days).catch((error: Error) => {
          year.book.faults.push(`the year stopped: ${error.message}`);
        });
        return year;
      });
    const played = await Promise.all(years);
    tally.played_ms = Date.now() - begin_ms;
    for (const year of played) {
      const faults = [...year.book.faults, ...(await judge(year, cards))];
      tally.faults.push(...faults.map((fault) => `${year.book.workflow}: ${fault}`));
      for (const [what, times] of Object.entries(year.book.seen)) tally.seen[what] = (tally.seen[what] ?? 0) + times;
    }
  } finally {
    await repair?.();
  }
  return tally;
}

async function play(year: Year, patients: number, days: number): Promise<void> {
  await begin(year, patients);
  for (let day = 0; day < days; ) {
    const step = Math.min(days - day, between(year, 1, LONGEST_STEP));
    await advance(year, step);
    day += step;
    const from = year.book.feed.length;
    await readFeed(year);
    await readSchedules(year);
    await readClosed(year);
    await reactToHolds(year);
    await workOnOpen(year);
    await refundSome(year, from);
    await renewWhereNeeded(year);
    await resumeSome(year);
    await changeSome(year);
    await orderSome(year);
    await runPharmacy(year);
  }
  await readFeed(year);
  await readSchedules(year, [""]);
}

/** Everybody gets a prescription, and most agree to refills. */
async function begin(year: Year, patients: number): Promise<void> {
  const [first, ...others] = Array.from({ length: patients }, () => pick(year, drugs));
  await tryForbidden(year, await enroll(year, first!));
  await someInTurn(year, others, enroll);
}

/** A new patient for the drug. */
async function enroll(year: Year, drug: Drug): Promise<BookRx> {
  const patient = newPatient(year, drug);
  year.book.patients.push(patient);
  const rx = await prescribe(year, patient, drug);
  if (year.book.workflow === "api_driven" && chance(year, 0.3)) await orderFirst(year, rx.prescription_id);
  if (chance(year, 0.95)) await schedule(year, rx);
  return rx;
}

async function judge(year: Year, cards: Cards): Promise<string[]> {
  const orders = await readAll<Order>(year, "/orders", "orders");
  const end = nowOf(year);
  return [
    ...(await moneyFaults(year, cards, orders)),
    ...(await eventFaults(year, orders)),
    ...(await refillFaults(year, orders, end)),
  ];
}
