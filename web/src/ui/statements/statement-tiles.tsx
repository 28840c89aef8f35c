import type { Statement } from "@pestle/contract";
import { TileBody, tileClass, tilesClass } from "../display/tile.tsx";
import { moneyText } from "../money.ts";
import { say } from "../words/say.tsx";

/** The sums of a month. `owed`: how the reader calls the partner's total. */
export function StatementTiles({ statement, owed }: { statement: Statement; owed: string }) {
  const { currency, due_cents, totals } = statement;
  const { items_cents, shipping_cents, fees_cents, refunds_cents, credits_cents } = totals.partner;
  const money = (cents: number) => moneyText(cents, currency);
  const tiles = [
    { label: owed, value: due_cents },
    { label: say("Items"), value: items_cents },
    { label: say("Shipping"), value: shipping_cents },
    { label: say("Fees"), value: fees_cents },
    {
      label: say("Refunds and credits"),
      value: refunds_cents + credits_cents,
      ...(refunds_cents !== 0 &&
        credits_cents !== 0 && {
          about: say("{refunds} and {credits}", {
            refunds: money(refunds_cents),
            credits: money(credits_cents),
          }),
        }),
    },
    { label: say("Paid by patients"), value: totals.patient.total_cents, about: say("By card") },
  ];
  return (
    <div className={tilesClass}>
      {tiles.map(({ label, value, about }) => (
        <div key={label} className={tileClass}>
          <TileBody label={label} value={money(value)} about={about} />
        </div>
      ))}
    </div>
  );
}
