import { federalCaution, warningsFor } from "../../domain/fulfillment/auxiliary-labels.ts";
import {
  americanDate,
  type DispensedItem,
  dashedNdc,
  dialled,
  discardAfter,
  dispenseCode,
  type PharmacyFacts,
  unitsOf,
} from "../../domain/fulfillment/documents.ts";
import { plural } from "../../domain/values/quantity-units.ts";
import { type Matrix, qrCode } from "./barcode.ts";
import { type Flow, flowOn } from "./flow.ts";
import { drawPdf, type Sheet } from "./sheet.ts";

const WIDTH = 288;
const HEIGHT = 216;
const EDGE = 10;
const ROOM = WIDTH - 2 * EDGE;
const SIDE_WIDTH = 78;
const SIDE_X = WIDTH - EDGE - SIDE_WIDTH;
const BODY_TOP = 42;
const CAUTION_STYLE = { size: 6, bold: true } as const;
const WARNING_STYLE = { size: 6.5, bold: true } as const;

/** Longer directions use a smaller font, so that fewer need a second label. */
const LONG_SIG = 160;

export const SCHEDULE_MARKS = { "0": null, "2": "C-II", "3": "C-III", "4": "C-IV", "5": "C-V" } as const;

/**
 * The label of one filled prescription, 4 by 3 inches. Never truncates directions: they continue on a second label that
 * repeats the patient and prescription.
 */
export async function prescriptionLabel(pharmacy: PharmacyFacts, item: DispensedItem): Promise<Buffer> {
  const symbol = await qrCode(dispenseCode(item));
  const title = `Prescription label ${item.dispense_id}`;
  const page = { width: WIDTH, height: HEIGHT, title, date: item.filled_date, sandbox: item.sandbox };
  return drawPdf(page, (sheet) => draw(sheet, pharmacy, item, symbol));
}

function draw(sheet: Sheet, pharmacy: PharmacyFacts, item: DispensedItem, symbol: Matrix) {
  drawPharmacy(sheet, pharmacy);
  const foot = drawCaution(sheet, item);
  drawSide(sheet, item, symbol, foot);
  const first = { x: EDGE, width: SIDE_X - EDGE - 8, top: BODY_TOP, bottom: foot };
  const body = flowOn(sheet, first, (page) => {
    const patient = `${item.patient.first_name} ${item.patient.last_name}`;
    const top = `Rx ${item.prescription_id} for ${patient}, continued (${page})`;
    sheet.fit(top, { x: EDGE, y: EDGE, width: ROOM, height: 20 }, { size: 9, least: 5, bold: true });
    sheet.rule({ x: EDGE, y: 31, width: ROOM });
    return { x: EDGE, width: ROOM, top: 36, bottom: HEIGHT - EDGE };
  });
  drawBody(body, item);
}

function drawPharmacy(sheet: Sheet, pharmacy: PharmacyFacts) {
  const { name, street, city, state, zip, phone, dea } = pharmacy;
  sheet.fit(name, { x: EDGE, y: 8, width: ROOM, height: 14 }, { size: 11, least: 5, bold: true });
  const address = `${street}, ${city}, ${state} ${zip} · Tel ${dialled(phone)} · DEA ${dea}`;
  sheet.fit(address, { x: EDGE, y: 22, width: ROOM, height: 15 }, { size: 6.5, least: 4.5 });
  sheet.rule({ x: EDGE, y: 38, width: ROOM }, 1);
}

/** Draws the caution at the bottom and returns its top. */
function drawCaution(sheet: Sheet, item: DispensedItem): number {
  const caution = federalCaution(item);
  if (caution === null) return HEIGHT - EDGE;
  const height = sheet.wrap(caution, ROOM, CAUTION_STYLE).length * sheet.lineHeight(CAUTION_STYLE);
  const y = HEIGHT - EDGE - height;
  sheet.write(caution, { x: EDGE, y, width: ROOM }, CAUTION_STYLE);
  sheet.rule({ x: EDGE, y: y - 3, width: ROOM }, 0.5);
  return y - 4;
}

/** The QR code, the schedule, and as many warnings as fit; the leaflet has all of them. */
function drawSide(sheet: Sheet, item: DispensedItem, symbol: Matrix, foot: number) {
  const side = { x: SIDE_X, width: SIDE_WIDTH };
  sheet.matrix(symbol, { x: SIDE_X, y: BODY_TOP + 2, width: 44 });
  const mark = SCHEDULE_MARKS[item.drug_schedule];
  if (mark !== null) {
    sheet.fit(
      mark,
      { x: SIDE_X + 46, y: BODY_TOP + 2, width: 32, height: 16 },
      { size: 13, least: 8, bold: true, align: "right" },
    );
  }
  let y = BODY_TOP + 50;
  const height = (text: string) =>
    sheet.wrap(text, SIDE_WIDTH - 6, WARNING_STYLE).length * sheet.lineHeight(WARNING_STYLE) + 5;
  const more = "More: see leaflet.";
  for (const [index, text] of warningsFor(item).entries()) {
    const isLast = index === warningsFor(item).length - 1;
    if (y + height(text) + (isLast ? 0 : height(more)) > foot) {
      sheet.write(more, { ...side, y: y + 1 }, WARNING_STYLE);
      return;
    }
    sheet.frame({ ...side, y, height: height(text) - 2 }, 0.5);
    sheet.write(text, { x: SIDE_X + 3, y: y + 2, width: SIDE_WIDTH - 6 }, WARNING_STYLE);
    y += height(text);
  }
}

function drawBody(body: Flow, item: DispensedItem) {
  const { patient, sig_text } = item;
  body.paragraph(`Rx ${item.prescription_id} · Filled ${americanDate(item.filled_date)}`, { size: 8.5, bold: true });
  body.paragraph(`${patient.first_name} ${patient.last_name}`, { size: 11, bold: true }, { gap: 1 });
  body.paragraph(item.drug_name, { size: 9.5, bold: true }, { gap: item.prescribed_as === null ? 3 : 1 });
  if (item.prescribed_as !== null) body.paragraph(`Prescribed: ${item.prescribed_as}`, { size: 7.5 }, { gap: 3 });
  body.paragraph(sig_text, { size: sig_text.length > LONG_SIG ? 9.25 : 10.5, bold: true }, { gap: 4 });
  const facts = [
    `Qty ${amount(item)}${item.days_supply === null ? "" : ` · ${item.days_supply} days' supply`}`,
    `Refills left ${item.refills_left} · Discard after ${americanDate(discardAfter(item))}`,
    `Prescriber ${item.prescriber_name}`,
    `NDC ${dashedNdc(item.ndc)} · Fill ${item.dispense_id}`,
    `Lot ${item.lot} · Lot expires ${americanDate(item.lot_expires_on)}`,
  ];
  for (const fact of facts) body.paragraph(fact, { size: 7.5 });
}

/** "90 tablets (3 x 30)": with the packages if there are several. */
export function amount(item: DispensedItem): string {
  const units = unitsOf(item);
  const named = item.unit === null ? [] : [units === 1 ? item.unit : plural(item.unit)];
  const packages = item.quantity === 1 ? [] : [`(${item.quantity} x ${item.package_size})`];
  return [units, ...named, ...packages].join(" ");
}
