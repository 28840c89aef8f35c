import {
  type ExceptionId,
  type HoldableState,
  type OrderState,
  type OrderStatus,
  type ShipmentStatus,
  stageOfState,
  statusOfState,
} from "@pestle/contract";
import { products } from "../../server/src/seed/cast.ts";

/** The simplest model of one patient in one account. The service must agree with it after every command. */
export type Model = {
  automatic: boolean;
  /** Real time, and the lead of the account's clock over it. */
  real_ms: number;
  ahead_ms: number;
  email: boolean;
  allergies: readonly string[];
  shelves: Map<string, Shelf>;
  prescriptions: Map<number, Prescription>;
  orders: Life[];
};
type Shelf = { on_hand: number; reserved: number };
type Prescription = { sku: string; units_left: number; units_ordered: number; daw: boolean; unclear: boolean };

/** The life of an order. */
export type Life = {
  order_number: string;
  born_ms: number;
  state: OrderState;
  held_from: HoldableState | null;
  /** Open exceptions, by source: a rule that runs again after every change, the creation of the order, or a person. */
  open: Map<ExceptionId, "rule" | "birth" | "hand">;
  /** The data as it was at the confirmation. */
  confirmed: Map<ExceptionId, string>;
  items: Item[];
  address: Address;
  payer: "partner" | "patient";
  token: Token;
  payment: "authorized" | "declined" | "voided" | "captured" | "refunded";
  authorised: boolean;
  amount: number;
  captured: number;
  refunded: number;
  entries: string[];
  claim: { by: string; until_ms: number } | null;
  filled_by: string | null;
  parcel: Parcel | null;
  notes: number;
  revision: number;
  sequence: number;
  history: string[];
  /** One line per event: its sequence and type. */
  events: string[];
};
export type Item = {
  item_id: number;
  sku: string;
  units: number;
  price: number;
  prescription_id: number | null;
  needs_prescription: boolean;
  reserved: boolean;
  removed: boolean;
};
type Parcel = { status: ShipmentStatus; sent_ms: number; heard_ms: number; look_ms: number | null };
export type Token = "good" | "declined" | "declined_at_capture";
/** Destination, a name too long for a label, and the outcome of the parcel. */
export type Address = { state: "CA" | "AR" | "HI"; long: boolean; end: "delivered" | "lost" | "returned" };

export const DAY_MS = 24 * 3600 * 1000;
export const nowOf = ({ real_ms, ahead_ms }: Model) => real_ms + ahead_ms;
export const productOf = (sku: string) => products.find((product) => product.sku === sku)!;
export const isOpen = ({ state }: Life) => !["Shipped", "Delivered", "Canceled"].includes(state);
export const itemsOf = ({ items }: Life) => items.filter(({ removed }) => !removed);
export const openIds = ({ open }: Life) => [...open.keys()].sort((a, b) => a - b);

/** Every reason for which a rule holds an order now, with the data it depends on. */
export function holdsOf(model: Model, life: Life): Map<ExceptionId, string> {
  const items = itemsOf(life);
  const found = new Map<ExceptionId, string>();
  const hold = (id: ExceptionId, basis: string) => {
    if (basis !== "") found.set(id, basis);
  };
  const told = (raises: (item: Item) => boolean) =>
    items
      .filter(raises)
      .map(({ item_id, units, prescription_id }) => `${item_id}:${units}:${prescription_id}`)
      .join();
  const { state, long } = life.address;
  hold(65, model.email ? "" : "none");
  const barred = items.filter(({ sku }) => productOf(sku).blocked_states.includes(state));
  hold(67, state === "HI" || barred.length > 0 ? `${state} ${barred.map(({ sku }) => sku)}` : "");
  hold(
    69,
    told((item) => isUnclear(model, item)),
  );
  hold(
    70,
    told((item) => isSubstituted(model, item)),
  );
  hold(
    72,
    told(({ sku }) => unitsOf(sku, items) > productOf(sku).max_units),
  );
  hold(73, told(isMissing));
  hold(74, allergiesIn(model, items));
  hold(75, interacting(model, life) ? "pair" : "");
  hold(
    76,
    told(({ reserved }) => !reserved),
  );
  hold(79, long ? "long" : "");
  return found;
}

