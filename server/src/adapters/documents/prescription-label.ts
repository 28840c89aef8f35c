import { federalCaution, warningsFor } from "../../domain/fulfillment/auxiliary-labels.ts";
import { type DispensedItem, dispenseCode, type PharmacyFacts } from "../../domain/fulfillment/documents.ts";
import { elementTexts, labelElements } from "../../domain/fulfillment/label-elements.ts";
import type { LabelElement } from "../../domain/fulfillment/state-labels.ts";
import { type Matrix, qrCode } from "./barcode.ts";
import { flowOn } from "./flow.ts";
import { drawPdf, type Sheet } from "./sheet.ts";

const WIDTH = 288;
const HEIGHT = 216;
const EDGE = 10;
const ROOM = WIDTH - 2 * EDGE;
const BOTTOM = HEIGHT - 5;

/**
 * For the patient: name, drug, directions and purpose, in 12 points. The box has half of the label, as California asks; the
 * other states ask for less.
 */
const BOX = { x: 6, width: WIDTH - 12, height: 113.5 };
const BOX_STYLE = { size: 12 } as const;
/** A long name or address of the pharmacy moves the box down. */
const BOX_TOP = 26;
const NAME_SIZES = [9, 8.5, 8, 7.5, 7] as const;

const BELOW_BOX = 3;
const SYMBOL = 40;
const LEAST_SYMBOL = 28;
const MARK = 13;
const FACTS_WIDTH = ROOM - SYMBOL - 6;
const FACT_STYLE = { size: 6.25 } as const;
const WARNING_STYLE = { size: 6.25, bold: true } as const;
const CAUTION_STYLE = { size: 5.5, bold: true } as const;
/** Warnings on a label of their own are easy to read. */
const OWN_LABEL_STYLE = { size: 9, bold: true } as const;

export const SCHEDULE_MARKS = { "0": null, "2": "C-II", "3": "C-III", "4": "C-IV", "5": "C-V" } as const;

/** The elements of each line below the box. */
const factLines: readonly (readonly LabelElement[])[] = [
  ["rx_number", "fill_date", "first_fill_date"],
  ["quantity", "days_supply", "refills", "discard_after"],
  ["prescriber", "pharmacist", "in_use_limit"],
  ["generic_for", "manufacturer", "description"],
  ["ndc", "lot", "lot_expiry", "fill_number"],
  ["prescribed_as"],
];

/**
 * The label of one filled prescription, 4 by 3 inches. Never truncates anything that a state requires: what does not fit
 * continues on a second label that repeats the patient and prescription.
 */
export async function prescriptionLabel(pharmacy: PharmacyFacts, item: DispensedItem): Promise<Buffer> {
  const symbol = await qrCode(dispenseCode(item));
  const title = `Prescription label ${item.dispense_id}`;
  const page = { width: WIDTH, height: HEIGHT, title, date: item.filled_date, sandbox: item.sandbox };
  return drawPdf(page, (sheet) => draw(sheet, pharmacy, item, symbol));
}

function draw(sheet: Sheet, pharmacy: PharmacyFacts, item: DispensedItem, symbol: Matrix) {
  const box = { ...BOX, y: drawPharmacy(sheet, pharmacy, item) };
  const facts_top = box.y + box.height + BELOW_BOX;
  const foot = drawCaution(sheet, item);
  drawSymbol(sheet, item, symbol, { top: facts_top, foot });
  const facts = factLines
    .map((line) => elementTexts(pharmacy, item, line).join(" · "))
    .filter((text) => text !== "")
    .map((text) => ({ text, style: FACT_STYLE }));
  const warnings = warningsFor(item).map((text) => ({ text, style: WARNING_STYLE }));
  const rest = drawLines(sheet, facts, warnings, { top: facts_top, foot });

  sheet.frame(box, 0.75);
  const first = { x: EDGE, width: ROOM, top: box.y + 3, bottom: box.y + box.height };
  const body = flowOn(sheet, first, (page) => {
    const top = `Rx ${item.prescription_id} for ${labelElements.patient(pharmacy, item)}, continued (${page})`;
    sheet.fit(top, { x: EDGE, y: EDGE, width: ROOM, height: 20 }, { size: 9, least: 6, bold: true });
    sheet.rule({ x: EDGE, y: 31, width: ROOM });
    return { x: EDGE, width: ROOM, top: 36, bottom: HEIGHT - EDGE };
  });
  for (const text of elementTexts(pharmacy, item, ["patient", "drug"])) {
    body.paragraph(text, { ...BOX_STYLE, bold: true, align: "left" });
  }
  for (const text of elementTexts(pharmacy, item, ["directions", "purpose"]))
    body.paragraph(text, BOX_STYLE, { gap: 1 });
  if (rest.length > 0) body.need(HEIGHT);
  for (const text of rest) body.paragraph(text, OWN_LABEL_STYLE, { gap: 4 });
}

