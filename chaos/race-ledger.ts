import type { Reply } from "./ask.ts";
import type { RacedOrder } from "./race-scene.ts";

/** The answer that a client got to one submission. */
export type Told =
  | { kind: "created" | "replayed"; order_number: string; text: string; held: boolean }
  /** Without a number: another request with the same key was in progress. */
  | { kind: "conflict"; order_number: string | null }
  | { kind: "refused"; codes: number[] }
  | { kind: "unexpected"; what: string };

/** Rejections that a race may cause: no units left, not enough stock, fewer units than requested. */
const LOST_RACES = [42250, 42253, 42255];
const DUPLICATE_ORDER = 68;

export function readReply({ status, headers, text }: Reply, key: string | null): Told {
  const body = JSON.parse(text) as Record<string, unknown>;
  if (status === 201) {
    const { order_number, exceptions } = body as { order_number: string; exceptions: { id: number }[] };
    const ids = exceptions.map(({ id }) => id);
    if (ids.some((id) => id !== DUPLICATE_ORDER)) return { kind: "unexpected", what: `an order held by ${ids}` };
    const kind = headers.get("idempotent-replayed") === "true" ? "replayed" : "created";
    return { kind, order_number, text, held: ids.length > 0 };
  }
  if (status === 409) {
    const { order_number = null } = body["error"] as { order_number?: string };
    if (order_number !== null || key !== null) return { kind: "conflict", order_number };
  }
  if (status === 422) {
    const codes = (body["errors"] as { code: number }[]).map(({ code }) => code);
    if (codes.every((code) => LOST_RACES.includes(code))) return { kind: "refused", codes };
    return { kind: "unexpected", what: `rejected with ${codes}` };
  }
  return { kind: "unexpected", what: `answered ${status}` };
}

/** Every submission within the same minute, in which one body creates at most one order. */
export type Submission = {
  order: RacedOrder;
  key: string | null;
  /** Attempts without an answer, whose outcome is unknown. */
  lost: number;
  told: Told;
};

/** The database after all clients have their answers. */
export type Found = {
  /** Orders created in this period, by the reference of their body. */
  made: { reference: string; order_number: string }[];
  units_left: ReadonlyMap<number, number>;
  available: ReadonlyMap<string, number>;
};

/**
 * Compares the answers with the database: at most one order per body, one 201 per order (none if the answer was
 * lost), and every other answer correct. `answers` holds earlier answers to bodies with keys; this call adds to it.
 */
export function judgeAct(submissions: readonly Submission[], found: Found, answers: Map<string, string>): string[] {
  const faults: string[] = [];
  const made = groups(found.made, ({ reference }) => reference);
  const submitted = groups(submissions, ({ order }) => order.reference);
  for (const reference of made.keys()) if (!submitted.has(reference)) faults.push("an order that nobody asked for");
  for (const [reference, own] of submitted) {
    const numbers = (made.get(reference) ?? []).map(({ order_number }) => order_number);
    const created = own.flatMap(({ told }) => (told.kind === "created" ? [told.order_number] : []));
    const lost = own.some((one) => one.lost > 0);
    if (numbers.length > 1) faults.push("one body made two orders");
    if (created.length > 1) faults.push("one body was answered with two new orders");
    if (created.some((number) => !numbers.includes(number))) faults.push("an acknowledged order is not there");
    if (created.length < numbers.length && !lost) faults.push("an order that no client knows");
    for (const { told, order } of own) {
      if (told.kind === "conflict" && told.order_number !== null && !numbers.includes(told.order_number)) {
        faults.push("a conflict names an order that this body did not create");
      }
      if (told.kind === "refused" && fits(order, found)) faults.push(`refused with ${told.codes}, and there is enough`);
    }
    const keyed = groups(own, ({ key }) => key ?? "");
    for (const [key, same] of keyed)
      if (key !== "") faults.push(...judgeKey(`${reference} ${key}`, same, lost, answers));
  }
  return faults;
}

/** A key and body have one answer: the first, byte for byte, for every client. */
function judgeKey(name: string, same: readonly Submission[], lost: boolean, answers: Map<string, string>): string[] {
  const told = same.flatMap((one) => ("text" in one.told ? [one.told] : []));
  const before = answers.get(name);
  const texts = new Set([...(before === undefined ? [] : [before]), ...told.map(({ text }) => text)]);
  if (texts.size === 0) return [];
  answers.set(name, [...texts][0]!);
  if (texts.size > 1) return ["a replay differs from the first answer"];
  const known = before !== undefined || lost || told.some(({ kind }) => kind === "created");
  return known ? [] : ["a replay of an answer that nobody got"];
}

function groups<One>(all: readonly One[], nameOf: (one: One) => string): Map<string, One[]> {
  const made = new Map<string, One[]>();
  for (const one of all) made.set(nameOf(one), [...(made.get(nameOf(one)) ?? []), one]);
  return made;
}

/** Units and stock only shrink during a race, so a request that fits afterwards did fit when it was rejected. */
const fits = ({ prescribed, shelved }: RacedOrder, { units_left, available }: Found): boolean =>
  [...prescribed].every(([id, units]) => units <= (units_left.get(id) ?? 0)) &&
  [...shelved].every(([sku, units]) => units <= (available.get(sku) ?? 0));
