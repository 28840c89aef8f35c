import type { DrugSchedule } from "@pestle/contract";
import { addDays, addMonths } from "../values/calendar.ts";
import { exact } from "../values/quantity-units.ts";

/** One dispensing of a prescription, with the earlier ones. It is judged before the package leaves. */
export type Dispensing = {
  /** The stricter one of the prescription's and the product's. */
  drug_schedule: DrugSchedule;
  written_date: string;
  /** The earliest date on which the prescriber allows a fill. */
  effective_date: string;
  written_qty: number;
  refills: number;
  /** False while a pharmacist must still accept it: for example, because it is not signed. */
  accepted: boolean;
  /** Units of all earlier dispensings, and when the first one shipped. */
  units_before: number;
  partial: PartialFill | null;
  units: number;
  now: Date;
  /** The date of `now` where the pharmacy is. */
  today: string;
};

/**
 * When the first part of a schedule 2 prescription shipped (ISO 8601), and whether the patient or the prescriber requested
 * a partial fill.
 */
export type PartialFill = { first_filled_at: string | null; requested: boolean };

type Schedules = readonly Exclude<DrugSchedule, "0">[];

/**
 * A rule of federal law on controlled substances: its source, what it says, and how Pestle enforces it. `broken` judges
 * one dispensing. A rule without it binds another part of the service, which `enforced` names.
 */
export type ControlledRule = {
  id: string;
  citation: string;
  schedules: Schedules;
  says: string;
  enforced: string;
  broken: ((it: Dispensing) => boolean) | null;
};

const ALL: Schedules = ["2", "3", "4", "5"];
const TWO: Schedules = ["2"];
const THREE_TO_FIVE: Schedules = ["3", "4", "5"];
const PARTIAL_HOURS = 72;
const REQUESTED_DAYS = 30;
const MOST_REFILLS = 5;
const MOST_MONTHS = 6;
const HOUR_MS = 3600 * 1000;
export const PARTIAL_FILL_MS = PARTIAL_HOURS * HOUR_MS;

