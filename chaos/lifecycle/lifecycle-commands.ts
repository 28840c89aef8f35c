import { type ActionKey, actionKeys, type ExceptionId, exceptionIds, type ShipmentStatus } from "@pestle/contract";
import fc from "fast-check";
import type { Address, Token } from "./lifecycle-model.ts";

/** What can be ordered: a prescription (by its position among the patient's) or a product, and the quantity. */
const wishes = [
  { prescription: 0, sku: "atorvastatin-20", package_size: 90, quantity: 1 },
  { prescription: 1, sku: "atorvastatin-20", package_size: 90, quantity: 1 },
  // The prescriber forbids it.
  { prescription: 1, sku: "lipora-20", package_size: 90, quantity: 1 },
  { prescription: 2, sku: "sertraline-50", package_size: 90, quantity: 1 },
  { prescription: 3, sku: "phenelzine-15", package_size: 60, quantity: 1 },
  { prescription: 4, sku: "amoxicillin-500", package_size: 21, quantity: 1 },
  { prescription: 5, sku: "sildenafil-50", package_size: 30, quantity: 3 },
  { prescription: 6, sku: "minoxidil-2-5", package_size: 60, quantity: 1 },
  { prescription: 6, sku: "minoxidil-2-5", package_size: 30, quantity: 1 },
  { prescription: 7, sku: "finasteride-1", package_size: 30, quantity: 2 },
  // Its text cannot be read.
  { prescription: 8, sku: "sertraline-50", package_size: 90, quantity: 1 },
  // The prescription has not arrived yet.
  { prescription: null, sku: "sertraline-50", package_size: 90, quantity: 1 },
  { prescription: null, sku: "atorvastatin-20", package_size: 90, quantity: 1 },
  { prescription: null, sku: "packaging-pouch", package_size: 1, quantity: 2 },
] as const;
export type Wish = (typeof wishes)[number];

/** The prescriptions that every patient begins with. */
export const written = [
  { sku: "atorvastatin-20", written_qty: 90, refills: 1 },
  { sku: "atorvastatin-20", written_qty: 90, refills: 0, daw: true },
  { sku: "sertraline-50", written_qty: 90, refills: 1 },
  { sku: "phenelzine-15", written_qty: 60, refills: 0 },
  { sku: "amoxicillin-500", written_qty: 21, refills: 2 },
  { sku: "sildenafil-50", written_qty: 30, refills: 5 },
  { sku: "minoxidil-2-5", written_qty: 60, refills: 2 },
  { sku: "finasteride-1", written_qty: 30, refills: 3 },
  { sku: "sertraline-50", written_qty: 90, refills: 0, unclear: true },
] as const;

/** Shelves with little stock at the start of a sequence. */
export const scarce: Readonly<Record<string, number>> = { "minoxidil-2-5": 60, "finasteride-1": 90 };

export const people = {
  tess: "technician",
  phil: "pharmacist",
  paula: "pharmacist",
  lena: "lead",
  amos: "admin",
} as const;
export type PersonName = keyof typeof people;
/** The pharmacists and the lead. An admin is not a pharmacist. */
export const isLicensed = (name: PersonName): boolean => people[name] === "pharmacist" || people[name] === "lead";

/** `order` and `pick` select from the records that exist when the command runs. */
export type Command =
  | { kind: "place"; wishes: Wish[]; address: Address; token: Token | null; other_dob: boolean }
  | { kind: "act"; order: number; event: ActionKey | null; pick: number; named: boolean; fields: Fields }
  | { kind: "go_on"; order: number; times: number; by: PersonName; checked_by: PersonName }
  | { kind: "work"; order: number; todo: Todo | null; pick: number; by: PersonName; seen: "nothing" | "now" | "before" }
  | { kind: "readdress"; order: number; address: Address }
  | { kind: "restock"; sku: keyof typeof scarce; units: number }
  | { kind: "prescribe"; sku: "atorvastatin-20" | "sertraline-50"; written_qty: 30 | 90 }
  | { kind: "tell_allergies"; allergies: readonly string[] }
  | { kind: "clock"; days: number }
  | { kind: "wait"; minutes: number }
  | { kind: "simulate"; order: number; to: "Filling" | "Shipped" | "Delivered" | "Canceled" | null; id: ExceptionId };

type Fields = { address: Address; token: Token; right: boolean; prescription: number; item_id: number; cents: number };
export type Todo =
  | "approve"
  | "fill"
  | "verify"
  | "reject"
  | "ship"
  | "cancel"
  | "refund"
  | "claim"
  | "let_go"
  | "note"
  | { track: ShipmentStatus }
  | { raise: ExceptionId }
  | { resolve: ExceptionId }
  | { refund_cents: number };

/** A patient's story: how it starts, and the commands in sequence. */
export type Story = {
  automatic: boolean;
  email: boolean;
  allergies: readonly string[];
  first: Extract<Command, { kind: "place" }>;
  rest: Command[];
};

