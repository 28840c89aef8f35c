import { RETRY_AFTER_MAX_S, RETRY_DELAYS_S } from "@pestle/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attemptErrorOf, attemptErrors } from "../../../src/domain/webhooks/attempt-errors.ts";
import { attemptOutcome } from "../../../src/domain/webhooks/attempt-outcome.ts";
import {
  newPace,
  type Pace,
  paceAfter,
  resumed,
  roomOf,
  WIDEST_WINDOW,
} from "../../../src/domain/webhooks/endpoint-pace.ts";
import { nextAttemptAt, retryAfterSeconds } from "../../../src/domain/webhooks/retry.ts";
import { shareSlots } from "../../../src/domain/webhooks/share-slots.ts";

const now = new Date("2026-11-15T08:30:00.000Z");
const chance = fc.double({ min: 0, max: 1, noNaN: true });

describe("the wait before the next attempt", () => {
  const waits = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
  test.each(waits.map((wait_s, index) => [index + 1, wait_s]))(
    "after attempt %i is %i s, give or take a tenth",
    (tried, wait_s) => {
      fc.assert(
        fc.property(chance, (given) => {
          const at = nextAttemptAt({ tried, now, chance: given, retry_after_s: null })!;
          const waited_s = (at.getTime() - now.getTime()) / 1000;
          expect(Math.abs(waited_s - wait_s)).toBeLessThanOrEqual(wait_s * 0.1 + 0.001);
        }),
      );
    },
  );

  test("ends with the tenth attempt, three days after the first", () => {
    expect(RETRY_DELAYS_S).toHaveLength(10);
    expect(nextAttemptAt({ tried: 10, now, chance: 0, retry_after_s: null })).toBeNull();
    expect(waits.reduce((sum, wait) => sum + wait)).toBeGreaterThan(3 * 24 * 3600);
  });

  test("is never shorter than the endpoint requests, up to a day", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), chance, fc.nat(200_000), (tried, given, retry_after_s) => {
        const at = nextAttemptAt({ tried, now, chance: given, retry_after_s })!;
        const waited_s = (at.getTime() - now.getTime()) / 1000;
        expect(waited_s).toBeGreaterThanOrEqual(Math.min(retry_after_s, RETRY_AFTER_MAX_S));
        expect(waited_s).toBeLessThanOrEqual(Math.max(RETRY_AFTER_MAX_S, RETRY_DELAYS_S[tried]! * 1.1) + 0.001);
      }),
    );
  });

  test.each([
    ["120", 120],
    [" 0 ", 0],
    ["Sun, 15 Nov 2026 08:31:00 GMT", 60],
    ["Sunday, 15-Nov-26 08:31:00 GMT", 60],
    ["Sun Nov 15 08:31:00 2026", 60],
    ["Sun, 15 Nov 2026 08:29:00 GMT", 0],
    ["-1", null],
    ["1.5", null],
    ["soon", null],
    ["2027", 2027],
    ["99999999999999999999", null],
    ["", null],
  ])("Retry-After %j is read as %j s", (header, expected) => {
    expect(retryAfterSeconds(header, now)).toBe(expected);
  });
});

describe("the outcome of an attempt", () => {
  const given = { tried: 1, now, account_now: now, chance: 0.5 };
  const of = (status: number | null, trouble: string | null = null, tried = 1) =>
    attemptOutcome({ status, trouble, retry_after: undefined }, { ...given, tried });

  test("2xx is delivered; every other status is retried, and fails after the tenth attempt", () => {
    for (let status = 200; status <= 599; status++) {
      const good = status < 300;
      expect(of(status).delivery_status).toBe(good ? "delivered" : "pending");
      expect(of(status, null, 10).delivery_status).toBe(good ? "delivered" : "failed");
      expect(of(status).due_at === null).toBe(good);
      expect(of(status).gone).toBe(status === 410);
      expect(of(status).error).toBe(good ? null : status === 410 ? "gone" : status < 400 ? "redirect" : "status");
    }
  });

  test("the account's clock determines the time of the retry", () => {
    const account_now = new Date("2031-01-01T00:00:00Z");
    expect(
      attemptOutcome({ status: 500, trouble: null, retry_after: undefined }, { ...given, account_now }).due_at,
    ).toEqual(new Date("2031-01-01T00:00:05Z"));
  });

  test("every error has a code of the table, under any name", () => {
    fc.assert(fc.property(fc.string(), (name) => attemptErrorOf(name) in attemptErrors));
    expect(attemptErrorOf("DEPTH_ZERO_SELF_SIGNED_CERT")).toBe("tls");
    expect(attemptErrorOf("ERR_TLS_CERT_ALTNAME_INVALID")).toBe("tls");
    expect(attemptErrorOf("UND_ERR_CONNECT_TIMEOUT")).toBe("connect_timeout");
    expect(attemptErrorOf("constructor")).toBe("reset");
  });
});

describe("an endpoint's concurrency", () => {
  const after = (pace: Pace, delivered: boolean, times: number, now_ms = 0) => {
    let result = pace;
    for (let time = 0; time < times; time++) result = paceAfter(result, delivered, now_ms);
    return result;
  };

  test("grows with deliveries up to a limit, and shrinks to one with failures", () => {
    expect(after(newPace, true, 1_000).window).toBe(WIDEST_WINDOW);
    expect(after(newPace, false, 4).window).toBe(1);
    expect(after(after(newPace, true, 1_000), false, 7).window).toBe(1);
  });

  test("pauses only after many failures in a row, for at most half a minute, and not after a success", () => {
    expect(roomOf(after(newPace, false, 19), 0, 0)).toBe(1);
    const failing = after(newPace, false, 1_000, 10_000);
    expect(failing.paused_until_ms).toBe(40_000);
    expect(roomOf(failing, 0, 39_999)).toBe(0);
    expect(roomOf(failing, 0, 40_000)).toBe(1);
    expect(roomOf(failing, 1, 40_000)).toBe(0);
    expect(roomOf(paceAfter(failing, true, 41_000), 0, 41_000)).toBe(2);
    expect(roomOf(resumed(failing), 0, 10_000)).toBe(1);
    expect(roomOf(paceAfter(resumed(failing), false, 10_000), 0, 39_999)).toBe(0);
  });
});

describe("slots", () => {
  const asking = fc.array(fc.record({ room: fc.nat(20), in_flight: fc.nat(20) }), { maxLength: 12 });

  test("are all given out while any endpoint has room, and none gets more than its room", () => {
    fc.assert(
      fc.property(asking, fc.nat(200), (who, slots) => {
        const shares = shareSlots(who, slots);
        const room = who.reduce((sum, one) => sum + one.room, 0);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(Math.min(slots, room));
        for (const [index, share] of shares.entries()) expect(share).toBeLessThanOrEqual(who[index]!.room);
      }),
    );
  });

  test("are shared fairly: an endpoint with fewer than another has no room left, except for a remainder of one", () => {
    fc.assert(
      fc.property(asking, fc.nat(200), (who, slots) => {
        const shares = shareSlots(who, slots);
        const most = Math.max(0, ...shares);
        for (const [index, share] of shares.entries()) {
          if (share < most - 1) expect(share).toBe(who[index]!.room);
        }
      }),
    );
  });
});
