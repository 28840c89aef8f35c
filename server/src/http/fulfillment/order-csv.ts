import { type DashboardOrderRow, spreadsheetText, writeCsv } from "@pestle/contract";

const columns = [
  "partner",
  "environment",
  "order_number",
  "order_status",
  "stage",
  "stage_since",
  "late",
  "exception_ids",
  "patient_initials",
  "drug_names",
  "schedule",
  "ship_state",
  "brand",
  "method",
  "reference",
  "created_at",
  "claimed_by",
] as const satisfies readonly (keyof DashboardOrderRow)[];

export const csvHead = writeCsv([columns]);

export const csvLines = (orders: readonly DashboardOrderRow[]): string =>
  writeCsv(orders.map((order) => columns.map((column) => cellOf(order[column]))));

function cellOf(value: DashboardOrderRow[(typeof columns)[number]]): string {
  return spreadsheetText(Array.isArray(value) ? value.join("; ") : String(value ?? ""));
}
