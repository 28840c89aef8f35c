import { type ActionKey, actionKeys, type ExceptionId, exceptionIds, type SafetyKind } from "@pestle/contract";
import fc from "fast-check";
import { persons, products, type StaffName, staffNames, texts, written } from "./safety-cast.ts";

export type Fact = { kind: SafetyKind; text: string };

/** `patient`, `order`, `rx` and `pick` select from what exists when the command runs. */
export type Command =
  | { kind: "place"; patient: number; wishes: Wish[]; facts: Fact[]; other_name: boolean }
  | { kind: "tell"; patient: number; facts: Fact[] }
  | { kind: "untell"; patient: number; pick: number }
  | { kind: "staff_tell"; order: number; fact: Fact; by: StaffName }
  | { kind: "staff_untell"; order: number; pick: number; by: StaffName }
  | { kind: "act"; order: number; event: ActionKey | null; named: boolean; pick: number; rx: number }
  | { kind: "readdress"; order: number }
  | { kind: "go_on"; order: number; times: number; by: StaffName; checked_by: StaffName }
  | { kind: "work"; order: number; todo: Todo; by: StaffName }
  | { kind: "resolve"; order: number; id: ExceptionId | null; pick: number; by: StaffName }
  | {
      kind: "prescribe";
      patient: number;
      sku: string | null;
      rx: number;
      written_qty: number;
      refills: number;
      signed: boolean;
      facts: Fact[];
    }
  | { kind: "cancel_rx"; rx: number }
  | { kind: "change_rx"; rx: number; response: "approved" | "replace" | "denied"; written_qty: number; signed: boolean }
  | { kind: "verdict"; rx: number; accept: boolean; by: StaffName }
  | { kind: "request_partial"; rx: number; by: StaffName }
  | { kind: "clock"; hours: number }
  | { kind: "wait"; days: number }
  | { kind: "simulate"; order: number; to: "Filling" | "Shipped" | "Canceled" };
export type Wish = { rx: number; whole: boolean; package_size: number; quantity: number; stranger: boolean };
export type Todo = "approve" | "fill" | "verify" | "reject" | "ship" | "raise" | "cancel";

/** A story of two patients at one partner. Its orders are for a few of the patients' prescriptions: the `focus`. */
export type Story = { automatic: boolean; person: number; focus: number[]; rest: Command[] };

const HOURS_PER_DAY = 24;

const order = fc.nat(3);
const patient = fc.constantFrom(0, 0, 0, 0, 1);
const rx = fc.nat(11);
const person = fc.constantFrom(...staffNames);
/** Mostly people who may take the step, so that many orders ship. */
const able = fc.constantFrom<StaffName>("phil", "phil", "phil", "phil", "lena", "lena", "luke", "pete", "tess", "amos");
const fact: fc.Arbitrary<Fact> = fc.oneof(
  ...(["allergy", "medication", "condition"] as const).map((kind) =>
    fc.record({ kind: fc.constant(kind), text: fc.constantFrom<string>(...texts[kind]) }),
  ),
);
const few = fc.array(fact, { maxLength: 2 });
const kind = <Kind extends Command["kind"]>(name: Kind) => fc.constant(name);
const size = fc.constantFrom(10, 21, 30, 60);
const wish = fc.record<Wish>({
  rx,
  whole: fc.constantFrom(true, true, true, true, false),
  package_size: size,
  quantity: fc.constantFrom(1, 1, 1, 1, 1, 1, 2, 3),
  stranger: fc.constantFrom(...Array(15).fill(false), true),
});
const place = fc.record({
  kind: kind("place"),
  patient,
  wishes: fc.array(wish, { minLength: 1, maxLength: 2 }),
  facts: fc.oneof({ weight: 5, arbitrary: fc.constant<Fact[]>([]) }, { weight: 1, arbitrary: few }),
  other_name: fc.constantFrom(...Array(11).fill(false), true),
});

