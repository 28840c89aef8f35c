import type { ExceptionId } from "@pestle/contract";
import { shippingMethods } from "../../server/src/seed/cast.ts";
import type { Wish } from "./lifecycle-commands.ts";
import type { Concrete } from "./lifecycle-concrete.ts";
import {
  type Address,
  change,
  type Doer,
  holdsOf,
  type Item,
  isMissing,
  isOpen,
  isSubstituted,
  isUnclear,
  itemsOf,
  type Life,
  type Model,
  move,
  nowOf,
  openIds,
  partner,
  productOf,
  recheckDuplicates,
  system,
  type Token,
  tell,
  write,
} from "./lifecycle-model.ts";

/** The actual outcome of a command, where the model cannot predict it. */
export type Told = { order_numbers: string[]; prescription_id?: number };

export const DONE = "done";

type NewOrder = {
  wishes: readonly Wish[];
  address: Address;
  token: Token | null;
  other_dob: boolean;
  by: "partner" | "system";
  /** The prescription that a wish refers to. */
  ids: readonly number[];
};

export function place(model: Model, { wishes, address, token, other_dob, by, ids }: NewOrder, told: Told): string {
  const codes = new Set<number>(!model.automatic && address.state === "HI" ? [42231] : []);
  const taken = new Map<unknown, number>();
  const take = (key: unknown, units: number) => {
    const before = taken.get(key) ?? 0;
    taken.set(key, before + units);
    return before + units;
  };
  const items = wishes.map(({ prescription, sku, package_size, quantity }, index): Item => {
    const product = productOf(sku);
    const units = package_size * quantity;
    const prescription_id = prescription === null ? null : ids[prescription]!;
    const needs_prescription = product.rx_only;
    if (prescription_id !== null) {
      const { units_left } = model.prescriptions.get(prescription_id)!;
      if (units_left <= 0) codes.add(42250);
      else if (take(prescription_id, units) > units_left) codes.add(42255);
    } else if (needs_prescription && !model.automatic) codes.add(42249);
    const { on_hand, reserved } = model.shelves.get(sku)!;
    const short = take(sku, units) > on_hand - reserved;
    if (short && !product.back_orders) codes.add(42253);
    const price = product.price_cents * quantity;
    return {
      item_id: index + 1,
      sku,
      units,
      price,
      prescription_id,
      needs_prescription,
      reserved: !short,
      removed: false,
    };
  });
  if (codes.size > 0) return [...codes].sort().join();
  const on_the_way = model.orders.filter(isOpen).flatMap(itemsOf);
  const doubled = items.some(({ prescription_id, sku }) =>
    on_the_way.some(
      (one) =>
        (prescription_id !== null && one.prescription_id === prescription_id) ||
        (productOf(sku).gcn !== null && productOf(one.sku).gcn === productOf(sku).gcn),
    ),
  );
  const first = items.some(({ needs_prescription }) => needs_prescription)
    ? ("Processing/clinical_review" as const)
    : ("Filling/fill" as const);
  const life: Life = {
    order_number: told.order_numbers.shift() ?? "none",
    born_ms: nowOf(model),
    state: first,
    held_from: null,
    open: new Map(),
    confirmed: new Map(),
    items,
    address,
    payer: token === null ? "partner" : "patient",
    token: token ?? "good",
    payment: "authorized",
    authorised: false,
    amount: items.reduce((sum, { price }) => sum + price, shippingMethods[0]!.price_cents),
    captured: 0,
    refunded: 0,
    entries: [],
    claim: null,
    filled_by: null,
    parcel: null,
    notes: 0,
    revision: 1,
    sequence: 0,
    history: [],
    events: [],
  };
  for (const { sku, units, reserved } of items) if (reserved) model.shelves.get(sku)!.reserved += units;
  for (const { prescription_id, units } of items) if (prescription_id !== null) order(model, prescription_id, units);
  for (const id of holdsOf(model, life).keys()) life.open.set(id, "rule");
  if (doubled) life.open.set(68, "birth");
  if (other_dob) life.open.set(71, "birth");
  const born = openIds(life);
  if (born.length > 0) life.held_from = first;
  write(life, by, "create", born.length > 0 ? "On Hold" : first, born[0], null);
  for (const id of born) write(life, "system", "raise_exception", "On Hold", id);
  tell(
    life,
    null,
    born.map(() => "ORDER_EXCEPTION"),
  );
  model.orders.push(life);
  if (life.payer === "patient") authorise(model, life);
  return DONE;
}

