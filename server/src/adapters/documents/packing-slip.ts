import type { Paper } from "@pestle/contract";
import {
  addressLines,
  americanDate,
  dashedNdc,
  dialled,
  type PackingSlip,
  type PharmacyFacts,
} from "../../domain/fulfillment/documents.ts";
import { type Bars, code128 } from "./barcode.ts";
import { flowOn } from "./flow.ts";
import { drawPdf, type Sheet } from "./sheet.ts";

type Item = PackingSlip["items"][number];
type Column = { title: string; width: number; value: (item: Item) => string };

const lot: Column["value"] = (item) => item.lot ?? "";
const expires: Column["value"] = ({ lot_expires_on: date }) => (date === null ? "" : americanDate(date));
const quantity: Column["value"] = (item) =>
  (item.package_size ?? 1) === 1 ? `${item.quantity}` : `${item.quantity} x ${item.package_size}`;

type Layout = {
  width: number;
  height: number;
  edge: number;
  /** The sizes of the text, relative to letter paper. */
  text: number;
  barcode: number;
  /** Their widths add up to the width between the edges. */
  columns: readonly Column[];
};

const layouts: Record<Paper, Layout> = {
  letter: {
    width: 612,
    height: 792,
    edge: 54,
    text: 1,
    barcode: 170,
    columns: [
      { title: "Item", width: 204, value: ({ name }) => name },
      { title: "NDC", width: 90, value: ({ ndc }) => (ndc === null ? "" : dashedNdc(ndc)) },
      { title: "Lot", width: 80, value: lot },
      { title: "Expires", width: 70, value: expires },
      { title: "Quantity", width: 60, value: quantity },
    ],
  },
  // The roll of a label printer is too narrow for the NDC, which each prescription label has.
  "4x6": {
    width: 288,
    height: 432,
    edge: 16,
    text: 0.78,
    barcode: 110,
    columns: [
      { title: "Item", width: 112, value: ({ name }) => name },
      { title: "Lot", width: 54, value: lot },
      { title: "Expires", width: 52, value: expires },
      { title: "Qty", width: 38, value: quantity },
    ],
  },
};

/** Between the address and the order. */
const HALF_GAP = 10;

const RETURNS =
  "We cannot accept returns of medicine after it leaves the pharmacy. If something is damaged, missing or not what you expected, do not use it. Call us within 14 days and we will replace or refund it.";

/** The packing slip, on letter paper or on the roll of a label printer. */
export async function packingSlip(
  pharmacy: PharmacyFacts,
  slip: PackingSlip,
  paper: Paper = "letter",
): Promise<Buffer> {
  const layout = layouts[paper];
  const bars = await code128(slip.order_number);
  const title = `Packing slip ${slip.order_number}`;
  const page = { width: layout.width, height: layout.height, title, date: slip.ship_date, sandbox: slip.sandbox };
  return drawPdf(page, (sheet) => draw(sheet, layout, pharmacy, slip, bars));
}

function draw(sheet: Sheet, layout: Layout, pharmacy: PharmacyFacts, slip: PackingSlip, bars: Bars) {
  const { width, height, edge, columns, text } = layout;
  const room = width - 2 * edge;
  const widths = columns.map(({ width }) => width);
  const size = (points: number) => points * text;
  const begin = (page: number) => {
    const foot = `Order ${slip.order_number} · Page ${page}`;
    sheet.line(foot, { x: edge, y: height - (edge * 40) / 54, width: room }, { size: size(8), align: "right" });
    return { x: edge, width: room, top: edge, bottom: height - edge };
  };
  const flow = flowOn(sheet, begin(1), begin);

  const barcode = { x: width - edge - layout.barcode, y: edge - 4, width: layout.barcode, height: 34 };
  sheet.bars(bars, barcode);
  const below = { x: barcode.x, y: barcode.y + 37, width: barcode.width };
  sheet.line(slip.order_number, below, { size: size(9), align: "center" });

  const sender = slip.brand_name ?? pharmacy.name;
  sheet.fit(
    sender,
    { x: edge, y: edge - 4, width: room - layout.barcode - 20, height: 44 },
    { size: size(18), least: 7, bold: true },
  );
  flow.y = edge + 52;
  flow.paragraph("Packing slip", { size: size(13), bold: true }, { gap: 6 });

  const half = [room / 2, room / 2];
  flow.row(["Ship to", "Order"], half, { size: size(8), bold: true }, 1);
  const to = [`${slip.to.first_name} ${slip.to.last_name}`, ...addressLines(slip.to)];
  const order = [
    `Order ${slip.order_number}`,
    ...(slip.reference === null ? [] : [`Reference ${slip.reference}`]),
    `Shipped ${americanDate(slip.ship_date)} by ${slip.carrier} ${slip.service}`,
    `Tracking ${slip.tracking_no}`,
  ];
  // Each half wraps by itself, so that a long line of one leaves no gap in the other.
  const style = { size: size(10.5) };
  const lines = [to, order].map((own) => own.flatMap((line) => sheet.wrap(line, room / 2 - HALF_GAP, style)));
  for (let index = 0; index < Math.max(...lines.map(({ length }) => length)); index++) {
    flow.row(
      lines.map((own) => own[index] ?? ""),
      half,
      style,
    );
  }

  flow.y += 16;
  flow.row(
    columns.map(({ title }) => title),
    widths,
    { size: size(9), bold: true },
    2,
  );
  sheet.rule({ x: edge, y: flow.y, width: room });
  flow.y += 5;
  for (const item of slip.items) {
    flow.row(
      columns.map(({ value }) => value(item)),
      widths,
      { size: size(10) },
      5,
    );
  }
  flow.y += 14;
  flow.need(90);
  flow.paragraph("Returns", { size: size(10), bold: true }, { gap: 2 });
  flow.paragraph(RETURNS, { size: size(10) }, { gap: 10 });
  const { name, street, city, state, zip, phone } = pharmacy;
  flow.paragraph(`Filled by ${name}, ${street}, ${city}, ${state} ${zip}, ${dialled(phone)}`, { size: size(9) });
}
