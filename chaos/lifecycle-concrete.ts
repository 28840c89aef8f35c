import { type ActionKey, actions, type ExceptionId, exceptionIds, exceptionRow, statusOfState } from "@pestle/contract";
import type { Command, PersonName, Todo } from "./lifecycle-commands.ts";
import { type Address, type Life, type Model, openIds, type Token } from "./lifecycle-model.ts";

/** What a partner asks of an order, with whatever it sends beside. */
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

/** A command with everything chosen that it left to what there is. */
export type Concrete =
  | Extract<Command, { kind: "place" | "restock" | "prescribe" | "tell_allergies" | "clock" | "wait" }>
  | { kind: "act"; life: Life; asked: Asked }
  | { kind: "work"; life: Life; todo: Todo; by: PersonName; revision: number | null }
  | { kind: "readdress"; life: Life; address: Address }
  | { kind: "simulate"; life: Life; to: Extract<Command, { kind: "simulate" }>["to"]; id: ExceptionId };

/** No prescription of anybody's. */
const NOBODYS = 1;
/** For as long what was sent counts as taken: the supply is not used up before. */
const FARTHEST_DAYS = 60;

/** What a command means right now; undefined where there is nothing that it could be about. */
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
      const { todo, by, seen } = command;
      const revision = { nothing: null, now: life.revision, before: life.revision - 1 }[seen];
      return { kind: "work", life, todo: exactly(life, todo), by, revision };
    }
    case "go_on":
      return goOn(life, command);
    case "readdress":
      return { kind: "readdress", life, address: command.address };
    case "simulate":
      return { kind: "simulate", life, to: command.to, id: command.id };
  }
}

const exactly = (life: Life, todo: Todo | "resolve_first"): Todo =>
  todo === "resolve_first" ? { resolve: openIds(life)[0] ?? 64 } : todo;

/** The step that is next, so that some orders come far. */
function goOn(life: Life, { by, checked_by }: Extract<Command, { kind: "go_on" }>): Concrete | undefined {
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
      return work({ resolve: openIds(life)[0]! }, "lena");
    default:
      return undefined;
  }
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
  const all = [...by_holds, ...by_status].filter((key) => key !== "accept_suggested_address");
  return all[pick % Math.max(1, all.length)] ?? "cancel";
}

/** By what it is counted. */
export function nameOf(done: Concrete): string {
  if (done.kind === "act") return `act ${done.asked.event}`;
  if (done.kind === "simulate") return `simulate ${done.to ?? "exception"}`;
  if (done.kind !== "work") return done.kind;
  return `work ${typeof done.todo === "string" ? done.todo : Object.keys(done.todo)[0]}`;
}
