import type { BulkResult } from "@pestle/contract";
import { Link } from "@tanstack/react-router";
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
  { title: "Why not", cell: ({ message }) => message },
];

/** Where not all could be done: which not, and why. Those stay ticked. */
export function BulkReport({ outcome: { done, refused }, onClose }: { outcome: BulkOutcome; onClose: () => void }) {
  return (
    <Dialog
      title="Not all could be done"
      onClose={onClose}
      wide
      actions={
        <Button tone="primary" onClick={onClose}>
          Close
        </Button>
      }
    >
      <Notice tone="wait">
        Done for {done.toLocaleString()}, refused for {refused.length.toLocaleString()}.
      </Notice>
      <Table caption="Refused" columns={columns} rows={refused} rowKey={orderPath} />
    </Dialog>
  );
}
