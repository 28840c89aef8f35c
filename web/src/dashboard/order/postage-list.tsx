import type { PostageAdjustmentReason, PostageLine } from "@pestle/contract";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { moneyText } from "../../ui/money.ts";
import { When } from "../../ui/time.tsx";
import { say } from "../../ui/words/say.tsx";

const states: Readonly<Record<PostageLine["state"], { name: string; tone: Tone } | null>> = {
  made: { name: say("Not confirmed"), tone: "wait" },
  bought: null,
  refunding: { name: say("Refund requested"), tone: "wait" },
  refunded: { name: say("Refunded"), tone: "good" },
  refused: { name: say("Refund refused"), tone: "bad" },
};

const reasons: Readonly<Record<PostageAdjustmentReason, string>> = {
  weight: say("weight"),
  size: say("size"),
  service: say("service"),
  distance: say("distance"),
  other: say("other reason"),
};

/** What the labels cost the pharmacy: the rate, surcharges, and what the carrier corrected later. */
export const PostageList = ({ postage }: { postage: readonly PostageLine[] }) => (
  <section className="stack-tight">
    <h3>{say("Postage")}</h3>
    {postage.map((line) => (
      <div key={`${line.at} ${line.tracking_no}`}>
        <p className="row">
          {line.carrier === null ? say("Label") : <code>{`${line.carrier} ${line.service}`}</code>}
          {line.paid_cents !== null && <strong>{moneyText(totalOf(line))}</strong>}
          {states[line.state] && <Badge tone={states[line.state]!.tone}>{states[line.state]!.name}</Badge>}
        </p>
        {partsOf(line).map((part) => (
          <p key={part} className="small">
            {part}
          </p>
        ))}
        <span className="quiet small">
          {line.tracking_no && <span className="mono">{line.tracking_no}</span>} <When at={line.at} />
        </span>
      </div>
    ))}
  </section>
);

const totalOf = ({ paid_cents, adjustments }: PostageLine): number =>
  adjustments.reduce((sum, { amount_cents }) => sum + amount_cents, paid_cents ?? 0);

/** What the total consists of, if it is not the rate alone. */
function partsOf({ rate_cents, paid_cents, adjustments }: PostageLine): string[] {
  if (rate_cents === null || paid_cents === null) return [];
  const surcharges = paid_cents - rate_cents;
  if (surcharges === 0 && adjustments.length === 0) return [];
  return [
    say("Rate {amount}", { amount: moneyText(rate_cents) }),
    ...(surcharges > 0 ? [say("Surcharges {amount}", { amount: moneyText(surcharges) })] : []),
    // With a carrier account of the pharmacy's own, the carrier service charges its fee alone.
    ...(surcharges < 0 ? [say("Your own account at the carrier pays the rest.")] : []),
    ...adjustments.map(({ amount_cents, reason }) =>
      amount_cents > 0
        ? say("Charged later by the carrier: {amount} ({reason})", {
            amount: moneyText(amount_cents),
            reason: reasons[reason],
          })
        : say("Given back later by the carrier: {amount} ({reason})", {
            amount: moneyText(-amount_cents),
            reason: reasons[reason],
          }),
    ),
  ];
}
