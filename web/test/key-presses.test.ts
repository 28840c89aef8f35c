import { expect, test } from "vitest";
import { createKeyPresses, HELD_MS, SEQUENCE_MS } from "../src/app/shell/key-presses.ts";
import type { Shortcut } from "../src/app/shell/shortcuts.ts";

const shortcut = (keys: string, group?: string): Shortcut => ({
  keys,
  label: keys,
  run: () => {},
  ...(group && { group }),
});
const known = [shortcut("g p", "Go to"), shortcut("p"), shortcut("a"), shortcut("?", "Everywhere")];
const find = (keys: string) => known.find((one) => one.keys === keys);
/** The meaning of each key in sequence; null means none. */
const typed = (...keys: [key: string, at_ms: number][]) => {
  const presses = createKeyPresses(find);
  return keys.map(([key, at_ms]) => presses.press({ key, at_ms })?.keys ?? null);
};

test("two keys in a row are a sequence while the user looks for the second key", () => {
  expect(typed(["g", 0], ["p", 1])).toEqual([null, "g p"]);
  expect(typed(["g", 0], ["p", SEQUENCE_MS - 1])).toEqual([null, "g p"]);
  expect(typed(["g", 0], ["p", SEQUENCE_MS])).toEqual([null, "p"]);
  expect(typed(["g", 0], ["x", 1], ["p", 2])).toEqual([null, null, "p"]);
  expect(typed(["g", 0], ["p", 1], ["p", 2])).toEqual([null, "g p", "p"]);
});

test("a modifier ends a sequence", () => {
  const presses = createKeyPresses(find);
  presses.press({ key: "g", at_ms: 0 });
  presses.end();
  expect(presses.press({ key: "p", at_ms: 1 })?.keys).toBe("p");
});

test("keys pressed while the page loads navigate once it has loaded, and change no data", () => {
  const held = (now_ms: number, ...keys: string[]) => {
    const presses = createKeyPresses(find);
    for (const [at_ms, key] of keys.entries()) presses.hold({ key, at_ms });
    const meant = presses.takeHeld(now_ms).map((one) => one.keys);
    expect(presses.takeHeld(now_ms)).toEqual([]);
    return meant;
  };
  expect(held(100, "g", "p")).toEqual(["g p"]);
  expect(held(100, "?")).toEqual(["?"]);
  expect(held(100, "a", "p")).toEqual([]);
  expect(held(HELD_MS + 2, "g", "p")).toEqual([]);
  expect(held(100, ..."zzzzzzzzz", "g", "p")).toEqual(["g p"]);
});
