import { isUnitNumber, pastNumberSign } from "./secondary-units.ts";
import { suffixOf } from "./suffixes.ts";

/** A line that names a postal delivery point instead of a street. */
export interface PostalLine {
  kind: "po_box" | "general_delivery" | "rural" | "highway_contract" | "military";
  text: string;
  /** `missing`: not deliverable without one. `none`: not needed. */
  box: "given" | "missing" | "none";
}

type Words = readonly string[];
const ROUTE = ["ROUTE", "RT", "RTE"];

/**
 * How a route or a military post begins. An inner list is a choice of words. `only` restricts where the words have this
 * meaning.
 */
const openings: { kind: PostalLine["kind"]; standard: string; only?: "before_box" | "military"; words: Words[] }[] = [
  { kind: "rural", standard: "RR", words: [["RFD"], ROUTE] },
  { kind: "rural", standard: "RR", words: [["RURAL"], [...ROUTE, "DELIVERY"]] },
  { kind: "rural", standard: "RR", words: [["R"], ["R"]] },
  { kind: "rural", standard: "RR", words: [["RR", "RFD"]] },
  // Route 9 and Rd 2 are streets, unless a box follows.
  { kind: "rural", standard: "RR", only: "before_box", words: [["RD", ...ROUTE]] },
  { kind: "highway_contract", standard: "HC", words: [["HIGHWAY", "HWY"], ["CONTRACT"], ROUTE] },
  { kind: "highway_contract", standard: "HC", words: [["HIGHWAY", "HWY"], ["CONTRACT"]] },
  { kind: "highway_contract", standard: "HC", words: [["STAR"], ROUTE] },
  { kind: "highway_contract", standard: "HC", words: [["H"], ["C"]] },
  { kind: "highway_contract", standard: "HC", words: [["HC", "HCR"]] },
  { kind: "military", standard: "PSC", words: [["PSC"]] },
  { kind: "military", standard: "CMR", words: [["CMR"]] },
  { kind: "military", standard: "OMC", words: [["OMC"]] },
  { kind: "military", standard: "UMR", words: [["UMR"]] },
  // Elsewhere a unit is part of a building. Some military units have no boxes.
  { kind: "military", standard: "UNIT", only: "military", words: [["UNIT"]] },
];

const BOX = ["BOX", "BX"];
const postOfficeBoxes: Words[][] = [
  [["POST"], ["OFFICE"], [...BOX, "DRAWER"]],
  [["P"], ["O"], [...BOX, "DRAWER"]],
  [
    ["PO", "P/O", "POST", "POSTAL"],
    [...BOX, "DRAWER", "DRWR"],
  ],
  [["POB", "POBOX"]],
  [["APARTADO"], ["POSTAL"]],
  [["APARTADO"]],
];
/** Complete lines that mean a post office box if there is no street: Publication 28, section 283. */
const otherBoxes: Words[][] = [
  [["LOCK"], BOX],
  [["FIRM"], ["CALLER"]],
  [["CALLER"], ["SERVICE", "NUMBER"]],
  [[...BOX, "BIN", "LOCKBOX", "DRAWER", "CALLER"]],
];
const generalDelivery: Words[] = [
  ["GENERAL", "GENL", "GEN"],
  ["DELIVERY", "DELIV", "DELY", "DEL", "DLVRY", "DLVY"],
];

/** `military`: the address is at a military post. */
export function readPostalLine(tokens: Words, military: boolean): PostalLine | null {
  return readPostOfficeBox(tokens) ?? readGeneralDelivery(tokens) ?? readRoute(tokens, military);
}

/** The number of a line that is only a box. The other line determines the kind of box. */
export function bareBoxNumber(tokens: Words): string | null {
  const length = anyLength(otherBoxes, tokens, 0);
  if (length === 0) return null;
  const at = pastNumberSign(tokens, length);
  return isUnitNumber(tokens[at]) && tokens.length === at + 1 ? (tokens[at] as string) : null;
}

function readPostOfficeBox(tokens: Words): PostalLine | null {
  for (let start = 0; start < tokens.length; start++) {
    const length = anyLength(postOfficeBoxes, tokens, start);
    if (length === 0) continue;
    const at = pastNumberSign(tokens, start + length);
    const number = tokens[at];
    if (isUnitNumber(number)) {
      const text = [...tokens.slice(0, start), "PO BOX", number, ...tokens.slice(at + 1)].join(" ");
      return { kind: "po_box", text, box: "given" };
    }
    // Without a number it is a box only if the line has nothing else: 12 Post Office Box Rd is a street.
    if (start === 0 && tokens.length === length) return { kind: "po_box", text: "PO BOX", box: "missing" };
  }
  return null;
}

function readGeneralDelivery(tokens: Words): PostalLine | null {
  const length = lengthOf(generalDelivery, tokens, 0);
  if (length === 0 || (tokens[length] !== undefined && suffixOf(tokens[length]) !== undefined)) return null;
  const text = ["GENERAL DELIVERY", ...tokens.slice(length)].join(" ");
  return { kind: "general_delivery", text, box: "none" };
}

function readRoute(tokens: Words, military: boolean): PostalLine | null {
  for (const { kind, standard, only, words } of openings) {
    const length = lengthOf(words, tokens, 0);
    if (length === 0 || (only === "military" && !military)) continue;
    const at = pastNumberSign(tokens, length);
    const written = /^\d+[A-Z]?$/.exec(tokens[at] ?? "")?.[0];
    const number = kind === "military" ? written : written?.replace(/^0+(?=\d)/, "");
    const end = number === undefined ? length : at + 1;
    const boxed = BOX.includes(tokens[end] ?? "");
    const box = boxed ? tokens[pastNumberSign(tokens, end + 1)] : undefined;
    const route = number === undefined ? standard : `${standard} ${number}`;
    // Old star routes have no number. All other routes do.
    if (isUnitNumber(box) && (number !== undefined || kind === "highway_contract")) {
      const rest = tokens.slice(pastNumberSign(tokens, end + 1) + 1);
      return { kind, text: [route, "BOX", box, ...rest].join(" "), box: "given" };
    }
    const nothing_else = tokens.length === (boxed ? end + 1 : end);
    if (number !== undefined && nothing_else && only !== "before_box") {
      return { kind, text: route, box: only === "military" ? "none" : "missing" };
    }
  }
  return null;
}

const anyLength = (patterns: Words[][], tokens: Words, start: number): number =>
  patterns.reduce((found, pattern) => found || lengthOf(pattern, tokens, start), 0);

/** How many tokens the pattern matches at `start`; 0 if it does not match. */
function lengthOf(pattern: Words[], tokens: Words, start: number): number {
  return pattern.every((choice, index) => choice.includes(tokens[start + index] ?? "")) ? pattern.length : 0;
}
