type Kind = "state" | "district" | "territory" | "associated" | "military";

/** Valid states of a United States address: the 50 states and everything else the Postal Service serves. */
const states = {
  AL: ["Alabama", "state"],
  AK: ["Alaska", "state"],
  AZ: ["Arizona", "state"],
  AR: ["Arkansas", "state"],
  CA: ["California", "state"],
  CO: ["Colorado", "state"],
  CT: ["Connecticut", "state"],
  DE: ["Delaware", "state"],
  DC: ["District of Columbia", "district"],
  FL: ["Florida", "state"],
  GA: ["Georgia", "state"],
  HI: ["Hawaii", "state"],
  ID: ["Idaho", "state"],
  IL: ["Illinois", "state"],
  IN: ["Indiana", "state"],
  IA: ["Iowa", "state"],
  KS: ["Kansas", "state"],
  KY: ["Kentucky", "state"],
  LA: ["Louisiana", "state"],
  ME: ["Maine", "state"],
  MD: ["Maryland", "state"],
  MA: ["Massachusetts", "state"],
  MI: ["Michigan", "state"],
  MN: ["Minnesota", "state"],
  MS: ["Mississippi", "state"],
  MO: ["Missouri", "state"],
  MT: ["Montana", "state"],
  NE: ["Nebraska", "state"],
  NV: ["Nevada", "state"],
  NH: ["New Hampshire", "state"],
  NJ: ["New Jersey", "state"],
  NM: ["New Mexico", "state"],
  NY: ["New York", "state"],
  NC: ["North Carolina", "state"],
  ND: ["North Dakota", "state"],
  OH: ["Ohio", "state"],
  OK: ["Oklahoma", "state"],
  OR: ["Oregon", "state"],
  PA: ["Pennsylvania", "state"],
  RI: ["Rhode Island", "state"],
  SC: ["South Carolina", "state"],
  SD: ["South Dakota", "state"],
  TN: ["Tennessee", "state"],
  TX: ["Texas", "state"],
  UT: ["Utah", "state"],
  VT: ["Vermont", "state"],
  VA: ["Virginia", "state"],
  WA: ["Washington", "state"],
  WV: ["West Virginia", "state"],
  WI: ["Wisconsin", "state"],
  WY: ["Wyoming", "state"],
  AS: ["American Samoa", "territory"],
  GU: ["Guam", "territory"],
  MP: ["Northern Mariana Islands", "territory"],
  PR: ["Puerto Rico", "territory"],
  VI: ["Virgin Islands", "territory"],
  FM: ["Federated States of Micronesia", "associated"],
  MH: ["Marshall Islands", "associated"],
  PW: ["Palau", "associated"],
  AA: ["Armed Forces Americas", "military"],
  AE: ["Armed Forces Europe", "military"],
  AP: ["Armed Forces Pacific", "military"],
} as const satisfies Record<string, readonly [name: string, kind: Kind]>;

export type StateCode = keyof typeof states;

export const stateCodes = Object.keys(states) as StateCode[];

export const isStateCode = (code: string): code is StateCode => Object.hasOwn(states, code);

export const isMilitaryState = (code: string): boolean => isStateCode(code) && states[code][1] === "military";

const byName = new Map(stateCodes.map((code) => [states[code][0].toUpperCase(), code]));

/** The code of a spelled-out state, or null. */
export const stateNamed = (name: string): StateCode | null => byName.get(name.trim().toUpperCase()) ?? null;
