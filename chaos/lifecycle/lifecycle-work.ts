import { exceptionRow, type OrderState, statusOfState } from "@pestle/contract";
import { isLicensed, people } from "./lifecycle-commands.ts";
import type { Concrete } from "./lifecycle-concrete.ts";
import {
  change,
  type Doer,
  holdsOf,
  isForPharmacist,
  isOpen,
  itemsOf,
  type Life,
  type Model,
  move,
  newHolds,
  nowOf,
  system,
} from "./lifecycle-model.ts";
import { cancel, DONE, refund } from "./lifecycle-orders.ts";
import { hear, IN_TRANSIT_MS } from "./lifecycle-track.ts";

const CLAIM_MS = 15 * 60_000;

/** Commands of pharmacy staff. */
export function work(model: Model, { life, todo, by, revision }: Extract<Concrete, { kind: "work" }>): string {
  const role = people[by];
  const is_pharmacist = isLicensed(by);
  const in_charge = role === "lead" || role === "admin";
  const doer: Doer = {
    raises: "operator",
    resolves: is_pharmacist ? "pharmacist" : "operator",
  };
  const theirs = life.claim !== null && life.claim.by !== by && life.claim.until_ms > model.real_ms;
  if (todo === "claim") {
    if (theirs && !in_charge) return "claimed";
    life.claim = { by, until_ms: model.real_ms + CLAIM_MS };
    return DONE;
  }
  if (todo === "let_go") {
    if (life.claim?.by === by) life.claim = null;
    return DONE;
  }
  if (todo === "note") {
    life.notes += 1;
    return DONE;
  }
  const in_the_way = revision !== null && revision !== life.revision ? "stale" : theirs ? "claimed" : null;
  if (todo === "ship") {
    if (life.state !== "Filling/pack") return "not_now";
    return in_the_way ?? ship(model, life);
  }
  if (in_the_way !== null) return in_the_way;
  const done = workFreely(model, life, todo, { by, doer, is_pharmacist });
  if (done === DONE) life.claim = null;
  return done;
}

type Worker = { by: string; doer: Doer; is_pharmacist: boolean };
type FreeTodo = Exclude<Extract<Concrete, { kind: "work" }>["todo"], "claim" | "let_go" | "note" | "ship">;

function workFreely(model: Model, life: Life, todo: FreeTodo, { by, doer, is_pharmacist }: Worker): string {
  const at = (state: OrderState, only_pharmacists: boolean) =>
    life.state !== state ? "not_now" : only_pharmacists && !is_pharmacist ? "not_your_role" : null;
  switch (todo) {
    case "approve": {
      const refused = at("Processing/clinical_review", true);
      if (refused !== null) return refused;
      if (!isStopped(model, life, doer)) move(life, "pharmacist", "approve_review", "Filling/fill");
      return DONE;
    }
    case "fill": {
      const refused = at("Filling/fill", false);
      if (refused !== null) return refused;
      if (isStopped(model, life, doer)) return DONE;
      life.filled_by = by;
      move(life, "technician", "complete_fill", "Filling/product_check");
      return DONE;
    }
    case "verify": {
      const refused = at("Filling/product_check", true) ?? (life.filled_by === by ? "same_person" : null);
      if (refused !== null) return refused;
      if (!isStopped(model, life, doer)) move(life, "pharmacist", "verify_product", "Filling/pack");
      return DONE;
    }
    case "reject": {
      const refused = at(life.state === "Filling/pack" ? "Filling/pack" : "Filling/product_check", true);
      if (refused !== null) return refused;
      life.filled_by = null;
      life.notes += 1;
      move(life, "pharmacist", "reject_product", "Filling/fill");
      return DONE;
    }
    case "cancel":
      if (!isOpen(life)) return "not_now";
      life.notes += 1;
      return cancel(model, life, "operator");
    case "refund":
      return refundBy(life, life.captured - life.refunded);
  }
  if ("refund_cents" in todo) return refundBy(life, todo.refund_cents);
  if ("track" in todo) {
    if (life.state !== "Shipped") return "not_now";
    hear(life, "operator", todo.track);
    life.parcel!.heard_ms = nowOf(model);
    return DONE;
  }
  if ("raise" in todo) {
    if (life.open.has(todo.raise)) return "open_already";
    if (!isOpen(life)) return "not_now";
    life.notes += 1;
    change(model, life, doer, { raises: [todo.raise] });
    return DONE;
  }
  const id = todo.resolve;
  if (!life.open.has(id)) return "not_open";
  const { overridden_by } = exceptionRow(id);
  const remains = holdsOf(model, life).has(id) || (id === 80 && life.payment === "declined");
  if (remains && overridden_by === "nobody") return "cause_remains";
  const by_hand = life.open.get(id) === "hand";
  const overrides = overridden_by === "pharmacist" && (remains || by_hand || isForPharmacist(id));
  if (overrides && !is_pharmacist) return "pharmacist_needed";
  life.notes += 1;
  change(model, life, doer, { confirms: [id] });
  return DONE;
}

