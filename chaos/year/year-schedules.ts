import type { RefillSchedule, ScheduleAction } from "@pestle/contract";
import { type BookRx, type BookSchedule, count, dayOf, plusDays } from "./year-book.ts";
import { payments, scheduleTwo } from "./year-cast.ts";
import { newPatient, prescribe, renew } from "./year-prescriber.ts";
import { between, chance, chanceOrFirst, noted, nowOf, pick, readAll, someInTurn, type Year } from "./year-world.ts";

/** The codes that mean: the patient needs a new prescription. */
const NEEDS_RENEWAL = new Set([42249, 42250, 42257]);
const methods = ["written", "electronic", "verbal"] as const;

/** The patient agrees to refills, and the partner creates the schedule. */
export async function schedule(year: Year, rx: BookRx): Promise<BookSchedule | null> {
  const { book } = year;
  const now = nowOf(year);
  const consent_at = new Date(now.getTime() - between(year, 0, 90) * 86_400_000);
  const { days_supply, shipping } = rx.drug;
  // Most patients follow the days' supply; some take less, and some order early.
  const every_days = chance(year, 0.2) ? days_supply + pick(year, [5, 2, -3]) : undefined;
  const lead_days = chance(year, 0.4) ? between(year, 1, 30) : undefined;
  const payment = pick(year, payments);
  const answer = await year.ask<RefillSchedule & Record<string, unknown>>("/refill_schedules", {
    patient_id: rx.patient.patient_id,
    prescription_id: rx.prescription_id,
    shipping,
    ...(payment.payer === "patient" && { payment }),
    ...(every_days !== undefined && { every_days }),
    ...(lead_days !== undefined && { lead_days }),
    consent: { given_at: consent_at.toISOString(), method: pick(year, methods) },
  });
  if (!noted(year, "schedules", answer)) return null;
  const { body: seen } = answer;
  const made: BookSchedule = {
    schedule_id: seen.schedule_id,
    rx,
    consent_at,
    first_fill_on: seen.next_fill_on!,
    interval_days: every_days ?? days_supply,
    lead_days: lead_days ?? 7,
    payer: payment.payer,
    changes: [{ at: new Date(seen.created_at), what: "created" }],
    seen,
  };
  book.schedules.set(seen.schedule_id, made);
  return made;
}

/** Bodies that the service must refuse: without consent, with a consent of the future, and for a drug of schedule 2. */
export async function tryForbidden(year: Year, free: BookRx): Promise<void> {
  const { book } = year;
  const now = nowOf(year);
  const of = ({ prescription_id, patient, drug }: BookRx) => ({
    patient_id: patient.patient_id,
    prescription_id,
    shipping: drug.shipping,
  });
  const consent = { given_at: new Date(now.getTime() - 1000).toISOString(), method: "verbal" };
  const controlled = await prescribe(year, newPatient(year, scheduleTwo), scheduleTwo);
  const tries: [string, object, number][] = [
    ["schedule 2", { ...of(controlled), consent }, 42274],
    ["no consent", of(free), 42271],
    ["a consent of the future", { ...of(free), consent: { ...consent, given_at: "2199-01-01T00:00:00Z" } }, 42271],
  ];
  for (const [what, body, code] of tries) {
    const answer = await year.ask("/refill_schedules", body);
    const codes = ((answer.body["errors"] ?? []) as { code: number }[]).map((error) => error.code);
    if (!codes.includes(code)) book.faults.push(`a schedule with ${what} got ${answer.status} ${codes.join()}`);
    else count(book, `schedules refused: ${what}`);
  }
}

/** Sees what happened to the schedules. A pause that the partner did not ask for must have a reason. */
export async function readSchedules(year: Year, filters: readonly string[] = ["?status=active", "?status=paused"]) {
  const { book } = year;
  for (const filter of filters) {
    for (const seen of await readAll<RefillSchedule>(year, `/refill_schedules${filter}`, "refill_schedules")) {
      const known = book.schedules.get(seen.schedule_id);
      if (known === undefined) book.faults.push("a schedule that the partner did not create");
      else see(year, known, seen);
    }
  }
}

