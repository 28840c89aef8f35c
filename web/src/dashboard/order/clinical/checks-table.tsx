import { type ClinicalCheck, type ClinicalCheckName, checkGaps, clinicalChecks } from "@pestle/contract";
import { Badge } from "../../../ui/badge.tsx";
import { type Column, Table } from "../../../ui/display/table.tsx";
import { say } from "../../../ui/words/say.tsx";
import styles from "./clinical.module.css";

/** What a check compared the order with: one of it, several of them. */
const comparedWith: Partial<Record<ClinicalCheckName, readonly [one: string, many: string]>> = {
  allergy: ["allergy", "allergies"],
  interaction: ["other medicine", "other medicines"],
  duplicate: ["other medicine", "other medicines"],
  refill: ["earlier fill", "earlier fills"],
  condition: ["condition", "conditions"],
};

const columns: readonly Column<ClinicalCheck>[] = [
  { title: say("Check"), cell: ({ check }) => <span className={styles["name"]}>{clinicalChecks[check].name}</span> },
  { title: say("Compared with"), cell: comparedText },
  {
    title: say("Result"),
    cell: ({ findings, gaps }) => (
      <div className="stack-tight">
        {findings > 0 && (
          <span>
            <Badge tone="bad">{findings === 1 ? say("1 finding") : say("{findings} findings", { findings })}</Badge>
          </span>
        )}
        {gaps.map((gap) => (
          <span key={gap}>
            <Badge tone="wait">{say("Incomplete")}</Badge> {checkGaps[gap]}
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
  const [one, many] = comparedWith[check] ?? ["", ""];
  if (compared === null) return one === "" ? "This order and the patient" : "–";
  return `${compared} ${compared === 1 ? one : many}`;
}
