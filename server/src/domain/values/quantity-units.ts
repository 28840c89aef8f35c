/** The 28 quantity units of the standard, by NCI code. The names are ours: one lower-case word each. */
export const quantityUnits = {
  C62412: "applicator",
  C54564: "blister",
  C64696: "caplet",
  C48480: "capsule",
  C64933: "each",
  C53499: "film",
  C48155: "gram",
  C69124: "gum",
  C48499: "implant",
  C62276: "insert",
  C48504: "kit",
  C120263: "lancet",
  C48506: "lozenge",
  C28254: "milliliter",
  C48521: "packet",
  C65032: "pad",
  C48524: "patch",
  C120216: "pen needle",
  C62609: "ring",
  C53502: "sponge",
  C53503: "stick",
  C48538: "strip",
  C48539: "suppository",
  C53504: "swab",
  C48542: "tablet",
  C48548: "troche",
  C38046: "unspecified",
  C48552: "wafer",
} as const;

export type QuantityUnit = (typeof quantityUnits)[keyof typeof quantityUnits];

/** Synonyms of the units: billing units and common words. */
const UNIT_WORDS: Record<string, QuantityUnit> = {
  ea: "each",
  gm: "gram",
  g: "gram",
  ml: "milliliter",
  tab: "tablet",
  cap: "capsule",
};

/** The unit of a code, a billing unit or a name, singular or plural, in any case. */
export function quantityUnit(text: string): QuantityUnit | null {
  return UNITS.get(text.trim().toLowerCase()) ?? null;
}

export type DrugSchedule = "0" | "2" | "3" | "4" | "5";

/** DEA schedules by NCI code. Schedule I cannot be dispensed: it is read as the strictest one, with a warning. */
export const deaSchedules = {
  C38046: "0",
  C48672: "1",
  C48675: "2",
  C48676: "3",
  C48677: "4",
  C48679: "5",
} as const;

/** The schedule of a code, a digit or a roman numeral (`II`, `CII`, `C-II`); null if it is not one. */
export function deaSchedule(text: string): DrugSchedule | "1" | null {
  const key = text.trim().toUpperCase();
  return SCHEDULES.get(key) ?? SCHEDULES.get(key.replace(/^C-?(?=[IV2-5])/, "")) ?? null;
}

const SCHEDULES = new Map<string, DrugSchedule | "1">([
  ...Object.entries(deaSchedules),
  ["0", "0"],
  ["I", "1"],
  ["1", "1"],
  ["II", "2"],
  ["2", "2"],
  ["III", "3"],
  ["3", "3"],
  ["IV", "4"],
  ["4", "4"],
  ["V", "5"],
  ["5", "5"],
]);

const UNITS = new Map<string, QuantityUnit>([
  ...Object.entries(quantityUnits).map(([code, unit]) => [code.toLowerCase(), unit] as const),
  ...Object.values(quantityUnits).flatMap((unit) => [[unit, unit] as const, [plural(unit), unit] as const]),
  ...Object.entries(UNIT_WORDS).flatMap(([word, unit]) => [[word, unit] as const, [plural(word), unit] as const]),
]);

export function plural(word: string): string {
  if (word === "patch") return "patches";
  return word.endsWith("y") ? `${word.slice(0, -1)}ies` : `${word}s`;
}

/** Quantities have at most three decimals. Rounds away binary fractions. */
export const exact = (units: number): number => Math.round(units * 1000) / 1000;
