import {
  type ActionField,
  actionKeys,
  actions,
  finalStates,
  orderActions,
  orderStates,
  orderStatusReasons,
  staffRoles,
  type Transition,
  transitions,
} from "@pestle/contract";
import { lifecycleArrows } from "../site/lifecycle-arrows.ts";
import { code, fence, generated, page, table } from "./markdown.ts";

export function lifecyclePage() {
  const rows = (transitions as readonly Transition[]).map(({ event, from, to, by, when, sends, also }) => [
    code(event),
    from.join(", "),
    to,
    by.join(", "),
    when ?? "",
    sends.map(code).join(", "),
    also ?? "",
  ]);
  const actionRows = actionKeys.map((key) => {
    const offered = orderActions.find(({ event_key }) => event_key === key)!;
    return [
      code(key),
      actions[key].action,
      fieldNames(actions[key].fields),
      offered.exceptions.join(", "),
      offered.order_statuses.join(", "),
    ];
  });
  return page(
    generated("`contract/src/lifecycle.ts` and `contract/src/actions.ts`"),
    "# The life of an order\n",
    "You will see every status of an order, and what moves it to the next.\n",
    fence("mermaid", stateDiagram()),
    "The part after the slash is the stage; partners see the `order_status` before it. An order that leaves On Hold returns to its previous stage.\n",
    "## Transitions\n",
    table(["event", "from", "to", "by", "when", "sends", "also"], rows),
    "An order of OTC products alone never sends RX_UPDATED; subscribe to ORDER_UPDATED instead.\n",
    "## Who works on an order\n",
    "What pharmacy staff may do, by role. Only a person with a current license acts as a pharmacist. The person who filled an order cannot check it, in any role.\n",
    table(
      ["role", "acts as"],
      Object.entries(staffRoles).map(([role, acts]) => [role, acts.join(", ")]),
    ),
    "## Partner actions\n",
    "Each action takes an optional `exception_id`. Without it, the action applies to the first open exception that offers it.\n",
    table(["event_key", "action", "fields", "exceptions", "order statuses"], actionRows),
    "## Refund reasons\n",
    table(
      ["id", "name", "kind"],
      orderStatusReasons.map(({ id, name, kind }) => [id, name, kind]),
    ),
  );
}

/** GitHub renders this diagram; the site draws its own. */
function stateDiagram() {
  const id = (state: string) => state.replace(/[^A-Za-z]/g, "_");
  const names = orderStates.map((state) => `  state "${state}" as ${id(state)}`);
  const arrows = lifecycleArrows().map(
    ({ from, to, events }) => `  ${from === "new" ? "[*]" : id(from)} --> ${id(to)}: ${events.join(", ")}`,
  );
  const ends = finalStates.map((state) => `  ${id(state)} --> [*]`);
  return ["stateDiagram-v2", ...names, ...arrows, ...ends].join("\n");
}

const fieldNames = (fields: readonly ActionField[]) =>
  fields.map(({ name, required }) => (required ? code(name) : `${code(name)} (optional)`)).join(", ");