export const isUnclear = ({ prescriptions }: Model, { prescription_id }: Item) =>
  prescription_id !== null && prescriptions.get(prescription_id)!.unclear;
export const isSubstituted = ({ prescriptions }: Model, { prescription_id, sku }: Item) => {
  const written = prescription_id === null ? undefined : prescriptions.get(prescription_id);
  return written?.daw === true && written.sku !== sku;
};
export const isMissing = ({ needs_prescription, prescription_id }: Item) =>
  needs_prescription && prescription_id === null;
const unitsOf = (wanted: string, items: readonly Item[]) =>
  items.filter(({ sku }) => sku === wanted).reduce((sum, { units }) => sum + units, 0);

function allergiesIn({ allergies }: Model, items: readonly Item[]): string {
  if (!items.some(({ sku }) => sku === "amoxicillin-500")) return "";
  return allergies.filter((allergy) => allergy === "penicillin" || allergy === "amoxicillin").join();
}

/** Whether an item conflicts with another item, with another open order, or with a shipped one. */
function interacting({ orders }: Model, life: Life): boolean {
  const pair = ["sertraline-50", "phenelzine-15"];
  const all = orders.filter((one) => one !== life && one.state !== "Canceled").flatMap(itemsOf);
  return itemsOf(life).some(({ sku }) => {
    const counterpart = pair.includes(sku) ? pair.find((one) => one !== sku) : undefined;
    return [...all, ...itemsOf(life)].some((other) => other.sku === counterpart);
  });
}

/** Whether people confirmed this exception for the data as it is. For 74 and 75, each finding counts by itself. */
function isConfirmed({ confirmed }: Life, id: ExceptionId, basis: string): boolean {
  const before = confirmed.get(id);
  if (before === undefined || !isForPharmacist(id)) return before === basis;
  return basis.split(",").every((one) => before.split(",").includes(one));
}

function confirm({ confirmed }: Life, id: ExceptionId, basis: string): void {
  const before = isForPharmacist(id) ? confirmed.get(id) : undefined;
  confirmed.set(id, before === undefined ? basis : `${before},${basis}`);
}

/** Only a pharmacist closes it, even if its cause is gone. */
export const isForPharmacist = (id: ExceptionId) => id === 74 || id === 75;

/** Actors, under the names that history uses when they raise, resolve, or do anything else. */
export type Doer = { raises: string; resolves: string };
export const partner: Doer = { raises: "partner", resolves: "partner" };
export const system: Doer = { raises: "system", resolves: "system" };

type What = {
  ends?: readonly ExceptionId[];
  confirms?: readonly ExceptionId[];
  raises?: readonly ExceptionId[];
  /** The history event if no exception opens or closes. */
  otherwise?: string;
};

/** A change after which the checks run again. */
export function change(
  model: Model,
  life: Life,
  doer: Doer,
  { ends = [], confirms = [], raises = [], otherwise }: What,
) {
  life.revision += 1;
  const found = holdsOf(model, life);
  for (const id of confirms) if (found.has(id)) confirm(life, id, found.get(id)!);
  const before = openIds(life);
  const next: Life["open"] = new Map();
  for (const [id, by] of life.open) {
    const stays = (by !== "rule" || isForPharmacist(id)) && !isEndedDuplicate(model, life, id);
    if (stays && !ends.includes(id) && !confirms.includes(id)) next.set(id, by);
  }
  for (const [id, basis] of found) if (!next.has(id) && !isConfirmed(life, id, basis)) next.set(id, "rule");
  for (const id of raises) if (!next.has(id)) next.set(id, "hand");
  life.open = next;
  const raised = openIds(life).filter((id) => !before.includes(id));
  const resolved = before.filter((id) => !next.has(id));
  if (raised.length + resolved.length === 0) {
    if (otherwise !== undefined) write(life, doer.resolves, otherwise, life.state);
    return;
  }
  const held_from = life.held_from ?? (life.state as HoldableState);
  const was = statusOfState(life.state);
  for (const id of raised) write(life, raises.includes(id) ? doer.raises : "system", "raise_exception", "On Hold", id);
  const to = next.size > 0 ? "On Hold" : held_from;
  for (const [index, id] of resolved.entries()) {
    write(life, doer.resolves, "resolve", index === resolved.length - 1 ? to : "On Hold", id);
  }
  life.held_from = next.size > 0 ? held_from : null;
  tell(
    life,
    was,
    raised.map(() => "ORDER_EXCEPTION"),
  );
}

