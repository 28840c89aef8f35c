import {
  COUNSELING_DAYS,
  counselingRules,
  federalCounseling,
  inspectionQuestions,
  MOST_PDF_ROWS,
  MOST_REPORT_DAYS,
  productMisses,
  reportNames,
  reports,
} from "@pestle/contract";
import { code, generated, page, table } from "./markdown.ts";

export function inspectionPage() {
  const rules = [["other states", federalCounseling] as const, ...Object.entries(counselingRules)];
  return page(
    generated("the tables in `contract/src/practice`"),
    "# An inspector visits\n",
    "You will answer what the inspector of a board of pharmacy asks: on a screen of the dashboard, or with a command on the server. A test asks every question of this page both ways.\n",
    table(
      ["question", "screen", "command"],
      inspectionQuestions.map(({ asks, screen: [, title], command }) => [
        asks,
        `**${title}**`,
        code(`pestle ${command}`),
      ]),
    ),
    "`FROM` and `TO` are the first and the last day, such as `2026-11-14`. `ACCOUNT` is a partner's account from `pestle partner list`, and `PATIENT` is the partner's id of a patient. For what an employee has looked at, use `--person EMAIL` instead of both.\n",
    "## The reports\n",
    `A report has at most ${MOST_REPORT_DAYS} days, by the pharmacy's time zone and of all partners together. **Reports** shows its first rows with the patients' initials. The files have the names, because an inspector needs them: CSV with every row, or PDF with up to ${MOST_PDF_ROWS.toLocaleString("en-US")} rows. Saving a file asks for your password again if you gave it some time ago. The audit log records each look, each file and each patient in it. On the server, add \`--format pdf --out FILE\`.\n`,
    table(
      ["report", "content", "source", "for"],
      reportNames.map((name) => {
        const { title, about, source, roles } = reports[name];
        return [title, about, source, roles.join(", ")];
      }),
    ),
    "## Errors and near misses\n",
    "Pestle records a package that a scan or a check refuses while an order is filled or checked:\n",
    ...Object.values(productMisses).map((text) => `- ${text}`),
    "\nThe report also has the orders that a pharmacist sent back to fill, with the reason, and refunds with the reason Wrong Item or Pharmacy Error.\n",
    "## Counseling\n",
    `**Counseling** lists the shipped fills of the last ${COUNSELING_DAYS} days for which the state asks an offer. The offer in the parcel counts from the shipment on. Where that is not enough, the fill is under **To call** until a pharmacist records an offer, counseling or a refusal. Older fills are in the report.\n`,
    table(
      ["state", "fills", "a mailed order", "rule", "source"],
      rules.map(([state, { fills, by_mail, says, source }]) => [
        state,
        fills === "every" ? "every fill" : "the first fill of a prescription",
        by_mail === "call" ? "the pharmacist calls" : "a written offer is enough",
        says,
        source,
      ]),
    ),
    "The table is no legal advice. Rules change: review it with your counsel.\n",
  );
}
