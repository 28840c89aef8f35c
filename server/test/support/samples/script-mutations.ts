import { writeScript } from "../../../src/formats/script/write.ts";
import { cancelRx, change, envelope, newRx, renewal } from "./script-samples.ts";
import { shapes } from "./script-shapes.ts";

/** A damaged message: the same seed gives the same bytes. For tests of any size and for campaigns. */
export function mutate(seed: number): Uint8Array {
  const next = numbers(seed);
  let message: Uint8Array = encode(pick(BASES, next));
  for (let times = 1 + (next() % 4); times > 0; times--) {
    // Most stay XML, because otherwise the reader behind the parser would hardly be tested.
    message = pick(next() % 5 === 0 ? ON_BYTES : ON_ELEMENTS, next)(message, next);
  }
  return message;
}

type Next = () => number;
type Mutation = (message: Uint8Array, next: Next) => Uint8Array;

const versions = ["10.6", "2017071", "2023011"] as const;
const BASES: string[] = [
  ...Object.values(shapes),
  ...versions.flatMap((version) =>
    [newRx, cancelRx, renewal, change].map((content) => writeScript(envelope(version), content, version)),
  ),
];

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (message: Uint8Array) => new TextDecoder().decode(message);
const inText =
  (change: (text: string, next: Next) => string): Mutation =>
  (message, next) =>
    encode(change(decode(message), next));
const pick = <Item>(items: readonly Item[], next: Next): Item => items[next() % items.length] as Item;

/** Texts that have broken readers before. */
const HOSTILE = [
  "",
  " ",
  "0",
  "-1",
  "1e308",
  "9".repeat(400),
  "NaN",
  "0x1F",
  "PRN",
  "2026-02-30",
  "0000-00-00",
  "99999-12-31",
  "__proto__",
  "constructor",
  "toString",
  "&amp;lt;!DOCTYPE&amp;gt;",
  "&#0;",
  "&#xD800;",
  "&#x1F600;",
  "&undefined;",
  "\u0000",
  "\u202Eabc",
  "x".repeat(70_000),
  " ".repeat(70_000),
  `1${" ".repeat(70_000)}1`,
  "a-".repeat(30_000),
  "'; drop table prescriptions; --",
  "<![CDATA[ ]]>",
  "<![CDATA[<NewRx/>]]>",
];

const LEAF = />([^<>]+)</g;

function replaceOne(text: string, pattern: RegExp, next: Next, change: (found: string) => string): string {
  const found = [...text.matchAll(pattern)];
  const match = found[next() % Math.max(1, found.length)];
  if (match === undefined) return text;
  return text.slice(0, match.index) + change(match[0]) + text.slice(match.index + match[0].length);
}

/** One element, from its opening tag to the next closing one of its name. */
function replaceElement(text: string, next: Next, change: (element: string) => string): string {
  const opening = [...text.matchAll(/<([A-Za-z][\w:]*)/g)];
  const match = opening[next() % Math.max(1, opening.length)];
  if (match === undefined) return text;
  const closing = `</${match[1]}>`;
  const end = text.indexOf(closing, match.index);
  if (end < 0) return text;
  return (
    text.slice(0, match.index) +
    change(text.slice(match.index, end + closing.length)) +
    text.slice(end + closing.length)
  );
}

const nested = (depth: number) => `>${"<a>".repeat(depth)}x${"</a>".repeat(depth)}<`;

const slice = (message: Uint8Array, next: Next): [number, number] => {
  const from = next() % (message.length + 1);
  return [from, Math.min(message.length, from + (next() % 400))];
};

const ON_BYTES: Mutation[] = [
  function flipsBits(message, next) {
    const flipped = message.slice();
    for (let times = 1 + (next() % 8); times > 0 && flipped.length > 0; times--) {
      const at = next() % flipped.length;
      flipped[at] = (flipped[at] as number) ^ (1 << (next() % 8));
    }
    return flipped;
  },
  function truncates(message, next) {
    return message.slice(0, next() % (message.length + 1));
  },
  function cutsOut(message, next) {
    const [from, to] = slice(message, next);
    return new Uint8Array([...message.slice(0, from), ...message.slice(to)]);
  },
  function doublesBytes(message, next) {
    const [from, to] = slice(message, next);
    return new Uint8Array([...message.slice(0, to), ...message.slice(from)]);
  },
  function turnsToUtf16(message, next) {
    return next() % 8 === 0 ? new Uint8Array(Buffer.from(decode(message), "utf16le")) : message;
  },
];

const ON_ELEMENTS: Mutation[] = [
  inText((text, next) => replaceOne(text, LEAF, next, () => `>${pick(HOSTILE, next)}<`)),
  inText((text, next) => replaceOne(text, LEAF, next, () => `>${pick(HOSTILE, next)}<`)),
  inText((text, next) => replaceOne(text, /="[^"]*"/g, next, () => `="${pick(HOSTILE, next)}"`)),
  inText((text, next) => replaceElement(text, next, (element) => element.repeat(2 + (next() % 3)))),
  inText((text, next) => replaceElement(text, next, () => "")),
  inText((text, next) => replaceElement(text, next, (element) => `<Wrap>${element}</Wrap>`)),
  inText((text, next) =>
    replaceElement(text, next, (element) => element.repeat(Math.ceil((next() % 60_000) / (element.length + 1)))),
  ),
  inText((text, next) => {
    const names = [...new Set([...text.matchAll(/<(\w+)/g)].map(([, name]) => name as string))];
    const [one, other] = [pick(names, next), pick(names, next)];
    return text.replaceAll(new RegExp(`(</?)(?:${one}|${other})\\b`, "g"), (tag, bracket: string) =>
      tag === `${bracket}${one}` ? `${bracket}${other}` : `${bracket}${one}`,
    );
  }),
  inText((text, next) => replaceOne(text, /<\w+/g, next, (tag) => `${tag} x:Qualifier="ND" y:Code="1" z:Code="2"`)),
  inText(
    (text, next) =>
      `${pick(['<!DOCTYPE m [<!ENTITY a "b">]>', "<?php ?>", "\n", "\uFEFF", "", "", "junk"], next)}${text}`,
  ),
  inText((text, next) => replaceOne(text, LEAF, next, () => nested(next() % 100))),
  inText((text, next) => {
    const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    return next() % 2 === 0 ? `<string>${escaped}</string>` : `<string><![CDATA[${text}]]></string>`;
  }),
];

/** Mulberry32. */
function numbers(seed: number): Next {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
