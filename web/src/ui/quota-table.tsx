import type { ShownQuota } from "@pestle/contract";
import { type Column, Table } from "./display/table.tsx";

const NEARLY_FULL = 0.8;
const percents = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });

const shareOf = ({ used, most }: ShownQuota) => (most === 0 ? 1 : used / most);
const columns: readonly Column<ShownQuota>[] = [
  { title: "Quota", cell: ({ quota, counts }) => <span title={quota}>{counts}</span> },
  { title: "Used", number: true, cell: ({ used }) => used.toLocaleString() },
  { title: "Limit", number: true, cell: ({ most }) => most.toLocaleString() },
  {
    title: "Share",
    number: true,
    cell: (row) =>
      shareOf(row) < NEARLY_FULL ? percents.format(shareOf(row)) : <b>{percents.format(shareOf(row))}</b>,
  },
];

/** What an account stores, and how much it may. */
export function QuotaTable({ quotas }: { quotas: readonly ShownQuota[] }) {
  return <Table caption="What the account stores" columns={columns} rows={quotas} rowKey={({ quota }) => quota} />;
}
