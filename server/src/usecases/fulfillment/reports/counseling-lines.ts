import {
  counselingOutcomes,
  counselingRuleOf,
  counselingStateOf,
  counselingWays,
  everyFillStates,
} from "@pestle/contract";
import { type CounselingRow, listCounselingOf } from "../../../db/fulfillment/counseling.ts";
import { localTime, type ReportSource, ROWS_AT_ONCE } from "./report-source.ts";
import { shippedLines } from "./shipped-lines.ts";

/** Each shipped fill that its state's rule asks an offer for. */
export const counselingLines: ReportSource<"counseling"> = (deps, account, days, reveal) =>
  shippedLines(
    deps,
    account,
    reveal,
    (last: CounselingRow | null) => {
      const after = last === null ? { at: days.from, order_number: "", item_id: 0 } : { ...last, at: last.shipped_at };
      return listCounselingOf(deps.db, account.account_id, after, days.before, everyFillStates, ROWS_AT_ONCE);
    },
    (row) => outcomeOf(row, (at) => localTime(deps, at)),
  );

/** The last entry that is not a missed call; else the offer in the parcel, or nothing. */
function outcomeOf(
  { ship_state, shipped_at, entries }: Pick<CounselingRow, "ship_state" | "shipped_at" | "entries">,
  timeText: (at: Date) => string,
) {
  const rule = counselingRuleOf(ship_state);
  const state = counselingStateOf(
    rule,
    entries.map(({ outcome }) => outcome),
  );
  const [entry] = [...entries.filter(({ outcome }) => outcome !== "no_answer"), ...entries];
  const told = { rule: rule.by_mail === "call" ? "call" : "written offer" };
  const in_parcel = { outcome: "Offered in the parcel", how: counselingWays.written, pharmacist: "" };
  if (entry === undefined)
    return state === "to_call"
      ? { ...told, outcome: "Not offered yet", how: "", recorded_at: "", pharmacist: "" }
      : { ...told, ...in_parcel, recorded_at: timeText(shipped_at) };
  return {
    ...told,
    outcome: counselingOutcomes[entry.outcome].name,
    how: counselingWays[entry.how],
    recorded_at: timeText(new Date(entry.at)),
    pharmacist: entry.who,
  };
}