export const controlledRules: readonly ControlledRule[] = [
  {
    id: "signed",
    citation: "21 CFR 1306.05(a), 1306.11(a), 1306.21(a)",
    schedules: ALL,
    says: "A pharmacist dispenses only on a prescription that the practitioner signed and that names the practitioner's DEA number.",
    enforced:
      "Intake stores a prescription without signature or valid DEA number, and orders get 42249 until a pharmacist accepts it with a note.",
    broken: ({ accepted }) => !accepted,
  },
  {
    id: "date_of_issue",
    citation: "21 CFR 1306.05(a), 1306.12(b)(1)(ii)",
    schedules: ALL,
    says: "A prescription is dated on the day of issue, and no pharmacist fills it before that day or before the earliest date that the practitioner wrote.",
    enforced: "42249 before the effective date. A prescription without a date, or with a later one, needs acceptance.",
    broken: ({ written_date, effective_date, today }) => today < written_date || today < effective_date,
  },
  {
    id: "schedule_2_no_refill",
    citation: "21 CFR 1306.12(a), 21 USC 829(a)",
    schedules: TWO,
    says: "A schedule II prescription may not be refilled.",
    enforced: "Intake grants no refills, the database accepts none, and orders get 42250 after the written quantity.",
    broken: ({ refills, units_before, written_qty }) => refills > 0 || units_before >= written_qty,
  },
  {
    id: "schedule_2_total",
    citation: "21 CFR 1306.13(b)(1)(iv)",
    schedules: TWO,
    says: "All partial fillings together do not exceed the quantity that was prescribed.",
    enforced: "42255, and a constraint of the database.",
    broken: ({ units_before, units, written_qty }) => exact(units_before + units) > written_qty,
  },
  {
    id: "schedule_2_remaining",
    citation: "21 CFR 1306.13(a) and (b), 21 USC 829(f)",
    schedules: TWO,
    says: "The rest of a partial fill is dispensed within 72 hours of the first part if the pharmacy could not supply it, or within 30 days of the written date if the patient or the prescriber requested the partial fill. Afterwards it needs a new prescription.",
    enforced:
      "42257 for a new order, and 73 for one that has not shipped in time. The 30 days apply after a pharmacist has recorded the request with `pestle rx partial`.",
    broken: (it) => hasLapsed(it, it),
  },
  {
    id: "schedule_3_4_six_months",
    citation: "21 CFR 1306.22(a), 21 USC 829(b)",
    schedules: ["3", "4"],
    says: "A schedule III or IV prescription is not filled or refilled more than six months after the date of issue.",
    enforced: "42257. Pestle applies the same limit to schedule V.",
    broken: isAfterSixMonths,
  },
  {
    id: "schedule_3_5_refills",
    citation: "21 CFR 1306.22(a), 21 USC 829(b)",
    schedules: THREE_TO_FIVE,
    says: "A schedule III or IV prescription is refilled at most five times, and a schedule V prescription only as the prescriber authorized.",
    enforced: "Intake grants at most five refills in schedules III to V, and orders get 42250 after the last one.",
    broken: ({ refills, units_before, written_qty }) =>
      refills > MOST_REFILLS || units_before >= exact(written_qty * (1 + refills)),
  },
  {
    id: "schedule_3_5_total",
    citation: "21 CFR 1306.23(b)",
    schedules: THREE_TO_FIVE,
    says: "All partial fillings together do not exceed the total quantity that was prescribed.",
    enforced:
      "42255, and a constraint of the database. One order above the quantity of one fill is on hold (72) until a pharmacist decides.",
    broken: ({ units_before, units, written_qty, refills }) =>
      exact(units_before + units) > exact(written_qty * (1 + refills)),
  },
  {
    id: "schedule_3_5_partial_six_months",
    citation: "21 CFR 1306.23(c)",
    schedules: THREE_TO_FIVE,
    says: "No partial filling is dispensed more than six months after the date of issue.",
    enforced: "42257.",
    broken: isAfterSixMonths,
  },
  {
    id: "partial_fills_recorded",
    citation: "21 CFR 1306.13(a), 1306.22(b), 1306.23(a)",
    schedules: ALL,
    says: "The pharmacy records the date and the quantity of each partial filling and refill.",
    enforced: "Each shipped item has its units, lot and time. The state report marks partial fills (DSP13).",
    broken: null,
  },
  {
    id: "label",
    citation: "21 CFR 1306.14(a), 1306.24(a), 290.5",
    schedules: ["2", "3", "4"],
    says: "The label names pharmacy, prescription, patient, prescriber, date and directions, and warns that federal law prohibits the transfer to any other person.",
    enforced: "The prescription label prints these fields and the caution.",
    broken: null,
  },
  {
    id: "biennial_inventory",
    citation: "21 CFR 1304.11(a) and (c)",
    schedules: ALL,
    says: "The pharmacy counts its stock of controlled substances at least every two years and keeps the record.",
    enforced: "`pestle stock count` by a pharmacist. `pestle doctor` warns when a count is overdue.",
    broken: null,
  },
];

/** The rules that a dispensing would break. */
export const brokenRules = (it: Dispensing, rules: readonly ControlledRule[] = controlledRules): ControlledRule[] =>
  rules.filter(
    ({ schedules, broken }) => (schedules as readonly DrugSchedule[]).includes(it.drug_schedule) && broken?.(it),
  );

/** Whether the time for the rest of a partial schedule 2 fill has passed. */
export const hasLapsed = (
  { written_date, partial }: { written_date: string; partial?: PartialFill | null },
  { now, today }: Pick<Dispensing, "now" | "today">,
): boolean => partial != null && !isInTime(partial, written_date, now, today);

/** The 72 hours apply to each partial fill. A recorded request extends them, but never shortens them. */
function isInTime({ first_filled_at, requested }: PartialFill, written_date: string, now: Date, today: string) {
  if (first_filled_at === null || now.getTime() <= Date.parse(first_filled_at) + PARTIAL_FILL_MS) return true;
  return requested && today <= addDays(written_date, REQUESTED_DAYS);
}

function isAfterSixMonths({ written_date, today }: Pick<Dispensing, "written_date" | "today">): boolean {
  return today > addMonths(written_date, MOST_MONTHS);
}