function see({ book }: Year, known: BookSchedule, seen: RefillSchedule): void {
  const was = known.seen.status;
  known.seen = seen;
  if (seen.status === "paused" && was !== "paused") {
    const code = seen.paused_because?.code ?? 0;
    known.changes.push({ at: new Date(seen.updated_at), what: "paused", code });
    count(book, `pauses because of ${code}`);
  }
  if (seen.status !== was && seen.status !== "paused")
    book.faults.push(`a ${was} schedule is ${seen.status} by itself`);
  if (seen.consent.given_at !== known.consent_at.toISOString()) book.faults.push("a schedule has another consent");
  const by_partner = known.changes.findLast(({ what }) => what === "pause" || what === "paused")?.what === "pause";
  if (seen.status === "paused" && !by_partner && !seen.paused_because?.message) {
    book.faults.push("a schedule is paused without a reason");
  }
}

/** The partner's action. Returns whether the service did it. */
async function act(year: Year, known: BookSchedule, action: ScheduleAction): Promise<boolean> {
  const answer = await year.ask<RefillSchedule & Record<string, unknown>>(
    `/refill_schedules/${known.schedule_id}/${action}`,
    {},
  );
  if (!noted(year, `schedule ${action}`, answer)) return false;
  const { body: seen } = answer;
  known.changes.push({ at: new Date(seen.updated_at), what: action });
  // `fill_now` can be held, and then pauses the schedule.
  if (action === "fill_now") see(year, known, seen);
  else known.seen = seen;
  return true;
}

/** Patients whose schedule needs a new prescription get one, and agree to refills again. */
export async function renewWhereNeeded(year: Year): Promise<void> {
  await someInTurn(year, openSchedules(year), async (own, known) => {
    const { next_fill_problems, paused_because } = known.seen;
    const codes = [...next_fill_problems.map(({ code }) => code), paused_because?.code ?? 0];
    if (!codes.some((code) => NEEDS_RENEWAL.has(code)) || !chance(own, 0.35)) return;
    const rx = await renew(own, known.rx);
    await act(own, known, "cancel");
    await schedule(own, rx);
  });
}

const openSchedules = ({ book }: Year) => [...book.schedules.values()].filter(({ seen }) => seen.status !== "canceled");

/** The partner resumes what paused, mostly after the cause is gone. */
export async function resumeSome(year: Year): Promise<void> {
  const { book, shortages } = year;
  await someInTurn(year, openSchedules(year), async (own, known) => {
    const { status, paused_because, last_order_number } = known.seen;
    if (status !== "paused") return;
    const code = paused_because?.code ?? null;
    const held = last_order_number !== null && book.told.get(last_order_number)?.order_status === "On Hold";
    const remains = held || shortages.has(known.rx.drug.sku) || (code !== null && NEEDS_RENEWAL.has(code));
    if (chance(own, code === null ? 0.3 : remains ? 0.05 : 0.6)) await act(own, known, "resume");
  });
}

/** Changes of mind. */
export async function changeSome(year: Year): Promise<void> {
  const today = dayOf(nowOf(year));
  await someInTurn(year, openSchedules(year), async (own, known) => {
    const { status, next_fill_on } = known.seen;
    if (chance(own, 0.006)) await act(own, known, "skip");
    if (status === "active" && chanceOrFirst(own, "schedule pause", 0.006)) await act(own, known, "pause");
    // Shortly before the next fill, so that the patient does not have too much.
    const soon = next_fill_on !== null && plusDays(next_fill_on, -6) <= today;
    if (chance(own, soon ? 0.08 : 0.003)) await act(own, known, "fill_now");
    if (chance(own, 0.002) && (await act(own, known, "cancel")) && chance(own, 0.5)) await schedule(own, known.rx);
  });
}