/** The exceptions that the checks would raise now, beyond the open and the confirmed ones. */
export const newHolds = (model: Model, life: Life): ExceptionId[] =>
  [...holdsOf(model, life)]
    .filter(([id, basis]) => !life.open.has(id) && !isConfirmed(life, id, basis))
    .map(([id]) => id);

/** The first order was canceled or lost the item: this one is no longer its duplicate. A person's 68 stays. */
function isEndedDuplicate({ orders }: Model, life: Life, id: ExceptionId): boolean {
  if (id !== 68 || life.open.get(68) !== "birth") return false;
  const others = orders.filter((one) => one !== life && one.state !== "Canceled");
  const first = others.filter((one) => one.born_ms <= life.born_ms || !one.open.has(68));
  const since = first.filter((one) => isOpen(one) || one.parcel!.sent_ms >= life.born_ms);
  return !since.flatMap(itemsOf).some((other) => itemsOf(life).some((item) => isSameDrug(item, other)));
}

const isSameDrug = (a: Item, b: Item): boolean =>
  (a.prescription_id !== null && a.prescription_id === b.prescription_id) ||
  (productOf(a.sku).gcn !== null && productOf(a.sku).gcn === productOf(b.sku).gcn);

/** An order was canceled or lost an item: the checks run on those that were held as its duplicates. */
export const recheckDuplicates = (model: Model, life: Life, doer: Doer): void =>
  recheck(model, doer, (other) => other !== life && other.open.has(68));

/** New facts about the patient: the checks run on every open order, and change those that they concern. */
export function recheck(model: Model, doer: Doer, concerns: (life: Life) => boolean = () => true): void {
  for (const life of model.orders.filter(isOpen).filter(concerns)) {
    const found = holdsOf(model, life);
    const remains = (id: ExceptionId) => found.has(id) && !isConfirmed(life, id, found.get(id)!);
    const ended = [...life.open].some(
      ([id, by]) => (by === "rule" && !isForPharmacist(id) && !remains(id)) || isEndedDuplicate(model, life, id),
    );
    if (ended || newHolds(model, life).length > 0) change(model, life, doer, {});
  }
}

/** A transition that leaves the exceptions unchanged or closes all of them. */
export function move(life: Life, actor: string, event: string, to: OrderState): void {
  life.revision += 1;
  const was = statusOfState(life.state);
  write(life, actor, event, to);
  if (to !== "On Hold") {
    life.open = new Map();
    life.held_from = null;
  }
  // A finished order cannot be claimed.
  if (to === "Delivered" || to === "Canceled") life.claim = null;
  tell(life, was, ["ship", "track", "deliver"].includes(event) ? ["SHIPMENT_UPDATED"] : []);
}

export function write(life: Life, actor: string, event: string, to: OrderState, id?: ExceptionId, from?: null): void {
  const before = from === null ? null : statusOfState(life.state);
  life.history.push(
    historyLine({
      actor,
      event,
      exception_id: id ?? null,
      from: before,
      to: statusOfState(to),
      stage: stageOfState(to),
    }),
  );
  life.state = to;
}

/** A history line in one format for the model and for database rows. */
export const historyLine = (row: Record<"actor" | "event" | "exception_id" | "from" | "to" | "stage", unknown>) =>
  `${row.actor} ${row.event} ${row.exception_id ?? "-"}: ${row.from ?? "new"} > ${row.to}/${row.stage ?? "-"}`;

/** Events of a change: the status if it changed, plus any others, all with the same sequence. */
export function tell(life: Life, was: OrderStatus | null, types: readonly string[]): void {
  const prescribed = life.items.some(({ needs_prescription }) => needs_prescription);
  const moved = was === statusOfState(life.state) ? [] : ["ORDER_UPDATED", ...(prescribed ? ["RX_UPDATED"] : [])];
  const all = [...moved, ...types];
  if (all.length === 0) return;
  life.sequence += 1;
  life.events.push(...all.map((type) => `${life.sequence} ${type}`));
}
