import { exceptionRow, type ScheduleStatus, scheduleActionNames, scheduleActions } from "@pestle/contract";
import { describe, expect, test } from "vitest";
import {
  acted,
  decideDue,
  dueAt,
  filled,
  firstFill,
  intervalOf,
  isPossible,
  notified,
  pausedBy,
  type Schedule,
  type ScheduleFacts,
  type Why,
} from "../../../src/domain/schedules/schedule.ts";
import { scheduleProblems, whysOf, withOrderProblems } from "../../../src/domain/schedules/schedule-problems.ts";

const active: Schedule = {
  status: "active",
  next_fill_on: "2026-12-15",
  notified_for: null,
  next_fill_problems: [],
  paused_because: null,
  last_order_number: null,
  last_filled_on: null,
  followed_on: null,
};
const told: Schedule = { ...active, notified_for: "2026-12-15" };
const facts: ScheduleFacts = {
  today: "2026-12-15",
  lead_days: 7,
  interval_days: 30,
  last_ordered_on: "2026-11-15",
  automatic_due: false,
  last_held_by: null,
  last_canceled: false,
};
const canceled: Why = { code: 42276, message: "Canceled Refill Order" };
const because = { code: 42250, message: "Invalid Item Prescription Refills" };

describe("the days of a schedule", () => {
  test.each([
    ["every_days before the days' supply", [28, 30], 28],
    ["the days' supply", [null, 30], 30],
    ["no days' supply", [null, null], null],
    ["a supply of fewer days than an interval can have", [null, 6], null],
    ["a supply of more", [null, 366], null],
    ["the shortest", [null, 7], 7],
    ["the longest", [365, null], 365],
  ] as const)("the interval: %s", (_, [every_days, days_supply], expected) => {
    expect(intervalOf(every_days, days_supply)).toBe(expected);
  });

  test.each([
    ["never ordered: today", null, "2026-12-15"],
    ["ordered ten days ago: after the interval", "2026-12-05", "2027-01-04"],
    ["ordered long ago: today", "2026-01-01", "2026-12-15"],
  ] as const)("the first fill: %s", (_, last_ordered_on, expected) => {
    expect(firstFill(last_ordered_on, 30, "2026-12-15")).toBe(expected);
  });

  test("the job looks at it for the notice, then for the fill, and not at all unless it is active", () => {
    const zone = "America/New_York";
    expect(dueAt(active, facts, zone)).toEqual(new Date("2026-12-08T05:00:00Z"));
    expect(dueAt(told, facts, zone)).toEqual(new Date("2026-12-15T05:00:00Z"));
    expect(dueAt({ ...told, status: "paused" }, facts, zone)).toBeNull();
    expect(dueAt({ ...told, status: "canceled", next_fill_on: null }, facts, zone)).toBeNull();
  });
});

describe("what a schedule does", () => {
  test.each<[string, Schedule, Partial<ScheduleFacts>, ReturnType<typeof decideDue>]>([
    ["nothing before the notice", active, { today: "2026-12-07" }, null],
    ["the notice, its lead days before", active, { today: "2026-12-08" }, { notify: "2026-12-15" }],
    ["the notice first, also on the day of the fill", active, {}, { notify: "2026-12-15" }],
    ["nothing between notice and fill", told, { today: "2026-12-14" }, null],
    ["the fill on its day", told, {}, { fill: "2026-12-15" }],
    ["the fill a day late, after an outage", told, { today: "2026-12-16" }, { fill: "2026-12-15" }],
    ["no fill while Automatic Processing orders the first one", told, { automatic_due: true }, null],
    ["nothing if it is paused", { ...told, status: "paused" }, {}, null],
    ["nothing if it is canceled", { ...told, status: "canceled", next_fill_on: null }, {}, null],
    [
      "another day after an order that it did not make",
      told,
      { last_ordered_on: "2026-12-10" },
      { changed: { ...active, next_fill_on: "2027-01-09", followed_on: "2026-12-10" } },
    ],
    [
      "nothing while the order that it followed exists",
      { ...active, next_fill_on: "2027-01-09", followed_on: "2026-12-10" },
      { last_ordered_on: "2026-12-10" },
      null,
    ],
    [
      "the day by the order before, if the one that it followed was canceled",
      { ...active, next_fill_on: "2027-01-09", followed_on: "2026-12-10" },
      { today: "2026-12-12" },
      { changed: { ...active, followed_on: "2026-11-15" } },
    ],
    [
      "today, if the only order was canceled",
      { ...active, next_fill_on: "2027-01-09", followed_on: "2026-12-10" },
      { today: "2026-12-12", last_ordered_on: null },
      { changed: { ...active, next_fill_on: "2026-12-12" } },
    ],
    [
      "a pause while its last order is held",
      active,
      { last_held_by: 75 },
      { changed: { ...active, status: "paused", paused_because: { code: 75, message: exceptionRow(75).message } } },
    ],
    [
      "a pause as soon as its last order was canceled, and the fill is due again",
      { ...told, last_order_number: "7K2M9XQ4TB", last_filled_on: "2026-11-30", next_fill_on: "2026-12-30" },
      { today: "2026-12-01", last_canceled: true },
      {
        changed: { ...active, status: "paused", paused_because: canceled, last_filled_on: "2026-11-15" },
      },
    ],
  ])("%s", (_, schedule, more, expected) => {
    expect(decideDue(schedule, { ...facts, ...more })).toEqual(expected);
  });

  test("a fill moves it by its interval from the day of the order, and a held order pauses it", () => {
    const order = { order_number: "7K2M9XQ4TB", exceptions: [] };
    const done = {
      ...active,
      next_fill_on: "2027-01-14",
      last_order_number: "7K2M9XQ4TB",
      last_filled_on: "2026-12-15",
    };
    expect(filled(told, order, facts)).toEqual(done);
    expect(filled(told, order, { ...facts, today: "2026-12-18" }).next_fill_on).toBe("2027-01-17");
    const held = { ...exceptionRow(75), id: 75 as const, raised_at: "2026-12-15T05:00:00.000Z", order_actions: [] };
    expect(filled(told, { ...order, exceptions: [held] }, facts)).toEqual({
      ...done,
      status: "paused",
      paused_because: { code: 75, message: exceptionRow(75).message },
    });
  });

  test("the notice stores why the fill would fail, and another day forgets it", () => {
    const warned = notified(active, [because]);
    expect(warned).toEqual({ ...told, next_fill_problems: [because] });
    expect(acted(warned, "skip", facts)).toEqual({ ...active, next_fill_on: "2027-01-14" });
  });

  test("the service pauses no canceled schedule", () => {
    const canceled: Schedule = { ...active, status: "canceled", next_fill_on: null };
    expect(pausedBy(canceled, because)).toEqual(canceled);
    expect(pausedBy(told, because)).toEqual({ ...told, status: "paused", paused_because: because });
  });
});

