import { expect, test } from "vitest";
import { type DatabaseRun, hasReturned, lossAt } from "../../../src/domain/operations/data-loss.ts";

const at = (second: number) => new Date(Date.UTC(2026, 10, 15, 8, 30, second));
const before: DatabaseRun = {
  ...{ system_id: "7300000000000000001", timeline: 3, position: 1_000, kept_position: null, kept_until: null },
  ...{ synchronous: false, recovery_target: "", feed_horizon: 0, now: at(20) },
};
/** A replica that was promoted. */
const after: DatabaseRun = {
  ...before,
  ...{ timeline: 4, position: 950, kept_position: 900, kept_until: at(19), now: at(30) },
};
const known = { system_id: before.system_id, timeline: 3, synchronous: false, recovery_target: "", seen_at: at(5) };

test("what a replica did not have is lost, from its last transaction on, and a witness knows how much at least", () => {
  expect(lossAt(after, known, before)).toEqual({ lost_from: at(19), lost_until: at(30), lost_bytes: 100 });
  // Nothing is known to be missing, but the last writes before the failover may be.
  expect(lossAt({ ...after, kept_position: 1_000 }, known, before)).toMatchObject({ lost_bytes: null });
});

test("a process without a memory compares with what the database says", () => {
  expect(lossAt(after, known, undefined)).toEqual({ lost_from: at(19), lost_until: at(30), lost_bytes: null });
  expect(lossAt({ ...after, kept_until: null }, known, undefined)).toMatchObject({ lost_from: at(5) });
  expect(lossAt(after, undefined, undefined)).toBeUndefined();
});

test("if the new server no longer tells how far it came, the window begins with the last row that it has", () => {
  expect(lossAt({ ...after, kept_until: null }, known, before)).toMatchObject({ lost_from: at(5), lost_until: at(30) });
  expect(lossAt({ ...after, kept_until: null }, undefined, before)).toMatchObject({ lost_from: at(20) });
});

test("the same timeline, an earlier one and synchronous replication lose nothing", () => {
  expect(lossAt({ ...after, timeline: 3 }, known, before)).toBeUndefined();
  expect(lossAt({ ...after, timeline: 1 }, { ...known, timeline: 5 }, undefined)).toBeUndefined();
  expect(lossAt(after, { ...known, synchronous: true }, undefined)).toBeUndefined();
  // What the process saw last counts, not what the database says of an earlier time.
  expect(lossAt(after, known, { ...before, synchronous: true })).toBeUndefined();
  expect(lossAt(after, { ...known, synchronous: true }, before)).toBeDefined();
});

test("if a server leads again that another one had replaced, what the other one acknowledged is lost", () => {
  const elsewhere = { ...before, timeline: 4, now: at(25) };
  const back = { ...before, now: at(30) };
  expect(lossAt(back, known, elsewhere)).toEqual({ lost_from: at(5), lost_until: at(30), lost_bytes: null });
  expect(lossAt({ ...back, synchronous: true }, known, { ...elsewhere, synchronous: true })).toBeDefined();
  expect([hasReturned(back, elsewhere), hasReturned(after, before), hasReturned(back, undefined)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(hasReturned(back, { ...elsewhere, system_id: "7300000000000000002" })).toBe(false);
});

test("a restore to a moment loses what came after it, also with synchronous replication", () => {
  const restored = { ...after, recovery_target: "2026-11-15 08:30:19" };
  expect(lossAt(restored, { ...known, synchronous: true }, undefined)).toMatchObject({ lost_from: at(19) });
  // The setting stays. A later failover is no restore.
  const later = { ...restored, timeline: 5 };
  const since = { ...known, timeline: 4, synchronous: true, recovery_target: restored.recovery_target };
  expect(lossAt(later, since, undefined)).toBeUndefined();
});

test("after two failovers the positions cannot be compared", () => {
  expect(lossAt({ ...after, timeline: 5 }, known, before)).toMatchObject({ lost_bytes: null });
});

test("a first start, an upgraded database and ordinary restarts lose nothing", () => {
  // The first start of a version that watches finds no memory, whatever the timeline is.
  expect(lossAt({ ...after, timeline: 9 }, undefined, undefined)).toBeUndefined();
  const restarted = { ...before, position: 1_200, now: at(40) };
  expect(lossAt(restarted, known, before)).toBeUndefined();
  expect(lossAt(restarted, known, undefined)).toBeUndefined();
  // A crash may leave the log a little shorter than it was written. No answer promised that part.
  expect(lossAt({ ...restarted, position: 990, kept_position: 990 }, known, before)).toBeUndefined();
  // The settings stay after a restore, and an operator may change or remove them.
  expect(lossAt({ ...restarted, recovery_target: "immediate" }, known, before)).toBeUndefined();
  expect(lossAt({ ...restarted, synchronous: true }, known, before)).toBeUndefined();
});

test("another data folder is another history: pg_upgrade, a dump in a newer cluster, and a move lose nothing", () => {
  const elsewhere = { ...after, system_id: "7300000000000000002" };
  for (const timeline of [1, 3, 4, 12]) {
    expect(lossAt({ ...elsewhere, timeline }, known, undefined), `timeline ${timeline}`).toBeUndefined();
    expect(lossAt({ ...elsewhere, timeline }, known, before), `timeline ${timeline}, a witness`).toBeUndefined();
  }
  const restored = { ...elsewhere, recovery_target: "2026-11-15 08:30:19" };
  expect(lossAt(restored, known, before)).toBeUndefined();
});
