import { type ClinicalCheck, type ClinicalCheckName, checkGaps, clinicalChecks } from "@pestle/contract";
import { Badge } from "../../../ui/badge.tsx";
import { counted } from "../../../ui/counted.ts";
import { type Column, Table } from "../../../ui/display/table.tsx";
import { say, sayName } from "../../../ui/words/say.tsx";
import styles from "./clinical.module.css";

/** What a check compared the order with. The other checks look at the order and the patient alone. */
const comparedWith: Partial<Record<ClinicalCheckName, (count: number) => string>> = {
  allergy: (count) => counted(count, "allergy", "allergies"),
  interaction: (count) => counted(count, "other medicine"),
  duplicate: (count) => counted(count, "other medicine"),
  refill: (count) => counted(count, "earlier fill"),
  condition: (count) => counted(count, "condition"),
};

const columns: readonly Column<ClinicalCheck>[] = [
  {
    title: say("Check"),
    cell: ({ check }) => <span className={styles["name"]}>{sayName(clinicalChecks[check].name)}</span>,
  },
  { title: say("Compared with"), cell: comparedText },
  {
    title: say("Result"),
    cell: ({ findings, gaps }) => (
      <div className="stack-tight">
        {findings > 0 && (
          <span>
            <Badge tone="bad">{counted(findings, "finding")}</Badge>
          </span>
        )}
        {gaps.map((gap) => (
          <span key={gap}>
            <Badge tone="wait">{say("Incomplete")}</Badge> {sayName(checkGaps[gap])}
          </span>
        ))}
        {findings === 0 && gaps.length === 0 && (
          <span>
            <Badge tone="good">{say("No finding")}</Badge>
          </span>
        )}
      </div>
    ),
  },
  {
    title: say("Tables"),
    cell: ({ tables }) => (
      <span className={styles["tables"]}>
        {tables.map(({ name, rows }) => `${name.replaceAll("_", " ")} (${rows})`).join(", ") || "–"}
      </span>
    ),
  },
];

/** What was checked, against how much, and with which tables. An empty result says what it covered. */
export const ChecksTable = ({ checks }: { checks: readonly ClinicalCheck[] }) => (
  <Table caption={say("Safety checks")} columns={columns} rows={checks} rowKey={({ check }) => check} />
);

function comparedText({ check, compared }: ClinicalCheck): string {
  const textOf = comparedWith[check];
  if (textOf === undefined) return say("This order and the patient");
  return compared === null ? "–" : textOf(compared);
}
