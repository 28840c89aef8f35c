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
const BOX = { x: 6, y: 26, width: WIDTH - 12, height: 113.5 };
const BOX_STYLE = { size: 12 } as const;

const FACTS_TOP = BOX.y + BOX.height + 3;
const SYMBOL = 40;
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
  drawPharmacy(sheet, pharmacy, item);
  const foot = drawCaution(sheet, item);
  drawSymbol(sheet, item, symbol);
  const facts = factLines
    .map((line) => elementTexts(pharmacy, item, line).join(" · "))
    .filter((text) => text !== "")
    .map((text) => ({ text, style: FACT_STYLE }));
  const warnings = warningsFor(item).map((text) => ({ text, style: WARNING_STYLE }));
  const rest = drawLines(sheet, facts, warnings, foot);

  sheet.frame(BOX, 0.75);
  const first = { x: EDGE, width: ROOM, top: BOX.y + 3, bottom: BOX.y + BOX.height };
  const body = flowOn(sheet, first, (page) => {
    const top = `Rx ${item.prescription_id} for ${labelElements.patient(pharmacy, item)}, continued (${page})`;
    sheet.fit(top, { x: EDGE, y: EDGE, width: ROOM, height: 20 }, { size: 9, least: 5, bold: true });
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

function drawPharmacy(sheet: Sheet, pharmacy: PharmacyFacts, item: DispensedItem) {
  sheet.fit(pharmacy.name, { x: EDGE, y: 5, width: ROOM, height: 11 }, { size: 9, least: 5, bold: true });
  const elements = ["pharmacy_address", "pharmacy_phone", "pharmacy_license", "pharmacy_dea"] as const;
  const line = elementTexts(pharmacy, item, elements).join(" · ");
  sheet.fit(line, { x: EDGE, y: 15.5, width: ROOM, height: 9.5 }, { size: 6.25, least: 4 });
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

function drawSymbol(sheet: Sheet, { drug_schedule }: DispensedItem, symbol: Matrix) {
  const x = WIDTH - EDGE - SYMBOL;
  sheet.matrix(symbol, { x, y: FACTS_TOP, width: SYMBOL });
  const mark = SCHEDULE_MARKS[drug_schedule];
  if (mark === null) return;
  const place = { x, y: FACTS_TOP + SYMBOL + 2.5, width: SYMBOL, height: 11 };
  sheet.fit(mark, place, { size: 9, least: 8, bold: true, align: "center" });
}

type Line = { text: string; style: typeof FACT_STYLE | typeof WARNING_STYLE };

/** Draws what fits above the foot, and returns the rest. Warnings stay together: they are all here, or on a label of their own. */
function drawLines(sheet: Sheet, facts: readonly Line[], warnings: readonly Line[], foot: number): string[] {
  const heightOf = (lines: readonly Line[]) =>
    lines
      .flatMap(({ text, style }) => sheet.wrap(text, FACTS_WIDTH, style).map((line) => sheet.lineHeight(style, line)))
      .reduce((sum, height) => sum + height, 0);
  const room = foot - FACTS_TOP;
  const together = heightOf([...facts, ...warnings]) <= room;
  const rest: string[] = [];
  let y = FACTS_TOP;
  for (const { text, style } of together ? [...facts, ...warnings] : facts) {
    const height = heightOf([{ text, style }]);
    if (rest.length > 0 || y + height > foot) rest.push(text);
    else y = sheet.write(text, { x: EDGE, y, width: FACTS_WIDTH }, style);
  }
  return together ? rest : [...rest, ...warnings.map(({ text }) => text)];
}
