import type { BulkResult } from "@pestle/contract";
import { Link } from "../app/router/router.tsx";
import { Button } from "../ui/controls/button.tsx";
import { Dialog } from "../ui/display/dialog.tsx";
import { Notice } from "../ui/display/notice.tsx";
import { type Column, Table } from "../ui/display/table.tsx";
import { orderPath } from "./order-link.ts";
import type { BulkOutcome } from "./send-bulk.ts";

const columns: Column<BulkResult>[] = [
  {
    title: "Order",
    cell: (row) => (
      <Link to={orderPath(row)} className="mono">
        {row.order_number}
      </Link>
    ),
  },
  { title: "Reason", cell: ({ message }) => message },
];

/** Lists the orders that failed in a bulk action, with reasons. They stay selected. */
export function BulkReport({ outcome: { done, refused }, onClose }: { outcome: BulkOutcome; onClose: () => void }) {
  return (
    <Dialog
      title="Some orders were not updated"
      onClose={onClose}
      wide
      actions={
        <Button tone="primary" onClick={onClose}>
          Close
        </Button>
      }
    >
      <Notice tone="wait">
        {done.toLocaleString()} updated, {refused.length.toLocaleString()} failed.
      </Notice>
      <Table caption="Failed orders" columns={columns} rows={refused} rowKey={orderPath} />
    </Dialog>
  );
}
