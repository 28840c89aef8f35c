import type { AuditAction } from "../dashboard/dashboard-admin.ts";
import type { WorkEvent } from "../dashboard/dashboard-work.ts";

/** The audit entry of each step on an order, single or in bulk. */
export const workAudit = {
  claim: "order_claimed",
  assign: "order_assigned",
  release: "order_released",
  approve_review: "order_approved",
  complete_fill: "order_filled",
  verify_product: "order_checked",
  reject_product: "order_sent_back",
  print: "order_printed",
  ship: "order_shipped",
  track: "order_tracked",
  deliver: "order_delivered",
  raise_exception: "order_held",
  resolve: "order_exception_resolved",
  update_address: "order_address_changed",
  cancel: "order_canceled",
  refund: "order_refunded",
  note: "order_note_added",
} as const satisfies Record<WorkEvent, AuditAction>;
