/**
 * Chooses the account for a message. A single account needs no rule. If several share the receiver ID, the most
 * specific matching rule decides. Two equally specific matches decide nothing.
 */
export function routeMessage<Account extends Routed>(
  accounts: readonly Account[],
  message: { sender: string; prescriber_npi: string | null; practice: string | null },
): Account | "nobody" | "undecided" {
  const [only, ...others] = accounts;
  if (only === undefined) return "nobody";
  if (others.length === 0) return only;
  const values = { sender: message.sender, prescriber_npi: message.prescriber_npi, practice: message.practice };
  for (const kind of routingKinds) {
    const value = values[kind]?.toLowerCase();
    const fitting = accounts.filter(({ routing_rules }) =>
      routing_rules.some((rule) => rule.kind === kind && rule.value.toLowerCase() === value),
    );
    if (fitting.length === 1) return fitting[0]!;
    if (fitting.length > 1) return "undecided";
  }
  return "undecided";
}

/** Most specific first. */
export const routingKinds = ["prescriber_npi", "practice", "sender"] as const;
export type RoutingKind = (typeof routingKinds)[number];
type Routed = { routing_rules: readonly { kind: RoutingKind; value: string }[] };
