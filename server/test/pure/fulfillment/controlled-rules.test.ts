import type { DrugSchedule } from "@pestle/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { brokenRules, type ControlledRule, controlledRules } from "../../../src/domain/fulfillment/controlled-rules.ts";
import { type HoldFacts, type HoldItem, holdsOf } from "../../../src/domain/orders/order-holds.ts";

const RUNS = { seed: 20_261_116, numRuns: 3000 };
const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;
const WRITTEN = "2026-08-31";
const NOON_MS = Date.parse(`${WRITTEN}T12:00:00Z`);

type Prescription = {
  schedule: DrugSchedule;
  written_qty: number;
  refills: number;
  signed: boolean;
  /** Days after the written date before which no pharmacist fills it. */
  earliest: number;
};
type Act =
  | { kind: "wait"; hours: number }
  | { kind: "dispense"; units: number }
  | { kind: "accept" }
  | { kind: "request" };
type Dispensed = { at_ms: number; units: number; accepted: boolean; requested: boolean };

const prescription: fc.Arbitrary<Prescription> = fc.record({
  schedule: fc.constantFrom("2", "2", "3", "4", "5"),
  written_qty: fc.constantFrom(30, 60, 7.5),
  refills: fc.constantFrom(0, 0, 0, 1, 5, 6),
  signed: fc.constantFrom(true, true, false),
  earliest: fc.constantFrom(0, 0, 10),
});
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ kind: fc.constant("wait" as const), hours: fc.constantFrom(1, 24, 71, 72, 73, 24 * 30, 24 * 90) }),
  fc.record({ kind: fc.constant("dispense" as const), units: fc.constantFrom(2.5, 7.5, 15, 30, 60, 90) }),
  fc.record({ kind: fc.constantFrom("accept" as const, "request" as const) }),
);
const stories = fc.tuple(prescription, fc.array(act, { minLength: 1, maxLength: 25 }));

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
/** Six months after August 31 is the last day of February. */
const LAST_OF_SIX_MONTHS = "2027-02-28";

/** The law in other words than the table's: what an auditor would hold against the log of a pharmacy. */
function isLawful(rx: Prescription, log: readonly Dispensed[], next: Dispensed): boolean {
  const { schedule, written_qty, refills, earliest } = rx;
  const total = [...log, next].reduce((sum, { units }) => sum + units, 0);
  const day = dayOf(next.at_ms);
  if (!next.accepted || day < dayOf(NOON_MS + earliest * DAY_MS)) return false;
  if (schedule === "2") {
    if (refills > 0 || total > written_qty) return false;
    const first = log[0];
    if (first === undefined || next.at_ms - first.at_ms <= 72 * HOUR_MS) return true;
    return next.requested && day <= dayOf(NOON_MS + 30 * DAY_MS);
  }
  return refills <= 5 && total <= written_qty * (1 + refills) && day <= LAST_OF_SIX_MONTHS;
}

/** Plays a story on the rules. Returns the first dispensing on which the rules and the auditor disagree. */
function disagreement([rx, acts]: [Prescription, Act[]], rules: readonly ControlledRule[]): Dispensed | null {
  const log: Dispensed[] = [];
  let at_ms = NOON_MS;
  let accepted = rx.signed;
  let requested = false;
  for (const one of acts) {
    if (one.kind === "wait") at_ms += one.hours * HOUR_MS;
    if (one.kind === "accept") accepted = true;
    if (one.kind === "request") requested = true;
    if (one.kind !== "dispense") continue;
    const next = { at_ms, units: one.units, accepted, requested };
    const broken = brokenRules(
      {
        drug_schedule: rx.schedule,
        written_date: WRITTEN,
        effective_date: dayOf(NOON_MS + rx.earliest * DAY_MS),
        written_qty: rx.written_qty,
        refills: rx.refills,
        accepted,
        units_before: log.reduce((sum, { units }) => sum + units, 0),
        partial: { first_filled_at: log[0] === undefined ? null : new Date(log[0].at_ms).toISOString(), requested },
        units: one.units,
        now: new Date(at_ms),
        today: dayOf(at_ms),
      },
      rules,
    );
    if ((broken.length === 0) !== isLawful(rx, log, next)) return next;
    if (broken.length === 0) log.push(next);
  }
  return null;
}

describe("the rules of 21 CFR 1306", () => {
  test("allow exactly the lawful dispensings, in any sequence of acts", () => {
    fc.assert(
      fc.property(stories, (story) => disagreement(story, controlledRules) === null),
      RUNS,
    );
  });

  test.each([
    ["signature", ["signed"]],
    ["date of issue", ["date_of_issue"]],
    ["schedule 2: no refill, and no more than written", ["schedule_2_no_refill", "schedule_2_total"]],
    ["schedule 2: 72 hours and 30 days", ["schedule_2_remaining"]],
    ["schedules 3 to 5: six months", ["schedule_3_4_six_months", "schedule_3_5_partial_six_months"]],
    ["schedules 3 to 5: five refills, and no more than written", ["schedule_3_5_refills", "schedule_3_5_total"]],
  ])("are each needed: without %s, a story ends with an unlawful dispensing", (_what, removed) => {
    const known = controlledRules.map(({ id }) => id);
    for (const id of removed) expect(known).toContain(id);
    const rest = controlledRules.filter(({ id }) => !removed.includes(id));
    const found = fc.check(
      fc.property(stories, (story) => disagreement(story, rest) === null),
      RUNS,
    );
    expect(found.failed).toBe(true);
  });

  test("have a citation, a sentence and an enforcement each", () => {
    expect(new Set(controlledRules.map(({ id }) => id)).size).toBe(controlledRules.length);
    for (const { citation, says, enforced, schedules } of controlledRules) {
      expect(citation).toMatch(/^21 (CFR|USC) \d/);
      expect(says).toMatch(/\.$/);
      expect(enforced).toMatch(/\.$/);
      expect(schedules.length).toBeGreaterThan(0);
    }
  });
});

describe("exception 72", () => {
  const item = (units: number, drug_schedule: DrugSchedule): HoldItem =>
    ({
      item_id: 1,
      product: { sku: "x", max_units: 1000, drug_schedule, blocked_states: [], ndc: null },
      prescription: { prescription_id: 1, sig_text: "Once.", daw: false, ndc: null, written_qty: 30, drug_schedule },
      units,
      missing_rx: false,
      back_ordered: false,
    }) as unknown as HoldItem;
  const holds = (...items: HoldItem[]) =>
    holdsOf({
      workflow: "api_driven",
      email: "a@b.example",
      address: null,
      items,
      findings: [],
      doubled: false,
      at_creation: null,
    } as unknown as HoldFacts).map(({ id }) => id);

  test("holds several fills of a controlled drug in one order, and of no other drug", () => {
    expect(holds(item(60, "4"))).toContain(72);
    expect(holds(item(30, "4"), item(30, "4"))).toContain(72);
    expect(holds(item(30, "4"))).not.toContain(72);
    expect(holds(item(60, "0"))).not.toContain(72);
  });
});
