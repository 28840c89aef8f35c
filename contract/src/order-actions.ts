import { type KnownOfHold, offeredBy } from "./action-limits.ts";
import { type ActionField, type ActionKey, actionKeys, actions } from "./actions.ts";
import { type ExceptionId, exceptionIds, exceptionRow } from "./exceptions.ts";

/**
 * The response of `GET /order_actions`: the actions, the exceptions that offer each, and the statuses that allow it.
 */
export const orderActions = actionKeys.map((event_key) => {
  const { action, fields, order_statuses } = actions[event_key];
  const offering = exceptionIds.filter((id) => exceptionRow(id).actions.includes(event_key));
  const heldToo = offering.length > 0 && !(order_statuses as readonly string[]).includes("On Hold");
  return {
    event_key,
    action,
    fields: fields.map(({ name, type, required, description }: ActionField) => ({ name, type, required, description })),
    exceptions: offering,
    order_statuses: heldToo ? [...order_statuses, "On Hold" as const] : [...order_statuses],
  };
});

/** The `order_actions` of one exception, in an order and in its webhook. Without situations, all of its actions. */
export const orderActionsOf = (
  id: ExceptionId,
  present: ReadonlySet<KnownOfHold> = new Set(),
): { event_key: ActionKey; action: string }[] =>
  offeredBy(id, present).map((event_key) => ({ event_key, action: actions[event_key].action }));
