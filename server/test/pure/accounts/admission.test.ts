import { describe, expect, test } from "vitest";
import { createAdmission } from "../../../src/limits/admission.ts";

/** Lets a request in and writes its name down when it begins, or its status if it is refused. */
function gate(most_running: number, share?: number) {
  const admission = createAdmission(most_running, share);
  const begun: string[] = [];
  const enter = async (name: string, party = name[0]!) => {
    try {
      await admission.enter(party);
      begun.push(name);
    } catch (error) {
      begun.push(`${name} ${(error as { status: number }).status}`);
    }
  };
  /** The requests that began or were refused since the last call. */
  const seen = async () => {
    await new Promise(setImmediate);
    return begun.splice(0);
  };
  return { admission, enter, seen };
}

describe("a line of requests", () => {
  test("lets requests in at once while there is room, and the next when one has left", async () => {
    const { admission } = gate(1);
    expect(admission.enter("a")).toBeUndefined();
    const second = admission.enter("a");
    expect(second).toBeInstanceOf(Promise);
    admission.leave("a");
    await second;
    expect(admission.load()).toEqual({ running: 1, waiting: 0 });
    admission.leave("a");
    expect(admission.load()).toEqual({ running: 0, waiting: 0 });
  });

  test("takes turns by party, and keeps the order within each", async () => {
    const { admission, enter, seen } = gate(1);
    for (const name of ["a1", "a2", "a3", "a4", "b1", "c1", "b2"]) void enter(name);
    const order = await seen();
    for (let left = 0; left < 6; left++) {
      admission.leave(order.at(-1)![0]!);
      order.push(...(await seen()));
    }
    expect(order).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
  });

  test("one party has at most its share, and the rest stays free for others", async () => {
    const { admission, enter, seen } = gate(4, 50);
    for (const name of ["a1", "a2", "a3", "a4"]) void enter(name);
    expect(await seen()).toEqual(["a1", "a2"]);
    for (const name of ["b1", "c1", "c2"]) void enter(name);
    expect(await seen()).toEqual(["b1", "c1"]);
    // A place that a party with its full share cannot have goes to the next in turn.
    admission.leave("b");
    expect(await seen()).toEqual(["c2"]);
    admission.leave("a");
    expect(await seen()).toEqual(["a3"]);
    expect(admission.load("a")).toEqual({ running: 2, waiting: 1 });
    for (const party of ["a", "a", "a", "c", "c"]) admission.leave(party);
    expect(await seen()).toEqual(["a4"]);
    expect(admission.load()).toEqual({ running: 0, waiting: 0 });
  });

  test("while the process has no time left, each party has fewer places, and gets them back afterward", async () => {
    const { admission, enter, seen } = gate(16, 50);
    for (let count = 1; count <= 9; count++) void enter(`a${count}`);
    expect(await seen()).toHaveLength(8);
    for (let times = 0; times < 5; times++) admission.pace(1);
    for (let count = 1; count <= 3; count++) void enter(`b${count}`);
    expect(await seen()).toEqual(["b1"]);
    for (let left = 0; left < 7; left++) admission.leave("a");
    expect(await seen()).toEqual([]);
    admission.pace(0.85);
    expect(await seen()).toEqual([]);
    admission.pace(0.5);
    expect((await seen()).toSorted()).toEqual(["a9", "b2"]);
    for (let times = 0; times < 20; times++) admission.pace(0.5);
    for (let count = 10; count <= 20; count++) void enter(`a${count}`);
    await seen();
    expect(admission.load("a")).toEqual({ running: 8, waiting: 5 });
  });

  test("a party alone may use all the time of a process, but not soon after another one came", async () => {
    const { admission, enter } = gate(16);
    const placesAt = (busy: number) => {
      for (let count = 0; count < 17; count++) void enter("a");
      admission.pace(busy);
      for (let left = 0; left < 17; left++) admission.leave("a");
      for (let count = 0; count < 16; count++) void enter("a");
      const { running } = admission.load("a");
      for (let left = 0; left < 16; left++) admission.leave("a");
      for (let times = 0; times < 16; times++) admission.pace(0);
      return running;
    };
    await enter("a");
    admission.leave("a");
    expect(placesAt(0.96)).toBe(8);
    for (let times = 0; times < 100; times++) admission.pace(0);
    expect(placesAt(0.96)).toBe(16);
    expect(placesAt(1)).toBe(16);
    await enter("b");
    admission.leave("b");
    expect(placesAt(0.96)).toBe(8);
  });

  test("requests that wait for something else keep their places while the process computes for others", async () => {
    const { admission, enter, seen } = gate(16, 50);
    void enter("b1");
    for (let count = 1; count <= 5; count++) void enter(`a${count}`);
    for (let times = 0; times < 20; times++) admission.pace(1);
    for (let count = 6; count <= 8; count++) void enter(`a${count}`);
    expect(await seen()).toHaveLength(9);
    expect(admission.load("a")).toEqual({ running: 8, waiting: 0 });
  });

  test("if it is full, the party with most requests in line is refused", async () => {
    const { admission, enter, seen } = gate(1);
    for (let count = 0; count < 33; count++) void enter(`a${count}`);
    expect(await seen()).toEqual(["a0"]);
    void enter("a33");
    expect(await seen()).toEqual(["a33 503"]);
    void enter("b1");
    expect(await seen()).toEqual(["a32 503"]);
    expect([admission.load("a").waiting, admission.load("b").waiting]).toEqual([31, 1]);
    admission.leave("a");
    expect(await seen()).toEqual(["a1"]);
    admission.leave("a");
    expect(await seen()).toEqual(["b1"]);
  });

  test("holds each request once, for any order of arrivals and ends", async () => {
    const [MOST, SHARE] = [6, 34];
    const { admission, enter, seen } = gate(MOST, SHARE);
    const parties = ["a", "b", "c", "d"];
    const running: string[] = [];
    let [arrived, refused, ended] = [0, 0, 0];
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((seed / 2 ** 31) * below);
    };
    for (let step = 0; step < 3_000; step++) {
      if (random(5) < 3) void enter(`${parties[random(4) % (1 + random(4))]}${arrived++}`);
      else if (running.length > 0) {
        admission.leave(running.splice(random(running.length), 1)[0]![0]!);
        ended++;
      }
      for (const name of await seen()) {
        if (name.endsWith(" 503")) refused++;
        else running.push(name);
      }
      const { waiting } = admission.load();
      expect(admission.load().running).toBe(running.length);
      expect(arrived).toBe(running.length + waiting + refused + ended);
      for (const party of parties) expect(admission.load(party).running).toBeLessThanOrEqual(3);
      // No place stays free while a party that may have it waits.
      const eager = parties.some((one) => admission.load(one).waiting > 0 && admission.load(one).running < 3);
      expect(eager && running.length < MOST).toBe(false);
    }
    expect(refused).toBeGreaterThan(0);
  });
});
