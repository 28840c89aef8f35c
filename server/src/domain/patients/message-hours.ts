import { timeIn } from "../values/calendar.ts";

const EASTERN = "America/New_York";
const CENTRAL = "America/Chicago";
const MOUNTAIN = "America/Denver";
const PACIFIC = "America/Los_Angeles";

/**
 * The time zones of each state. A state with several is quiet while one of them is, so no one is woken and no ZIP code has
 * to be looked up. A state without a row, and an unknown one, has all zones from Maine to Hawaii.
 */
const zonesOf: Readonly<Record<string, readonly string[]>> = {
  ...all(EASTERN, "CT DC DE GA MA MD ME NC NH NJ NY OH PA RI SC VA VT WV"),
  ...all(CENTRAL, "AL AR IA IL LA MN MO MS OK WI"),
  ...all(MOUNTAIN, "CO MT NM UT WY"),
  ...all(PACIFIC, "CA WA"),
  AK: ["America/Anchorage", "America/Adak"],
  AS: ["Pacific/Pago_Pago"],
  // The Navajo Nation has daylight saving time, the rest has not.
  AZ: ["America/Phoenix", MOUNTAIN],
  FL: [EASTERN, CENTRAL],
  GU: ["Pacific/Guam"],
  HI: ["Pacific/Honolulu"],
  ID: [MOUNTAIN, PACIFIC],
  IN: [EASTERN, CENTRAL],
  KS: [CENTRAL, MOUNTAIN],
  KY: [EASTERN, CENTRAL],
  MI: [EASTERN, CENTRAL],
  MP: ["Pacific/Guam"],
  ND: [CENTRAL, MOUNTAIN],
  NE: [CENTRAL, MOUNTAIN],
  NV: [PACIFIC, MOUNTAIN],
  OR: [PACIFIC, MOUNTAIN],
  PR: ["America/Puerto_Rico"],
  SD: [CENTRAL, MOUNTAIN],
  TN: [EASTERN, CENTRAL],
  TX: [CENTRAL, MOUNTAIN],
  VI: ["America/Puerto_Rico"],
};
const ANYWHERE = [EASTERN, CENTRAL, MOUNTAIN, PACIFIC, "America/Anchorage", "Pacific/Honolulu"];

function all(zone: string, states: string): Record<string, readonly string[]> {
  return Object.fromEntries(states.split(" ").map((state) => [state, [zone]]));
}

/** The local hours in which patients may be texted: 08:00-21:00 is from 8:00:00 to 20:59:59. */
export const HOURS_PATTERN = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-4]):([0-5]\d)$/;

const STEP_MS = 15 * 60 * 1000;
/** Hours that are open on no two neighboring days do not exist, so two days are enough. */
const MOST_STEPS = 2 * 96;

/**
 * The first time from `now` on at which a patient in this state may be texted. `now` itself if that is now. Null if the hours
 * of the state's zones never overlap.
 */
export function nextMessageTime(now: Date, state: string | null, hours: string): Date | null {
  const [from, to] = hours.split("-") as [string, string];
  const zones = (state && zonesOf[state]) || ANYWHERE;
  const open = (at: Date) =>
    zones.every((zone) => {
      const time = timeIn(zone, at).slice(0, 5);
      return time >= from && time < to;
    });
  if (open(now)) return now;
  const first = Math.ceil((now.getTime() + 1) / STEP_MS) * STEP_MS;
  for (let step = 0; step < MOST_STEPS; step++) {
    const at = new Date(first + step * STEP_MS);
    if (open(at)) return at;
  }
  return null;
}