describe("an action of the partner", () => {
  const statuses: ScheduleStatus[] = ["active", "paused", "canceled"];
  const pairs = scheduleActionNames.flatMap((action) => statuses.map((status) => [action, status] as const));
  test.each(pairs)("%s on a schedule that is %s", (action, status) => {
    const possible = (scheduleActions[action].from as readonly string[]).includes(status);
    const schedule: Schedule = { ...active, status, ...(status === "canceled" && { next_fill_on: null }) };
    expect(isPossible(schedule, action)).toBe(possible);
    if (action !== "fill_now") expect(acted(schedule, action, facts) !== null).toBe(possible);
  });

  test("resume after a hold whose order was canceled makes the fill due again, and does not pause for it once more", () => {
    const held: Schedule = {
      ...active,
      status: "paused",
      paused_because: because,
      next_fill_on: "2027-01-14",
      last_order_number: "7K2M9XQ4TB",
      last_filled_on: "2026-12-15",
    };
    const resumed = acted(held, "resume", { ...facts, last_canceled: true })!;
    expect(resumed).toEqual({ ...active, last_filled_on: "2026-11-15" });
  });

  test("resume forgets the reason, and a day that has passed becomes today", () => {
    const paused: Schedule = { ...told, status: "paused", paused_because: because };
    expect(acted(paused, "resume", { ...facts, today: "2026-12-20" })).toEqual({
      ...active,
      next_fill_on: "2026-12-20",
    });
    expect(acted(paused, "resume", { ...facts, today: "2026-12-01" })).toEqual(active);
    expect(acted(active, "pause", facts)).toEqual({ ...active, status: "paused" });
    expect(acted(told, "cancel", facts)).toEqual({ ...active, status: "canceled", next_fill_on: null });
  });
});

describe("a new schedule is refused", () => {
  const now = new Date("2026-12-15T12:00:00Z");
  const good = {
    prescription: { drug_schedule: "0" as const, days_supply: 30 },
    product: { drug_schedule: "0" as const },
    every_days: null,
    consent_at: now,
    has_schedule: false,
    now,
  };
  test.each([
    ["never, if all is well", {}, []],
    ["with a consent of the future", { consent_at: new Date(now.getTime() + 1) }, [42271]],
    ["without an interval", { prescription: { drug_schedule: "0" as const, days_supply: null } }, [42272]],
    ["not if every_days gives it", { every_days: 30, prescription: { drug_schedule: "0", days_supply: null } }, []],
    ["for a schedule 2 prescription", { prescription: { drug_schedule: "2" as const, days_supply: 30 } }, [42274]],
    ["for a schedule 2 product", { product: { drug_schedule: "2" as const } }, [42274]],
    ["beside another schedule", { has_schedule: true }, [42275]],
    ["only for its consent, if the prescription is unknown", { prescription: null, has_schedule: true }, []],
  ] as const)("%s", (_, more, codes) => {
    expect(scheduleProblems({ ...good, ...more }).map(({ code }) => code)).toEqual(codes);
  });

  test("the problems of the order name the schedule's own fields, and stock can still arrive", () => {
    const problems = [
      { code: 42206, field: "patient.patient_id" },
      { code: 42250, field: "items[0].prescription_id" },
      { code: 42253, field: "items[0].quantity" },
      { code: 42291, field: "shipping.method_id" },
    ] as const;
    expect(withOrderProblems([], problems, true)).toEqual([
      { code: 42206, field: "patient_id" },
      { code: 42250, field: "prescription_id" },
      { code: 42291, field: "shipping.method_id" },
    ]);
    expect(withOrderProblems([], problems, false).map(({ code }) => code)).toEqual([42206, 42291]);
    const never = withOrderProblems(
      [{ code: 42274, field: "prescription_id" }],
      [{ code: 42208, field: "patient" }],
      true,
    );
    expect(never.map(({ code }) => code)).toEqual([42274]);
    expect(whysOf([42257, 42250, 42257]).map(({ code }) => code)).toEqual([42250, 42257]);
  });
});