const order = fc.nat(2);
const address = fc.record<Address>({
  state: fc.constantFrom("CA", "CA", "CA", "CA", "CA", "CA", "CA", "AR", "AR", "HI"),
  long: fc.constantFrom(false, false, false, false, false, true),
  end: fc.constantFrom("delivered", "delivered", "lost", "returned"),
});
const token = fc.constantFrom<Token>("good", "good", "good", "declined", "declined_at_capture");
const person = fc.constantFrom(...(Object.keys(people) as PersonName[]));
const exception = fc.constantFrom(...exceptionIds);
const allergies = fc.constantFrom<readonly string[]>(
  [],
  [],
  [],
  [],
  [],
  [],
  ["penicillin"],
  ["amoxicillin"],
  ["penicillin", "amoxicillin"],
  ["peanuts"],
);
/** Nothing that the service rejects or holds without a command. */
const isPlain = ({ prescription, sku }: Wish) => prescription !== null && prescription < 8 && sku !== "lipora-20";
const place = fc.record({
  kind: fc.constant("place" as const),
  wishes: fc.array(fc.constantFrom(...wishes.filter(isPlain), ...wishes.filter(isPlain), ...wishes), {
    minLength: 1,
    maxLength: 3,
  }),
  address,
  token: fc.option(token, { freq: 2 }),
  other_dob: fc.constantFrom(false, false, false, false, false, false, true),
});
const fields = fc.record<Fields>({
  address,
  token,
  right: fc.constantFrom(true, true, false),
  prescription: fc.nat(12),
  item_id: fc.integer({ min: 1, max: 4 }),
  cents: fc.integer({ min: 1, max: 3_000 }),
});
const todo: fc.Arbitrary<Todo> = fc.oneof(
  fc.constantFrom<Todo>("approve", "fill", "verify", "reject", "ship", "cancel", "refund", "claim", "let_go", "note"),
  fc.record({ track: fc.constantFrom<ShipmentStatus>("in_transit", "exception", "lost", "returned", "delivered") }),
  fc.record({ raise: exception }),
  fc.record({ resolve: exception }),
  fc.record({ refund_cents: fc.integer({ min: -1, max: 3_000 }) }),
);
/** If left open, the command performs an action that applies. */
const event = fc.option(fc.constantFrom(...actionKeys.filter((key) => key !== "accept_suggested_address")), {
  freq: 1,
});

const commands: Record<Command["kind"], [weight: number, arbitrary: fc.Arbitrary<Command>]> = {
  go_on: [
    12,
    fc.record({
      kind: fc.constant("go_on" as const),
      order,
      times: fc.integer({ min: 1, max: 5 }),
      by: person,
      checked_by: fc.constantFrom("phil", "paula", "lena", "amos", "tess"),
    }),
  ],
  act: [
    9,
    fc.record({
      kind: fc.constant("act" as const),
      order,
      event,
      pick: fc.nat(20),
      named: fc.boolean(),
      fields,
    }),
  ],
  work: [
    6,
    fc.record({
      kind: fc.constant("work" as const),
      order,
      todo: fc.option<Todo, null>(todo, { freq: 1, nil: null }),
      pick: fc.nat(20),
      by: person,
      seen: fc.constantFrom("nothing" as const, "nothing" as const, "now" as const, "before" as const),
    }),
  ],
  place: [2, place],
  readdress: [1, fc.record({ kind: fc.constant("readdress" as const), order, address })],
  restock: [
    2,
    fc.record({
      kind: fc.constant("restock" as const),
      sku: fc.constantFrom(...Object.keys(scarce)),
      units: fc.constantFrom(30, 60, 120),
    }),
  ],
  prescribe: [
    1,
    fc.record({
      kind: fc.constant("prescribe" as const),
      sku: fc.constantFrom("atorvastatin-20" as const, "sertraline-50" as const),
      written_qty: fc.constantFrom(30 as const, 90 as const),
    }),
  ],
  tell_allergies: [1, fc.record({ kind: fc.constant("tell_allergies" as const), allergies })],
  clock: [2, fc.record({ kind: fc.constant("clock" as const), days: fc.integer({ min: 1, max: 8 }) })],
  wait: [1, fc.record({ kind: fc.constant("wait" as const), minutes: fc.integer({ min: 1, max: 20 }) })],
  simulate: [
    2,
    fc.record({
      kind: fc.constant("simulate" as const),
      order,
      to: fc.constantFrom("Filling", "Shipped", "Shipped", "Delivered", "Canceled", null),
      id: exception,
    }),
  ],
};

export const story: fc.Arbitrary<Story> = fc.record({
  automatic: fc.boolean(),
  email: fc.constantFrom(true, true, true, true, true, false),
  allergies,
  first: place,
  rest: fc.array(fc.oneof(...Object.values(commands).map(([weight, arbitrary]) => ({ weight, arbitrary }))), {
    minLength: 3,
    maxLength: 11,
    size: "max",
  }),
});