/** Draws the pharmacy and returns the top of the box below it. What does not fit on a line in a readable size is wrapped. */
function drawPharmacy(sheet: Sheet, pharmacy: PharmacyFacts, item: DispensedItem): number {
  const place = { x: EDGE, width: ROOM };
  const fits = (size: number) => sheet.wrap(pharmacy.name, ROOM, { size, bold: true }).length === 1;
  const size = NAME_SIZES.find(fits) ?? NAME_SIZES.at(-1)!;
  const below = sheet.write(pharmacy.name, { ...place, y: 5 }, { size, bold: true });
  const elements = ["pharmacy_address", "pharmacy_phone", "pharmacy_license", "pharmacy_dea"] as const;
  // A number stays on one line.
  const lines: string[] = [];
  for (const text of elementTexts(pharmacy, item, elements)) {
    const longer = lines.length === 0 ? text : `${lines.at(-1)} · ${text}`;
    const joined = sheet.wrap(longer, ROOM, FACT_STYLE).length === 1;
    lines.splice(joined ? -1 : lines.length, 1, joined ? longer : text);
  }
  let y = Math.max(15.5, below - 0.5);
  for (const line of lines) y = sheet.write(line, { ...place, y }, FACT_STYLE);
  return Math.max(BOX_TOP, y + 1.5);
}

/** Draws the caution at the bottom and returns its top. */
function drawCaution(sheet: Sheet, item: DispensedItem): number {
  const caution = federalCaution(item);
  if (caution === null) return BOTTOM;
  const height = sheet.wrap(caution, ROOM, CAUTION_STYLE).length * sheet.lineHeight(CAUTION_STYLE);
  const y = BOTTOM - height;
  sheet.write(caution, { x: EDGE, y, width: ROOM }, CAUTION_STYLE);
  sheet.rule({ x: EDGE, y: y - 1.5, width: ROOM }, 0.5);
  return y - 2;
}

type Between = { top: number; foot: number };

/** The code, and the mark of a controlled substance below it. The code is smaller if the space is. */
function drawSymbol(sheet: Sheet, { drug_schedule }: DispensedItem, symbol: Matrix, { top: y, foot }: Between) {
  const x = WIDTH - EDGE - SYMBOL;
  const mark = SCHEDULE_MARKS[drug_schedule];
  const width = Math.max(LEAST_SYMBOL, Math.min(SYMBOL, foot - y - (mark === null ? 1 : MARK)));
  sheet.matrix(symbol, { x: x + (SYMBOL - width) / 2, y, width });
  if (mark === null) return;
  const place = { x, y: y + width + 2.5, width: SYMBOL, height: 11 };
  sheet.fit(mark, place, { size: 9, least: 8, bold: true, align: "center" });
}

type Line = { text: string; style: typeof FACT_STYLE | typeof WARNING_STYLE };

/** Draws what fits above the foot, and returns the rest. Warnings stay together: they are all here, or on a label of their own. */
function drawLines(sheet: Sheet, facts: readonly Line[], warnings: readonly Line[], { top, foot }: Between): string[] {
  const heightOf = (lines: readonly Line[]) =>
    lines
      .flatMap(({ text, style }) => sheet.wrap(text, FACTS_WIDTH, style).map((line) => sheet.lineHeight(style, line)))
      .reduce((sum, height) => sum + height, 0);
  const room = foot - top;
  const together = heightOf([...facts, ...warnings]) <= room;
  const rest: string[] = [];
  let y = top;
  for (const { text, style } of together ? [...facts, ...warnings] : facts) {
    const height = heightOf([{ text, style }]);
    if (rest.length > 0 || y + height > foot) rest.push(text);
    else y = sheet.write(text, { x: EDGE, y, width: FACTS_WIDTH }, style);
  }
  return together ? rest : [...rest, ...warnings.map(({ text }) => text)];
}
