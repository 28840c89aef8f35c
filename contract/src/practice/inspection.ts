import { type ReportName, reportNames, reportRow } from "./reports.ts";

/**
 * What an inspector asks, the screen that answers it and the path below `/web` that the screen reads, and the command. Words in
 * capitals are placeholders. `docs/guides/inspection.md` is made from this table, and a test asks each path and runs each command.
 */
export type InspectionQuestion = {
  readonly asks: string;
  /** The screen's path in the dashboard, and its title. */
  readonly screen: readonly [path: string, title: string];
  readonly reads: `/dashboard/${string}`;
  /** Without `pestle`. */
  readonly command: string;
};

const SOMEONE = "account_id=ACCOUNT&patient_id=PATIENT";

const ofReport = (name: ReportName): InspectionQuestion => {
  const { asks, title, takes } = reportRow(name);
  const about_someone = takes === "someone";
  const query = about_someone ? `&${SOMEONE}` : "";
  const options = about_someone ? "--account ACCOUNT --patient PATIENT" : "--environment production";
  return {
    asks,
    screen: [`/reports?report=${name}`, `Reports: ${title}`],
    reads: `/dashboard/reports/${name}?from=FROM&to=TO${query}`,
    command: `report ${name} --from FROM --to TO ${options}`,
  };
};

export const inspectionQuestions: readonly InspectionQuestion[] = [
  ...reportNames.map(ofReport),
  {
    asks: "Which prescriptions still need a call of the pharmacist?",
    screen: ["/counseling", "Counseling"],
    reads: "/dashboard/counseling?show=to_call",
    command: "report counseling --from FROM --to TO",
  },
  {
    asks: "When did you last count this controlled substance, and how did you explain a difference?",
    screen: ["/stock", "Stock"],
    reads: "/dashboard/stock/ACCOUNT",
    command: "stock counts SKU --account ACCOUNT",
  },
  {
    asks: "Which patients received packages of this lot?",
    screen: ["/recall?lot=LOT", "Recall"],
    reads: "/dashboard/recall?lot=LOT",
    command: "recall --lot LOT --reveal",
  },
  {
    asks: "Who are your pharmacists, and until when are they licensed?",
    screen: ["/people", "People"],
    reads: "/dashboard/people",
    command: "user list",
  },
  {
    asks: "In which states may the pharmacy ship?",
    screen: ["/catalogue", "Catalogue"],
    reads: "/dashboard/licences/production",
    command: "catalogue export --environment production --kind licences",
  },
  {
    asks: "Has anyone changed the audit log?",
    screen: ["/audit", "Audit log"],
    reads: "/dashboard/audit",
    command: "audit verify",
  },
];
