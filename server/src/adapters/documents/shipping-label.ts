import {
  addressLines,
  americanDate,
  dialled,
  type ShippingLabel,
  sortedByZip,
} from "../../domain/fulfillment/documents.ts";
import { type Bars, code128, gs1Code128 } from "./barcode.ts";
import { drawPdf, type Sheet } from "./sheet.ts";

const WIDTH = 288;
const HEIGHT = 432;
const EDGE = 12;
const ROOM = WIDTH - 2 * EDGE;

/** A 4 by 6 inch label. It never reveals the contents. */
export async function shippingLabel(label: ShippingLabel): Promise<Buffer> {
  const bars = await trackingBars(label);
  const title = `Shipping label ${label.tracking_no}`;
  const page = { width: WIDTH, height: HEIGHT, title, date: label.ship_date, sandbox: label.sandbox };
  return drawPdf(page, (sheet) => draw(sheet, label, bars));
}

function draw(sheet: Sheet, label: ShippingLabel, bars: Bars) {
  const { from, to } = label;
  sheet.frame({ x: EDGE / 2, y: EDGE / 2, width: WIDTH - EDGE, height: HEIGHT - EDGE });

  sheet.fit(label.carrier, { x: EDGE, y: 14, width: 150, height: 28 }, { size: 22, least: 8, bold: true });
  sheet.fit(label.service, { x: EDGE, y: 42, width: 150, height: 26 }, { size: 12, least: 6, bold: true });
  const facts = [
    `Ship date ${americanDate(label.ship_date)}`,
    ...(label.weight_oz === undefined ? [] : [`Weight ${label.weight_oz} oz`]),
  ];
  facts.forEach((fact, index) => {
    sheet.fit(
      fact,
      { x: 166, y: 16 + index * 12, width: ROOM - 154, height: 12 },
      { size: 8, least: 5, align: "right" },
    );
  });
  sheet.rule({ x: EDGE / 2, y: 72, width: WIDTH - EDGE });

  sheet.write("FROM", { x: EDGE, y: 78, width: 40 }, { size: 6, bold: true });
  const sender = [from.name, from.street, `${from.city}, ${from.state} ${from.zip}`, dialled(from.phone)];
  sender.forEach((line, index) => {
    sheet.fit(line, { x: EDGE, y: 87 + index * 11, width: ROOM, height: 11 }, { size: 8.5, least: 5 });
  });
  sheet.rule({ x: EDGE / 2, y: 136, width: WIDTH - EDGE });

  sheet.write("SHIP TO", { x: EDGE, y: 142, width: 60 }, { size: 6, bold: true });
  const recipient = [`${to.first_name} ${to.last_name}`, ...addressLines(to)];
  const height = 88 / recipient.length;
  recipient.forEach((line, index) => {
    const place = { x: EDGE + 8, y: 152 + index * height, width: ROOM - 8, height };
    // All lines of an address begin at the same edge, also one that is read from right to left.
    sheet.fit(line, place, { size: 14, least: 7, bold: true, align: "left" });
  });
  if (to.phone !== null) {
    sheet.fit(
      `Tel ${dialled(to.phone)}`,
      { x: EDGE + 8, y: 242, width: ROOM - 8, height: 10 },
      { size: 7.5, least: 5 },
    );
  }
  sheet.rule({ x: EDGE / 2, y: 256, width: WIDTH - EDGE }, 2);

  const required = label.signature_confirmation ? "SIGNATURE REQUIRED" : `${label.carrier} TRACKING #`;
  sheet.fit(
    required,
    { x: EDGE, y: 264, width: ROOM, height: 16 },
    { size: 12, least: 6, bold: true, align: "center" },
  );
  sheet.bars(bars, { x: EDGE, y: 284, width: ROOM, height: 84 });
  sheet.fit(
    grouped(label.tracking_no),
    { x: EDGE, y: 374, width: ROOM, height: 14 },
    { size: 11, least: 6, bold: true, align: "center" },
  );
  sheet.rule({ x: EDGE / 2, y: 394, width: WIDTH - EDGE });

  if (label.reference !== null) {
    sheet.fit(`REF ${label.reference}`, { x: EDGE, y: 400, width: ROOM, height: 20 }, { size: 8.5, least: 5 });
  }
}

function trackingBars(label: ShippingLabel): Promise<Bars> {
  const { tracking_no } = label;
  const zip5 = sortedByZip(label);
  return zip5 === null
    ? code128(tracking_no)
    : gs1Code128(`(420)${zip5}(${tracking_no.slice(0, 2)})${tracking_no.slice(2)}`);
}

/** Digits in groups of four, for reading aloud. */
const grouped = (tracking_no: string) =>
  /^\d+$/.test(tracking_no) ? tracking_no.replaceAll(/(\d{4})(?=\d)/g, "$1 ") : tracking_no;
