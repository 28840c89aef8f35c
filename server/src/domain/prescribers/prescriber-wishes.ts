import type { IncomingPrescription } from "../intake/incoming-message.ts";
import { type FillReport, fillReports } from "./fill-notice.ts";
import type { FillStatus } from "./pharmacy-message.ts";

/** Which messages about a prescription its prescriber wants. */
export type PrescriberWishes = {
  prohibits_renewal: boolean;
  /** The reports to send, if the network's route asks for reports at all. Null: all of them. */
  fill_reports: FillReport[] | null;
};

/** Null if the prescriber wants everything, as most do. */
export function wishesOf({
  fill_indicator,
  prohibits_renewal = false,
}: Pick<IncomingPrescription, "fill_indicator" | "prohibits_renewal">): PrescriberWishes | null {
  const fill_reports = fill_indicator === null ? null : reportsIn(fill_indicator);
  return prohibits_renewal || fill_reports !== null ? { prohibits_renewal, fill_reports } : null;
}

const NAMES: readonly (readonly [name: string, status: FillStatus | null])[] = [
  ["partially dispensed", "partially_dispensed"],
  ["not dispensed", "not_dispensed"],
  ["dispensed", "dispensed"],
  // A prescription does not move to another pharmacy here.
  ["transferred", null],
];

/** RxFillIndicator names the statuses, such as `Dispensed And Partially Dispensed`. Null: all, or not readable. */
function reportsIn(indicator: string): FillReport[] | null {
  const text = indicator
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, " ")
    .trim();
  if (text === "cancel all fill statuses") return [];
  const parts = text.split(/ and |, ?/).map((part) => NAMES.find(([name]) => name === part));
  // Also `All Fill Statuses`, with or without an exception for transfers.
  if (parts.includes(undefined)) return null;
  const wanted = parts.map((part) => part![1]);
  return (Object.keys(fillReports) as FillReport[]).filter((report) => wanted.includes(fillReports[report].status));
}
