import {
  type ActionKey,
  actions,
  type ExceptionId,
  exceptionIds,
  exceptionRow,
  type OrderState,
  statusOfState,
} from "@pestle/contract";
import type { Command, PersonName, Todo } from "./lifecycle-commands.ts";
import { type Address, isMissing, itemsOf, type Life, type Model, openIds, type Token } from "./lifecycle-model.ts";

/** A partner's request about an order, with its fields. */
export type Asked = {
  event: ActionKey;
  exception_id?: ExceptionId;
  address?: Address;
  email?: true;
  dob?: "right" | "wrong";
  prescription_id?: number;
  item_id?: number;
  token?: Token;
  reason_id?: number;
  amount_cents?: number;
};

/** A command with every open choice resolved against the existing records. */
export type Concrete =
  | Extract<Command, { kind: "place" | "restock" | "prescribe" | "tell_allergies" | "clock" | "wait" }>
  | { kind: "act"; life: Life; asked: Asked }
  | { kind: "work"; life: Life; todo: Todo; by: PersonName; revision: number | null }
  | { kind: "readdress"; life: Life; address: Address }
  | { kind: "simulate"; life: Life; to: Extract<Command, { kind: "simulate" }>["to"]; id: ExceptionId };

/** An id that no prescription has. */
const NOBODYS = 1;
/** A shipped supply counts as in use for this long. */
const FARTHEST_DAYS = 60;

/** What a command means now, or undefined if it applies to nothing. */
export function concrete(model: Model, command: Command): Concrete | undefined {
  switch (command.kind) {
    case "clock":
      return model.ahead_ms / 86_400_000 + command.days > FARTHEST_DAYS ? undefined : command;
    case "place":
    case "restock":
    case "prescribe":
    case "tell_allergies":
    case "wait":
      return command;
  }
  const life = model.orders[command.order % Math.max(1, model.orders.length)];
  if (life === undefined) return undefined;
  switch (command.kind) {
    case "act":
      return { kind: "act", life, asked: askedOf(model, life, command) };
    case "work": {
      const { todo, pick, by, seen } = command;
      const revision = { nothing: null, now: life.revision, before: life.revision - 1 }[seen];
      return { kind: "work", life, todo: todo ?? fitting(life, pick), by, revision };
    }
    case "go_on":
      return goOn(model, life, command);
    case "readdress":
      return { kind: "readdress", life, address: command.address };
    case "simulate":
      return { kind: "simulate", life, to: command.to, id: command.id };
  }
}

/** An action that the order's current stage allows. */
function fitting(life: Life, pick: number): Todo {
  const id = exceptionIds[pick % exceptionIds.length]!;
  const by_state: Record<OrderState, Todo[]> = {
    "Processing/clinical_review": ["approve", { raise: id }, "claim", "note"],
    "Filling/fill": ["fill", { raise: id }, "claim", "let_go"],
    "Filling/product_check": ["verify", "reject", "reject", { raise: id }],
    "Filling/pack": ["ship", { raise: id }, "cancel"],
    Shipped: [
      { track: "in_transit" },
      { track: "lost" },
      { track: "delivered" },
      "refund",
      { refund_cents: 50 * pick },
    ],
    Delivered: ["refund", { refund_cents: 100 * pick }, "claim"],
    "On Hold": [{ resolve: openIds(life)[pick % Math.max(1, life.open.size)] ?? 64 }, { raise: id }],
    Canceled: ["note", "claim", "let_go"],
  };
  const todos = by_state[life.state];
  return todos[pick % todos.length]!;
}

/** The next step, so that some orders get far. */
function goOn(model: Model, life: Life, { by, checked_by }: Extract<Command, { kind: "go_on" }>): Concrete | undefined {
  const work = (todo: Todo, person: PersonName): Concrete => ({
    kind: "work",
    life,
    todo,
    by: person,
    revision: null,
  });
  switch (life.state) {
    case "Processing/clinical_review":
      return work("approve", checked_by);
    case "Filling/fill":
      return work("fill", by);
    case "Filling/product_check":
      return work("verify", checked_by);
    case "Filling/pack":
      return work("ship", by);
    case "On Hold":
      return remedy(model, life) ?? work({ resolve: openIds(life)[0]! }, "lena");
    default:
      return undefined;
  }
}

/** The action that closes an exception that no role may override. */
function remedy(model: Model, life: Life): Concrete | undefined {
  const [id] = openIds(life);
  const ask = (asked: Asked): Concrete => ({ kind: "act", life, asked });
  if (id === 80 && life.payment === "declined") return ask({ event: "retry_payment", token: "good" });
  if (life.open.get(id!) !== "rule") return undefined;
  if (id === 65) return ask({ event: "update_email", email: true });
  if (id === 67) return ask({ event: "update_address", address: { ...life.address, state: "CA" } });
  const missing = itemsOf(life).find(isMissing);
  if (id === 73 && (missing?.sku === "sertraline-50" || missing?.sku === "atorvastatin-20")) {
    return { kind: "prescribe", sku: missing.sku, written_qty: 90 };
  }
  const short = itemsOf(life).find(({ reserved }) => !reserved);
  if (id === 76 && short !== undefined && model.shelves.has(short.sku)) {
    return { kind: "restock", sku: short.sku, units: 120 };
  }
  return undefined;
}

function askedOf(model: Model, life: Life, command: Extract<Command, { kind: "act" }>): Asked {
  const { pick, named, fields } = command;
  const open = openIds(life);
  const event = command.event ?? offered(life, pick);
  const anyhow = exceptionIds[pick % exceptionIds.length]!;
  const exception_id = open[pick % Math.max(1, open.length)] ?? anyhow;
  const ids = [...model.prescriptions.keys(), NOBODYS];
  const own: { [Event in ActionKey]?: Omit<Asked, "event"> } = {
    update_email: { email: true },
    update_address: { address: fields.address },
    verify: fields.right ? {} : { dob: fields.item_id === 1 ? "wrong" : "right" },
    replace_prescription: { prescription_id: ids[fields.prescription % ids.length]! },
    remove_item: { item_id: fields.item_id },
    retry_payment: { token: fields.token },
    refund: { reason_id: fields.right ? 101 : 999 },
    partial_refund: { reason_id: fields.right ? 106 : 999, amount_cents: fields.cents },
  };
  return { event, ...(named && { exception_id }), ...own[event] };
}

function offered(life: Life, pick: number): ActionKey {
  const by_holds = openIds(life).flatMap((id) => exceptionRow(id).actions);
  const by_status = (Object.keys(actions) as ActionKey[]).filter((key) =>
    (actions[key].order_statuses as readonly string[]).includes(statusOfState(life.state)),
  );
  // Every exception offers cancel; without this filter, most orders would end that way.
  const all = [...by_holds, ...by_status].filter((key) => key !== "accept_suggested_address" && key !== "cancel");
  return pick === 0 ? "cancel" : (all[pick % Math.max(1, all.length)] ?? "cancel");
}

/** The name under which the report counts it. */
export function nameOf(done: Concrete): string {
  if (done.kind === "act") return `act ${done.asked.event}`;
  if (done.kind === "simulate") return `simulate ${done.to ?? "exception"}`;
  if (done.kind !== "work") return done.kind;
  return `work ${typeof done.todo === "string" ? done.todo : Object.keys(done.todo)[0]}`;
}
