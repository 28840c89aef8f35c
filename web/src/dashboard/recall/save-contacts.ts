import type { RecallRow } from "@pestle/contract";
import { csvText } from "../../ui/csv-text.ts";
import { saveFile } from "../../ui/save-file.ts";

/** Saves the list as CSV: the report of the recall, and after a reveal also the call list. */
export function saveContacts(lot: string, rows: readonly RecallRow[]): void {
  const lines = rows.map(({ contact, ...row }) => [
    ...[contact?.last_name, contact?.first_name, contact?.phone, contact?.email],
    ...[row.partner, row.environment, row.order_number, row.order_status, row.name, row.lot, row.lot_expires_on],
    ...[row.units, row.shipped_at, row.told_at],
  ]);
  saveFile(
    `recall-${lot.replaceAll(/[^\w.-]/g, "_")}.csv`,
    new Blob([csvText([head, ...lines])], { type: "text/csv" }),
  );
}

const head = [
  ...["last_name", "first_name", "phone", "email", "partner", "environment", "order_number", "order_status"],
  ...["product", "lot", "lot_expires_on", "units", "shipped_at", "partner_told_at"],
];
