import { writeFhir } from "../../../src/formats/fhir/write.ts";
import { bundle, contained, envelope, type Loose, prescription, referenceStyles } from "./fhir-samples.ts";

/** A damaged FHIR message, deterministic by seed. Most are still JSON, some still FHIR. */
export function mutateFhir(seed: number): Uint8Array {
  const random = randomFrom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const root = { message: structuredClone(pick(originals)) };
  for (let count = 1 + Math.floor(random() * 6); count > 0; count--) pick(treeMutations)(root, random, pick);
  const bytes = Buffer.from(JSON.stringify(root.message) ?? "");
  const body = random() < 0.25 ? pick(byteMutations)(bytes, random) : bytes;
  return body.subarray(0, LARGEST_BODY);
}

/** The service rejects larger messages before a reader sees them. */
const LARGEST_BODY = 1024 * 1024;

type Random = () => number;
type Pick = <Item>(items: readonly Item[]) => Item;

const originals: Loose[] = [
  ...Object.values(referenceStyles).map((style) => style(bundle())),
  contained(bundle()),
  writeFhir(prescription, envelope, "cancelled"),
  contained(writeFhir(prescription, envelope, "stopped")),
];

/** Values of other types, of absurd size, and those that break patterns, dates, numbers and prototypes. */
const junk: (() => Loose)[] = [
  () => null,
  () => true,
  () => -1,
  () => 1e308,
  () => 0.1,
  () => "",
  () => " \t\n ",
  () => "\u0000",
  () => "\ud800 half a character \udc00",
  () => "2026-02-31",
  () => "0000-00-00T99:99:99+99:99",
  () => "#",
  () => "#patient",
  () => "Patient?identifier=%E0%A4%A",
  () => "https://prescriber.example/fhir/Patient/patient/_history/",
  () => "1".repeat(50_000),
  () => " -".repeat(30_000),
  () => "/a".repeat(30_000),
  () => "a@".repeat(30_000),
  () => "urn:uuid:",
  () => [],
  () => ({}),
  () => [[[[[]]]]],
  () => Array.from({ length: 5_000 }, () => ({})),
  () => Array.from({ length: 2_000 }, (_, index) => ({ reference: `#${index}`, value: index, code: "1" })),
  () => Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`key${index}`, index])),
  () => JSON.parse('{"__proto__":{"resourceType":"Bundle"},"constructor":{"prototype":1}}'),
  () => ({ resourceType: "MedicationRequest", status: "active" }),
  () => nested(40),
  () => nested(500),
];

type Change = (value: Loose, random: Random, pick: Pick) => Loose;

/** Replaces one node of the tree; undefined removes it. */
const anywhere =
  (change: Change) =>
  (root: Loose, random: Random, pick: Pick): void => {
    const [parent, key] = placeIn(root, random);
    parent[key] = change(parent[key], random, pick);
  };

const treeMutations = [
  anywhere((_, __, pick) => pick(junk)()),
  anywhere(() => undefined),
  anywhere((value) => [value]),
  anywhere((value) => String(value)),
  anywhere((value, random) => (typeof value === "string" ? spoilt(value, random) : value)),
  anywhere((value, random) => (Array.isArray(value) ? repeated(value, random) : value)),
  (root: Loose, random: Random): void => {
    const [parent, key] = placeIn(root, random);
    const [other, otherKey] = placeIn(root, random);
    const value = structuredClone(parent[key]);
    parent[key] = structuredClone(other[otherKey]);
    other[otherKey] = value;
  },
];

const byteMutations: ((bytes: Buffer, random: Random) => Uint8Array)[] = [
  (bytes, random) => bytes.subarray(0, Math.floor(random() * bytes.length)),
  (bytes, random) => {
    for (let flips = 0; flips < 5; flips++) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    return bytes;
  },
  (bytes, random) => {
    const at = Math.floor(random() * bytes.length);
    return Buffer.concat([bytes.subarray(0, at), Buffer.from("[{".repeat(20_000)), bytes.subarray(at)]);
  },
  (bytes) => Buffer.from(bytes.toString("utf8"), "utf16le"),
  (bytes) => Buffer.from(`{"x":${"[".repeat(100_000)}${"]".repeat(100_000)},${bytes.toString("utf8").slice(1)}`),
];

/** All nodes are equally likely. */
function placeIn(root: Loose, random: Random): [parent: Loose, key: string] {
  const places: [Loose, string][] = [];
  const waiting: Loose[] = [root];
  while (waiting.length > 0 && places.length < 20_000) {
    const parent = waiting.pop();
    for (const key of Object.keys(parent)) {
      places.push([parent, key]);
      if (typeof parent[key] === "object" && parent[key] !== null) waiting.push(parent[key]);
    }
  }
  return places[Math.floor(random() * places.length)] ?? [root, "message"];
}

function repeated(items: Loose[], random: Random): Loose[] {
  const most = Math.min(300, 200_000 / JSON.stringify(items).length);
  return Array.from({ length: most * random() * items.length }, (_, index) =>
    structuredClone(items[index % items.length]),
  );
}

function spoilt(text: string, random: Random): string {
  const at = Math.floor(random() * (text.length + 1));
  const inserted = ["\u0000", "\ud83d", "é", "|", "#", "/", "\n", "999", "%"][Math.floor(random() * 9)] ?? "";
  return text.slice(0, at) + inserted + text.slice(at + Math.floor(random() * 3));
}

function nested(depth: number): Loose {
  let tree: Loose = {};
  for (let level = 0; level < depth; level++) tree = level % 2 === 0 ? [tree] : { extension: tree };
  return tree;
}

/** Mulberry32: small, and the same on every platform. */
function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
