import type { ContinuityEntry } from "@pestle/contract";
import { type PartnerOptions, partnerOptions } from "../accounts/partner-account.ts";
import { wholeNumber } from "../arguments.ts";
import { progress, table } from "../output.ts";
import { openPartnerApi } from "../partner-api.ts";
import type { CommandRow } from "../program.ts";

const LONGEST_PAGE = 200;

/** The supply forecast, over the API. */
export const continuityCommand: CommandRow = {
  name: "continuity",
  lists: "patients who run out",
  summary: "list who runs out of which medication, and why the next fill would fail",
  options: [
    ["--within-days <days>", "how many days to look ahead, 1 to 180 (default: 30)"],
    ["--failing", "only those whose next fill would fail"],
    ...partnerOptions,
  ],
  examples: ["continuity", "continuity --within-days 14 --failing", "continuity --json"],
  async run(options: PartnerOptions & { withinDays?: string; failing?: boolean }, _argument, env) {
    const { withinDays, failing = false } = options;
    const within_days = withinDays === undefined ? undefined : wholeNumber(withinDays, "--within-days");
    const api = await openPartnerApi(options, env);
    const continuity: ContinuityEntry[] = [];
    const shown = progress();
    let cursor: string | undefined;
    do {
      const page: { continuity: ContinuityEntry[]; next_cursor: string | null } = await api.request(
        "GET",
        "/continuity",
        { query: { within_days, cursor, limit: LONGEST_PAGE } },
      );
      continuity.push(...page.continuity.filter(({ next_fill }) => !failing || !next_fill.fillable));
      shown.show(`${continuity.length} patients`);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    shown.done();
    const rows = continuity.map((one) => [
      one.runs_out_on,
      String(one.days_left),
      one.patient_id,
      one.drug_name,
      one.open_order?.order_number ?? "-",
      nextFillText(one.next_fill),
    ]);
    const text =
      rows.length === 0
        ? "No patient runs out in this time."
        : table(["runs out", "days left", "patient", "drug", "open order", "next fill"], rows);
    return { data: continuity, text };
  },
};

const nextFillText = ({ fillable, not_fillable }: ContinuityEntry["next_fill"]) =>
  fillable ? "ok" : not_fillable.map(({ code, message }) => `${code} ${message}`).join(", ");