function order(model: Model, prescription_id: number, units: number): void {
  const prescription = model.prescriptions.get(prescription_id)!;
  prescription.units_left -= units;
  prescription.units_ordered += units;
}

/** Requests an authorization from the provider and releases the order's previous one. */
export function authorise(model: Model, life: Life): void {
  if (life.authorised) life.entries.push(`void ${life.amount}`);
  life.authorised = life.token !== "declined";
  life.payment = life.authorised ? "authorized" : "declined";
  if (life.authorised) life.entries.push(`authorisation ${life.amount}`);
  change(model, life, system, life.authorised ? { ends: [80] } : { raises: [80] });
}

export function giveBack(model: Model, item: Item): void {
  if (item.prescription_id !== null) order(model, item.prescription_id, -item.units);
  if (item.reserved) model.shelves.get(item.sku)!.reserved -= item.units;
  item.reserved = false;
}

export function cancel(model: Model, life: Life, by: string): string {
  const doer = by === "partner" ? partner : system;
  for (const item of itemsOf(life)) giveBack(model, item);
  life.payment = "voided";
  life.entries.push(`void ${life.amount}`);
  move(life, by, "cancel", "Canceled");
  recheckDuplicates(model, life, doer);
  return DONE;
}

export function refund(life: Life, by: string, cents: number): boolean {
  if (cents <= 0 || cents > life.captured - life.refunded) return false;
  life.refunded += cents;
  if (life.refunded === life.captured) life.payment = "refunded";
  life.entries.push(`refund ${cents}`);
  move(life, by, "refund", life.state);
  return true;
}

/** Whether an exception concerns an item. One that a person raised concerns every item. */
export function inQuestion(model: Model, life: Life, id: ExceptionId, item: Item): boolean {
  if (life.open.get(id) === "hand") return true;
  if (id === 69) return isUnclear(model, item);
  if (id === 70) return isSubstituted(model, item);
  return id === 73 ? isMissing(item) : id === 76 && !item.reserved;
}

export function replace(model: Model, life: Life, id: ExceptionId, prescription_id: number, by: Doer): string {
  const prescription = model.prescriptions.get(prescription_id);
  if (prescription === undefined) return "42249";
  const { gcn } = productOf(prescription.sku);
  const item = itemsOf(life).find(
    (one) => one.needs_prescription && inQuestion(model, life, id, one) && productOf(one.sku).gcn === gcn,
  );
  const codes: number[] = item === undefined ? [42258] : [];
  if (prescription.units_left <= 0) codes.push(42250);
  else if ((item?.units ?? 0) > prescription.units_left) codes.push(42255);
  if (item?.prescription_id === prescription_id) codes.push(42249);
  if (item === undefined || codes.length > 0) return codes.sort().join();
  if (item.prescription_id !== null) order(model, item.prescription_id, -item.units);
  item.prescription_id = prescription_id;
  order(model, prescription_id, item.units);
  if (life.held_from !== "Processing/clinical_review") {
    life.held_from = "Processing/clinical_review";
    life.filled_by = null;
  }
  change(model, life, by, { ends: [id], otherwise: "replace_prescription" });
  return DONE;
}

/**
 * A prescription arrives. It fills an order that waits for it. Otherwise it becomes a new order if the account
 * auto-orders.
 */
export function prescribe(
  model: Model,
  { sku, written_qty }: Extract<Concrete, { kind: "prescribe" }>,
  told: Told,
): string {
  const id = told.prescription_id!;
  model.prescriptions.set(id, { sku, units_left: written_qty, units_ordered: 0, daw: false, unclear: false });
  if (!model.automatic) return DONE;
  const waits = (life: Life) =>
    isOpen(life) && itemsOf(life).some((item) => isMissing(item) && productOf(item.sku).gcn === productOf(sku).gcn);
  const [waiting] = model.orders.filter(waits).sort((a, b) => (a.order_number < b.order_number ? -1 : 1));
  if (waiting !== undefined && replace(model, waiting, 73, id, system) === DONE) return DONE;
  const wish = { prescription: 0, sku, package_size: written_qty, quantity: 1 } as unknown as Wish;
  const address: Address = { state: "CA", long: false, end: "delivered" };
  return place(model, { wishes: [wish], address, token: null, other_dob: false, by: "system", ids: [id] }, told);
}