const commands: { [Kind in Command["kind"]]: [weight: number, arbitrary: fc.Arbitrary<Command>] } = {
  place: [9, place],
  go_on: [
    18,
    fc.record({
      kind: kind("go_on"),
      order,
      times: fc.integer({ min: 2, max: 9 }),
      by: able,
      checked_by: fc.constantFrom<StaffName>(
        "paula",
        "paula",
        "paula",
        "paula",
        "lena",
        "lena",
        "luke",
        "pete",
        "nora",
        "amos",
      ),
    }),
  ],
  tell: [4, fc.record({ kind: kind("tell"), patient, facts: fc.array(fact, { minLength: 1, maxLength: 2 }) })],
  untell: [2, fc.record({ kind: kind("untell"), patient, pick: fc.nat(9) })],
  staff_tell: [1, fc.record({ kind: kind("staff_tell"), order, fact, by: person })],
  staff_untell: [1, fc.record({ kind: kind("staff_untell"), order, pick: fc.nat(9), by: person })],
  act: [
    4,
    fc.record({
      kind: kind("act"),
      order,
      // If left open, an action that an open exception offers.
      event: fc.option<ActionKey, null>(
        fc.constantFrom(...actionKeys.filter((key) => key !== "accept_suggested_address")),
        { freq: 2, nil: null },
      ),
      named: fc.boolean(),
      pick: fc.nat(9),
      rx,
    }),
  ],
  readdress: [1, fc.record({ kind: kind("readdress"), order })],
  work: [
    2,
    fc.record({
      kind: kind("work"),
      order,
      todo: fc.constantFrom<Todo>("approve", "fill", "verify", "reject", "ship", "raise", "cancel"),
      by: person,
    }),
  ],
  resolve: [
    3,
    fc.record({
      kind: kind("resolve"),
      order,
      id: fc.option<ExceptionId, null>(fc.constantFrom(...exceptionIds), { freq: 2, nil: null }),
      pick: fc.nat(5),
      by: person,
    }),
  ],
  prescribe: [
    3,
    fc.record({
      kind: kind("prescribe"),
      patient,
      // If left open, the drug of another prescription.
      sku: fc.option<string, null>(fc.constantFrom(...products.map(({ sku }) => sku)), { freq: 1, nil: null }),
      rx,
      written_qty: size,
      refills: fc.constantFrom(0, 0, 1, 5, 11),
      signed: fc.boolean(),
      facts: fc.oneof(
        fc.constant<Fact[]>([]),
        fc
          .record({ kind: fc.constant("allergy" as const), text: fc.constantFrom(...texts.allergy) })
          .map((one) => [one]),
      ),
    }),
  ],
  cancel_rx: [1, fc.record({ kind: kind("cancel_rx"), rx })],
  change_rx: [
    1,
    fc.record({
      kind: kind("change_rx"),
      rx,
      response: fc.constantFrom("approved", "replace", "denied"),
      written_qty: size,
      signed: fc.constantFrom(true, true, false),
    }),
  ],
  verdict: [2, fc.record({ kind: kind("verdict"), rx, accept: fc.constantFrom(true, true, true, false), by: able })],
  request_partial: [1, fc.record({ kind: kind("request_partial"), rx, by: able })],
  clock: [
    3,
    fc.record({
      kind: kind("clock"),
      hours: fc.oneof(
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 4, max: 60 }).map((days) => days * HOURS_PER_DAY),
        fc.integer({ min: 60, max: 400 }).map((days) => days * HOURS_PER_DAY),
      ),
    }),
  ],
  wait: [1, fc.record({ kind: kind("wait"), days: fc.integer({ min: 1, max: 4 }) })],
  simulate: [1, fc.record({ kind: kind("simulate"), order, to: fc.constantFrom("Filling", "Shipped", "Canceled") })],
};

const MOST_COMMANDS = 14;
export const story: fc.Arbitrary<Story> = fc.record({
  automatic: fc.boolean(),
  person: fc.nat(persons.length - 1),
  focus: fc.uniqueArray(fc.nat(written.length - 1), { minLength: 1, maxLength: 3 }),
  rest: fc
    .tuple(
      place,
      fc.array(fc.oneof(...Object.values(commands).map(([weight, arbitrary]) => ({ weight, arbitrary }))), {
        minLength: 3,
        maxLength: MOST_COMMANDS,
        size: "max",
      }),
    )
    .map(([first, rest]) => [first, ...rest]),
});
