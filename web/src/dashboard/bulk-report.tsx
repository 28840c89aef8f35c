import type { BulkResult } from "@pestle/contract";
import { Link } from "../app/router/router.tsx";
import { Button } from "../ui/controls/button.tsx";
import { Dialog } from "../ui/display/dialog.tsx";
import { Notice } from "../ui/display/notice.tsx";
import { type Column, Table } from "../ui/display/table.tsx";
import { numberText } from "../ui/words/number-text.ts";
import { say, sayWith } from "../ui/words/say.tsx";
import { orderPath } from "./order-link.ts";
import type { BulkOutcome } from "./send-bulk.ts";

const columns: Column<BulkResult>[] = [
  {
    title: say("Order"),
    cell: (row) => (
      <Link to={orderPath(row)} className="mono">
        {row.order_number}
      </Link>
    ),
  },
  { title: say("Reason"), cell: ({ message }) => message },
];

/** Lists the orders that failed in a bulk action, with reasons. They stay selected. */
export function BulkReport({ outcome: { done, refused }, onClose }: { outcome: BulkOutcome; onClose: () => void }) {
  return (
    <Dialog
      title={say("Some orders were not updated")}
      onClose={onClose}
      wide
      actions={
        <Button tone="primary" onClick={onClose}>
          {say("Close")}
        </Button>
      }
    >
      <Notice tone="wait">
        {sayWith("{done} updated, {count} failed.", { done: numberText(done), count: numberText(refused.length) })}
      </Notice>
      <Table caption={say("Failed orders")} columns={columns} rows={refused} rowKey={orderPath} />
    </Dialog>
  );
}
