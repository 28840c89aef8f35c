import type { ShownQuota } from "@pestle/contract";
import { type Column, Table } from "./display/table.tsx";
import { locale } from "./words/language.ts";
import { numberText } from "./words/number-text.ts";
import { say, sayName } from "./words/say.tsx";

const NEARLY_FULL = 0.8;
const percents = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });

const shareOf = ({ used, most }: ShownQuota) => (most === 0 ? 1 : used / most);
const columns: readonly Column<ShownQuota>[] = [
  { title: say("Quota"), cell: ({ quota, counts }) => <span title={quota}>{sayName(counts)}</span> },
  { title: say("Used"), number: true, cell: ({ used }) => numberText(used) },
  { title: say("Limit"), number: true, cell: ({ most }) => numberText(most) },
  {
    title: say("Share"),
    number: true,
    cell: (row) =>
      shareOf(row) < NEARLY_FULL ? percents.format(shareOf(row)) : <b>{percents.format(shareOf(row))}</b>,
  },
];

/** What an account stores, and how much it may. */
export function QuotaTable({ quotas }: { quotas: readonly ShownQuota[] }) {
  return (
    <Table caption={say("What the account stores")} columns={columns} rows={quotas} rowKey={({ quota }) => quota} />
  );
}
