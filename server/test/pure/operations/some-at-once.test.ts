import { expect, test } from "vitest";
import { someAtOnce } from "../../../src/usecases/operations/some-at-once.ts";

const numbers = Array.from({ length: 20 }, (_, index) => index);

test("works on each record once, in their order, and on several at a time", async () => {
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  await someAtOnce(numbers, async (one) => {
    begun.push(one);
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
  });
  expect(begun).toEqual(numbers);
  expect(most).toBe(3);
  expect(running).toBe(0);
});

test("after a failure it ends what runs, begins nothing more, and throws the failure", async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const work = async (one: number) => {
    begun.push(one);
    if (one === 4) throw new Error("the fifth");
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    ended.push(one);
  };
  await expect(someAtOnce(numbers, work)).rejects.toThrow("the fifth");
  expect(begun.length).toBeLessThan(numbers.length);
  expect(ended).toEqual(begun.filter((one) => one !== 4));
});
