import type { FieldGroup } from "../audit/audit-rules.ts";
import { reviewerRoles, type StaffRole } from "../lifecycle.ts";

/**
 * What an inspector asks for. The screen, the commands, the files and `docs/guides/inspection.md` come from this table.
 * `columns`: the name in the CSV file, the heading, and the share of the width of a page. `takes`: whom the report is about.
 */
type ReportRow = {
  readonly title: string;
  /** The inspector's question. */
  readonly asks: string;
  readonly about: string;
  readonly source: string;
  readonly roles: readonly StaffRole[];
  readonly takes: "days" | "someone";
  readonly groups: readonly FieldGroup[];
  readonly columns: readonly (readonly [name: string, title: string, width: number])[];
};

export const reports = {
  dispensing: {
    title: "Daily dispensing log",
    asks: "What did you dispense on this day, and which pharmacist checked it?",
    about: "Each prescription that shipped, with its fill number, lot, prescriber, and who filled and checked it.",
    source: "Shipped items, with the order's history",
    roles: reviewerRoles,
    takes: "days",
    groups: ["identity", "treatment", "order"],
    columns: [
      ["shipped_at", "Shipped", 8],
      ["partner", "Partner", 7],
      ["order_number", "Order", 8],
      ["prescription_id", "Rx", 6],
      ["fill", "Fill", 5],
      ["patient", "Patient", 10],
      ["drug", "Drug", 12],
      ["schedule", "Sch.", 4],
      ["ndc", "NDC", 9],
      ["units", "Units", 4],
      ["lot", "Lot", 6],
      ["ship_state", "State", 4],
      ["prescriber", "Prescriber", 9],
      ["filled_by", "Filled by", 8],
      ["checked_by", "Checked by", 8],
    ],
  },
  overrides: {
    title: "Overrides",
    asks: "Which safety checks did a pharmacist override, and why?",
    about:
      "Each exception that a pharmacist overrode, with the reason, the license and whether the signature is intact.",
    source: "The order's history and its signed notes",
    roles: reviewerRoles,
    takes: "days",
    groups: ["order", "safety"],
    columns: [
      ["at", "When", 9],
      ["partner", "Partner", 9],
      ["order_number", "Order", 8],
      ["exception", "Exception", 14],
      ["code", "Reason", 16],
      ["text", "Explanation", 24],
      ["pharmacist", "Pharmacist", 10],
      ["license_number", "License", 8],
      ["signature", "Signature", 7],
    ],
  },
  errors: {
    title: "Errors and near misses",
    asks: "Which errors happened or were caught, and what did you do?",
    about:
      "Wrong packages that a scan stopped, orders that a pharmacist sent back to fill, and refunds for a wrong item or an error of the pharmacy.",
    source: "Refused scans, the order's history, and the ledger",
    roles: reviewerRoles,
    takes: "days",
    groups: ["order"],
    columns: [
      ["at", "When", 9],
      ["partner", "Partner", 9],
      ["order_number", "Order", 8],
      ["kind", "Kind", 9],
      ["what", "What happened", 26],
      ["reason", "Explanation", 24],
      ["who", "Who", 10],
    ],
  },
  ledger: {
    title: "Controlled substance ledger",
    asks: "Show every receipt, dispensing, count, return and destruction of controlled substances, with the balance.",
    about:
      "Each entry of a controlled product's ledger, with its lot and the units on hand and returned after it. A destruction has its reason, person and witness.",
    source: "The stock ledger and the counts",
    roles: reviewerRoles,
    takes: "days",
    groups: ["treatment", "order"],
    columns: [
      ["at", "When", 8],
      ["partner", "Partner", 8],
      ["sku", "SKU", 9],
      ["product", "Product", 12],
      ["schedule", "Sch.", 4],
      ["kind", "Entry", 8],
      ["lot", "Lot", 8],
      ["units", "Units", 5],
      ["balance", "On hand", 6],
      ["returned", "Returned", 7],
      ["order_number", "Order", 9],
      ["who", "By", 8],
      ["witness", "Witness", 8],
      ["note", "Reason and note", 14],
    ],
  },
  counseling: {
    title: "Counseling",
    asks: "Did you offer counseling with each new prescription, and did the patient accept?",
    about: "Each shipped fill that the state's rule asks an offer for, with the last thing that a pharmacist recorded.",
    source: "Shipped items and the counseling records",
    roles: reviewerRoles,
    takes: "days",
    groups: ["identity", "treatment", "order"],
    columns: [
      ["shipped_at", "Shipped", 9],
      ["partner", "Partner", 9],
      ["order_number", "Order", 8],
      ["prescription_id", "Rx", 7],
      ["patient", "Patient", 11],
      ["drug", "Drug", 14],
      ["ship_state", "State", 4],
      ["rule", "Rule", 9],
      ["outcome", "Outcome", 12],
      ["how", "How", 8],
      ["recorded_at", "Recorded", 9],
      ["pharmacist", "Pharmacist", 10],
    ],
  },
  access: {
    title: "Who looked at whom",
    asks: "Who has seen this patient's data, and what has this employee looked at?",
    about: "The audit log's entries of one patient or of one person.",
    source: "The audit log",
    roles: ["lead", "admin"],
    takes: "someone",
    groups: [],
    columns: [
      ["at", "When", 10],
      ["who", "Who", 12],
      ["role", "Role", 8],
      ["action", "Action", 22],
      ["subject", "Subject", 12],
      ["patients", "Patients", 12],
      ["fields", "Fields", 12],
      ["address", "Address", 9],
    ],
  },
} as const satisfies Record<string, ReportRow>;
export type ReportName = keyof typeof reports;
export const reportNames = Object.keys(reports) as [ReportName, ...ReportName[]];
export const reportRow = (name: ReportName): ReportRow => reports[name];

/** The longest period of a report. */
export const MOST_REPORT_DAYS = 31;
/** Rows of a PDF file. A CSV file has no limit but the days. */
export const MOST_PDF_ROWS = 2_000;
/** Rows on the screen. */
export const SHOWN_REPORT_ROWS = 100;
export const reportFormats = ["csv", "pdf"] as const;
export type ReportFormat = (typeof reportFormats)[number];

/** The query of a report. `someone`: a person of the staff, or an account and its patient. */
export type ReportQuery = "from" | "to" | "environment" | "person_id" | "account_id" | "patient_id";

/**
 * GET /dashboard/reports/{report}?from=&to=…: the first rows, with the patients' initials in place of names. Cells are in the
 * order of the report's columns. GET /dashboard/reports/{report}/{format}: all rows as a file, with names.
 */
export type DashboardReport = { rows: ReportCells[]; more: boolean };
export type ReportCells = {
  /** For a link to the order. */
  account_id: string | null;
  cells: string[];
};