function refundBy(life: Life, cents: number): string {
  if (life.state !== "Shipped" && life.state !== "Delivered") return "not_now";
  return refund(life, "operator", cents) ? DONE : "nothing_to_refund";
}

/** The checks run before each step towards the patient, and hold the order instead if they find something new. */
function isStopped(model: Model, life: Life, doer: Doer): boolean {
  if (newHolds(model, life).length === 0) return false;
  change(model, life, doer, {});
  life.claim = null;
  return true;
}

function ship(model: Model, life: Life): string {
  if (isStopped(model, life, system)) return DONE;
  if (life.payer === "patient" && (life.payment === "declined" || life.token === "declined_at_capture")) {
    life.payment = "declined";
    change(model, life, system, { raises: [80] });
    return DONE;
  }
  for (const item of itemsOf(life)) {
    const shelf = model.shelves.get(item.sku)!;
    shelf.on_hand -= item.units;
    shelf.reserved -= item.units;
    item.reserved = false;
  }
  life.payment = "captured";
  life.captured = life.amount;
  life.entries.push(`capture ${life.amount}`);
  life.claim = null;
  const sent_ms = nowOf(model);
  life.parcel = { status: "label_created", sent_ms, heard_ms: sent_ms, look_ms: sent_ms + IN_TRANSIT_MS };
  move(life, "technician", "ship", "Shipped");
  return DONE;
}

const STEPS: { [State in OrderState]?: FreeTodo | "ship" } = {
  "Processing/clinical_review": "approve",
  "Filling/fill": "fill",
  "Filling/product_check": "verify",
  "Filling/pack": "ship",
  Shipped: { track: "delivered" },
};
const WALK = ["Processing", "Filling", "Shipped", "Delivered"];

export function simulate(model: Model, { life, to, id }: Extract<Concrete, { kind: "simulate" }>): string {
  if (to === null) {
    if (!isOpen(life) || life.open.has(id)) return "42463";
    change(model, life, system, { raises: [id] });
    return DONE;
  }
  if (life.state === "On Hold" || (to === "Canceled" && !isOpen(life))) return "42463";
  if (to === "Canceled") return cancel(model, life, "system");
  const from = WALK.indexOf(statusOfState(life.state));
  if (from === -1 || from >= WALK.indexOf(to)) return "42463";
  if (life.claim !== null && life.claim.until_ms > model.real_ms) return "42463";
  while (statusOfState(life.state) !== to && life.open.size === 0) {
    const todo = STEPS[life.state]!;
    const by = todo === "fill" ? "simulated-technician" : "simulated-pharmacist";
    const doer: Doer = { raises: "operator", resolves: "pharmacist" };
    if (todo === "ship") ship(model, life);
    else if (workFreely(model, life, todo, { by, doer, is_pharmacist: true }) === DONE) life.claim = null;
  }
  return DONE;
}
