import {
  type ActionKey,
  actionKeys,
  actions,
  type ExceptionId,
  exceptionIds,
  exceptionRow,
  type Order,
  type PortalExceptionGroup,
  type PortalOrderAction,
} from "@pestle/contract";

/** The actions a partner can request now: those its exceptions offer, then those its status allows. */
export function offeredActions({
  order_status,
  exceptions,
}: Pick<Order, "order_status" | "exceptions">): PortalOrderAction[] {
  const offers = ({ order_actions }: Order["exceptions"][number], key: ActionKey) =>
    order_actions.some(({ event_key }) => event_key === key);
  const offered = exceptions.flatMap(({ order_actions }) => order_actions.map(({ event_key }) => event_key));
  const allowed = actionKeys.filter((key) => (actions[key].order_statuses as readonly string[]).includes(order_status));
  return [...new Set([...offered.filter((key) => key !== "cancel"), ...allowed])].map((event_key) => ({
    event_key,
    action: actions[event_key].action,
    fields: actions[event_key].fields.map(({ name, type, required, description }) => ({
      name,
      type,
      required,
      description,
    })),
    exception_ids: exceptions.filter((exception) => offers(exception, event_key)).map(({ id }) => id),
  }));
}

type Held = { exception_id: number; count: number; oldest_at: Date; order_numbers: readonly string[] };

/** Groups held orders by exception: those that need the partner first, then by age. */
export function exceptionGroups(held: readonly Held[]): PortalExceptionGroup[] {
  const waits = (id: ExceptionId) => (exceptionRow(id).who_acts === "partner" ? 0 : 1);
  return exceptionIds
    .flatMap((id) => held.filter(({ exception_id }) => exception_id === id).map((group) => ({ id, group })))
    .sort((a, b) => waits(a.id) - waits(b.id) || a.group.oldest_at.getTime() - b.group.oldest_at.getTime())
    .map(({ id, group }) => {
      const { name, message, who_acts, actions: offered } = exceptionRow(id);
      return {
        exception_id: id,
        name,
        message,
        who_acts,
        actions: offered.map((event_key) => ({ event_key, action: actions[event_key].action })),
        count: group.count,
        oldest_at: group.oldest_at.toISOString(),
        order_numbers: [...group.order_numbers],
      };
    });
}
