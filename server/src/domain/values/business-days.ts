import { addDays } from "./calendar.ts";

/** The US federal holidays (5 U.S.C. 6103). One on a Saturday is observed on Friday, one on a Sunday on Monday. */
const FIXED_HOLIDAYS = ["01-01", "06-19", "07-04", "11-11", "12-25"];
const MONDAY = 1;
const THURSDAY = 4;
const FRIDAY = 5;
const MOVING_HOLIDAYS: readonly { month: string; weekday: number; week: number | "last" }[] = [
  { month: "01", weekday: MONDAY, week: 3 },
  { month: "02", weekday: MONDAY, week: 3 },
  { month: "05", weekday: MONDAY, week: "last" },
  { month: "09", weekday: MONDAY, week: 1 },
  { month: "10", weekday: MONDAY, week: 2 },
  { month: "11", weekday: THURSDAY, week: 4 },
];

/** Neither a weekend, a federal holiday nor one of the dates on which the pharmacy is closed. */
export function isBusinessDay(date: string, closed: readonly string[]): boolean {
  const weekday = weekdayOf(date);
  return weekday >= MONDAY && weekday <= FRIDAY && !isHoliday(date, weekday) && !closed.includes(date);
}

/** The date itself if it is a business day, else the next one. */
export function businessDayFrom(date: string, closed: readonly string[]): string {
  let day = date;
  while (!isBusinessDay(day, closed)) day = addDays(day, 1);
  return day;
}

export function addBusinessDays(date: string, days: number, closed: readonly string[]): string {
  let day = date;
  for (let left = days; left > 0; left--) day = businessDayFrom(addDays(day, 1), closed);
  return day;
}

const weekdayOf = (date: string): number => new Date(Date.parse(`${date}T00:00:00Z`)).getUTCDay();

const isFixed = (date: string): boolean => FIXED_HOLIDAYS.includes(date.slice(5));

function isHoliday(date: string, weekday: number): boolean {
  if (isFixed(date)) return true;
  if (weekday === FRIDAY && isFixed(addDays(date, 1))) return true;
  if (weekday === MONDAY && isFixed(addDays(date, -1))) return true;
  const month = date.slice(5, 7);
  const week = Math.ceil(Number(date.slice(8)) / 7);
  const is_last = addDays(date, 7).slice(5, 7) !== month;
  return MOVING_HOLIDAYS.some(
    (holiday) =>
      holiday.month === month &&
      holiday.weekday === weekday &&
      (holiday.week === "last" ? is_last : holiday.week === week),
  );
}
