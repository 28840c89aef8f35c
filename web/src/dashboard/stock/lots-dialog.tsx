import type { DashboardLot, DashboardShelf } from "@pestle/contract";
import { useState } from "react";
import { Loaded } from "../../app/loaded.tsx";
import { useApi } from "../../app/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { dateText } from "../../ui/time.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say } from "../../ui/words/say.tsx";
import { DestroyDialog, type Destroyed } from "./destroy-dialog.tsx";

/** A lot, or the stock whose lot is unknown. */
type Row = Pick<DashboardLot, "on_hand_units" | "filled_units" | "returned_units"> & { lot: DashboardLot | null };

/** The lots of a product, the first to expire first. */
export function LotsDialog({
  shelf,
  path,
  onClose,
}: {
  shelf: DashboardShelf;
  path: `/dashboard/stock/${string}`;
  onClose: () => void;
}) {
  const query = useApi(`${path}/lots?sku=${encodeURIComponent(shelf.sku)}`);
  const [destroyed, setDestroyed] = useState<Destroyed | null>(null);
  if (destroyed !== null) {
    const close = () => {
      setDestroyed(null);
      void query.refetch();
    };
    return <DestroyDialog shelf={shelf} destroyed={destroyed} path={path} onClose={close} />;
  }
  return (
    <Dialog
      wide
      title={say("Lots: {name}", { name: shelf.name })}
      onClose={onClose}
      actions={<Button onClick={onClose}>{say("Close")}</Button>}
    >
      <Loaded query={query} lines={4}>
        {({ lots, loose }) => (
          <Table
            caption={say("Lots of {name}", { name: shelf.name })}
            columns={columns(setDestroyed)}
            rows={[
              ...lots.map((lot) => ({ ...lot, lot })),
              ...(loose.on_hand_units > 0 || loose.returned_units > 0 ? [{ ...loose, lot: null }] : []),
            ]}
            rowKey={({ lot }) => lot?.lot ?? ""}
            empty={<Empty title={say("No units")}>{say("Receive the product to record its lots.")}</Empty>}
          />
        )}
      </Loaded>
    </Dialog>
  );
}

const units = (value: number) => numberText(value);

const columns = (onDestroy: (destroyed: Destroyed) => void): Column<Row>[] => [
  {
    title: say("Lot"),
    cell: ({ lot }) =>
      lot === null ? (
        say("Lot unknown")
      ) : (
        <span className="row">
          <span className="mono">{lot.lot}</span>
          {lot.recalled && <Badge tone="bad">{say("Recalled")}</Badge>}
          {lot.expired && <Badge tone="bad">{say("Expired")}</Badge>}
        </span>
      ),
  },
  { title: say("Expires"), cell: ({ lot }) => (lot === null ? "–" : dateText(lot.expires_on)) },
  { title: say("On hand"), number: true, cell: ({ on_hand_units }) => units(on_hand_units) },
  { title: say("In filled orders"), number: true, cell: ({ filled_units }) => units(filled_units) },
  { title: say("Returned"), number: true, cell: ({ returned_units }) => units(returned_units) },
  {
    title: say("Action"),
    unseen: true,
    cell: ({ lot, on_hand_units, filled_units, returned_units }) => {
      const name = lot?.lot ?? null;
      const free = on_hand_units - filled_units;
      const reason = lot?.recalled ? "recalled" : lot?.expired ? "expired" : "damaged";
      return (
        <span className="row">
          {free > 0 && (
            <Button small onClick={() => onDestroy({ lot: name, returned: false, most: free, reason })}>
              {say("Destroy")}
            </Button>
          )}
          {returned_units > 0 && (
            <Button
              small
              onClick={() => onDestroy({ lot: name, returned: true, most: returned_units, reason: "returned" })}
            >
              {say("Destroy returned")}
            </Button>
          )}
        </span>
      );
    },
  },
];
