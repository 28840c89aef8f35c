import { expect, test } from "vitest";
import { digestLetter } from "../../../src/domain/operations/digest-letter.ts";
import {
  figureHours,
  lateForecast,
  orderFlow,
  type QueueWaits,
  queueAgeing,
  waitBounds,
} from "../../../src/domain/operations/home-figures.ts";

const ZONE = "America/Chicago";
const NOW = new Date("2026-11-18T20:30:00Z"); // 14:30 in Chicago
const MINUTE_MS = 60_000;

test("the hours are those of seven whole days in the pharmacy's time zone", () => {
  const { hours, until } = figureHours(ZONE, NOW);
  expect(hours[0]!.from.toISOString()).toBe("2026-11-12T06:00:00.000Z");
  expect(until.toISOString()).toBe("2026-11-19T06:00:00.000Z");
  expect(hours).toHaveLength(7 * 24);
  // The clocks went back on November 1.
  const around = figureHours(ZONE, new Date("2026-11-01T18:00:00Z"));
  expect(around.hours.filter(({ day }) => day === 6)).toHaveLength(25);
});

test("a day counts its hours, and an hour to come has no count", () => {
  const shown = figureHours(ZONE, NOW);
  const received = shown.hours.map(({ day }) => (day === 6 ? 2 : 1));
  const { hours, days } = orderFlow(shown, NOW, received, []);
  expect(hours).toHaveLength(24);
  expect(hours.map((hour) => hour.received).filter((count) => count !== null)).toHaveLength(15);
  expect(hours[14]).toEqual({ from: "2026-11-18T20:00:00.000Z", received: 2, shipped: 0 });
  expect(hours[15]).toEqual({ from: "2026-11-18T21:00:00.000Z", received: null, shipped: null });
  expect(days.map((day) => day.received)).toEqual([24, 24, 24, 24, 24, 24, 48]);
});

/** A queue whose orders have waited for these minutes. */
function queueOf(target_minutes: number, waited: readonly number[]): QueueWaits {
  const bounds = waitBounds(target_minutes, NOW, figureHours(ZONE, NOW));
  const counts = Array.from({ length: bounds.length + 1 }, () => 0);
  for (const minutes of waited) {
    const entered_ms = NOW.getTime() - minutes * MINUTE_MS;
    // As width_bucket counts.
    counts[bounds.filter((bound) => bound.getTime() <= entered_ms).length]! += 1;
  }
  return { key: "fill", target_minutes, bounds, counts };
}

test("orders age by their queue's target", () => {
  expect(queueAgeing(queueOf(120, [1, 59, 61, 119, 121, 239, 241, 9_999]), NOW)).toEqual({
    key: "fill",
    target_minutes: 120,
    fresh: 2,
    due_soon: 2,
    late: 2,
    very_late: 2,
  });
});

test("an order is forecast late if the queue's pace does not reach it before its target", () => {
  const hours = figureHours(ZONE, NOW);
  // Two an hour, on the five past days on which the pharmacy shipped; nothing counts from today.
  const shipped = hours.hours.map(({ day }) => (day === 0 ? 0 : day === 6 ? 99 : 2));
  // Due at 14:40, 14:50, 15:10 and 16:30; one is late already.
  const queue = queueOf(120, [130, 110, 100, 80, 0]);
  const forecast = lateForecast([queue], NOW, hours, shipped);
  expect(forecast).toMatchObject({ pace: 19, late_now: 1, late_later: 3 });
  // One order ships by 15:00, and that is the late one. Three ship by 16:00, and five by 17:00.
  expect(forecast.hours.slice(0, 4)).toEqual([
    { from: "2026-11-18T20:00:00.000Z", on_time: 0, late: 2 },
    { from: "2026-11-18T21:00:00.000Z", on_time: 0, late: 1 },
    { from: "2026-11-18T22:00:00.000Z", on_time: 1, late: 0 },
    { from: "2026-11-18T23:00:00.000Z", on_time: 0, late: 0 },
  ]);
  expect(forecast.hours).toHaveLength(10);
});

test("a pharmacy that shipped nothing has no pace, and every order that comes due is late", () => {
  const forecast = lateForecast([queueOf(120, [10])], NOW, figureHours(ZONE, NOW), []);
  expect([forecast.pace, forecast.late_now, forecast.late_later]).toEqual([null, 0, 1]);
});

test("an order whose target is after midnight is not late today", () => {
  const forecast = lateForecast([queueOf(24 * 60, [10])], NOW, figureHours(ZONE, NOW), []);
  expect([forecast.late_now, forecast.late_later]).toEqual([0, 0]);
});

test("the daily digest lists the queues with what is late, and the person's unread notifications", () => {
  const tile = (key: "fill" | "pack" | "shipped_today", count: number, late: number) => ({
    ...{ key, count, late },
    oldest_at: null,
    target_minutes: null,
  });
  const queues = [tile("fill", 12, 3), tile("pack", 0, 0), tile("shipped_today", 40, 0)];
  const about = { pharmacy: "Larkspur", dashboard: "https://rx.example/dashboard", date: "2026-11-18" };
  const letter = digestLetter({ queues, reviews: 2, unread: 1 }, about);
  expect(letter.subject).toBe("Your day at Larkspur");
  expect(letter.text.split("\n\n").slice(0, 4)).toEqual([
    "Larkspur on 2026-11-18, orders in each queue:",
    "Fill: 12, 3 late\nPack and ship: 0\nReviews: 2",
    "You have 1 unread notification.",
    "https://rx.example/dashboard",
  ]);
  expect(digestLetter({ queues, reviews: 0, unread: 0 }, about).text).toContain("You have no unread notifications.");
});
