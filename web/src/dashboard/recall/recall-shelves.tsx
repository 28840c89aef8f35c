import type { RecallShelf } from "@pestle/contract";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { EnvironmentBadge } from "../../ui/order-badges.tsx";
import { dateText } from "../../ui/time.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say } from "../../ui/words/say.tsx";

/** The units of the lot that staff take off the shelf. */
export function RecallShelves({ shelves }: { shelves: readonly RecallShelf[] }) {
  return (
    <Card title={say("On the shelf")} flush>
      <Table
        caption={say("Units of this lot, by product")}
        columns={columns()}
        rows={shelves}
        rowKey={({ account_id, sku }) => `${account_id} ${sku}`}
        empty={
          <Empty title={say("No units of this lot")}>
            {say("Stock whose lot is unknown can still have packages of it. Look at the shelf too.")}
          </Empty>
        }
      />
    </Card>
  );
}

const columns = (): Column<RecallShelf>[] => [
  {
    title: say("Product"),
    cell: ({ name, sku }) => (
      <>
        {name} <span className="mono quiet">{sku}</span>
      </>
    ),
  },
  {
    title: say("Partner"),
    cell: ({ partner, environment }) => (
      <span className="row">
        {partner} <EnvironmentBadge environment={environment} />
      </span>
    ),
  },
  { title: say("Expires"), cell: ({ expires_on }) => dateText(expires_on) },
  { title: say("On hand"), number: true, cell: ({ on_hand_units }) => numberText(on_hand_units) },
  { title: say("In filled orders"), number: true, cell: ({ filled_units }) => numberText(filled_units) },
  { title: say("Returned"), number: true, cell: ({ returned_units }) => numberText(returned_units) },
  {
    title: say("Quarantine"),
    cell: ({ quarantined }) =>
      quarantined ? (
        <Badge tone="wait">{say("In quarantine")}</Badge>
      ) : (
        <Badge tone="bad">{say("Not in quarantine")}</Badge>
      ),
  },
];
