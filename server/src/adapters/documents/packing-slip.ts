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

const WIDTH = 612;
const HEIGHT = 792;
const EDGE = 54;
const ROOM = WIDTH - 2 * EDGE;

type Item = PackingSlip["items"][number];

/** The item columns. Their widths add up to the page width. */
const columns: readonly { title: string; width: number; value: (item: Item) => string }[] = [
  { title: "Item", width: 204, value: ({ name }) => name },
  { title: "NDC", width: 90, value: ({ ndc }) => (ndc === null ? "" : dashedNdc(ndc)) },
  { title: "Lot", width: 80, value: ({ lot }) => lot ?? "" },
  { title: "Expires", width: 70, value: ({ lot_expires_on: date }) => (date === null ? "" : americanDate(date)) },
  {
    title: "Quantity",
    width: 60,
    value: ({ quantity, package_size }) =>
      (package_size ?? 1) === 1 ? `${quantity}` : `${quantity} x ${package_size}`,
  },
];
const widths = columns.map(({ width }) => width);

const RETURNS =
  "We cannot accept returns of medicine after it leaves the pharmacy. If something is damaged, missing or not what you expected, do not use it. Call us within 14 days and we will replace or refund it.";

/** The packing slip, letter size. */
export async function packingSlip(pharmacy: PharmacyFacts, slip: PackingSlip): Promise<Buffer> {
  const bars = await code128(slip.order_number);
  const title = `Packing slip ${slip.order_number}`;
  const page = { width: WIDTH, height: HEIGHT, title, date: slip.ship_date, sandbox: slip.sandbox };
  return drawPdf(page, (sheet) => draw(sheet, pharmacy, slip, bars));
}

function draw(sheet: Sheet, pharmacy: PharmacyFacts, slip: PackingSlip, bars: Bars) {
  const begin = (page: number) => {
    const foot = `Order ${slip.order_number} · Page ${page}`;
    sheet.line(foot, { x: EDGE, y: HEIGHT - 40, width: ROOM }, { size: 8, align: "right" });
    return { x: EDGE, width: ROOM, top: EDGE, bottom: HEIGHT - EDGE };
  };
  const flow = flowOn(sheet, begin(1), begin);

  const barcode = { x: WIDTH - EDGE - 170, y: EDGE - 4, width: 170, height: 34 };
  sheet.bars(bars, barcode);
  const below = { x: barcode.x, y: barcode.y + 37, width: barcode.width };
  sheet.line(slip.order_number, below, { size: 9, align: "center" });

  const sender = slip.brand_name ?? pharmacy.name;
  sheet.fit(sender, { x: EDGE, y: EDGE - 4, width: ROOM - 190, height: 44 }, { size: 18, least: 7, bold: true });
  flow.y = EDGE + 52;
  flow.paragraph("Packing slip", { size: 13, bold: true }, { gap: 6 });

  const half = [ROOM / 2, ROOM / 2];
  flow.row(["Ship to", "Order"], half, { size: 8, bold: true }, 1);
  const to = [`${slip.to.first_name} ${slip.to.last_name}`, ...addressLines(slip.to)];
  const order = [
    `Order ${slip.order_number}`,
    ...(slip.reference === null ? [] : [`Reference ${slip.reference}`]),
    `Shipped ${americanDate(slip.ship_date)} by ${slip.carrier} ${slip.service}`,
    `Tracking ${slip.tracking_no}`,
  ];
  for (let index = 0; index < Math.max(to.length, order.length); index++) {
    flow.row([to[index] ?? "", order[index] ?? ""], half, { size: 10.5 });
  }

  flow.y += 16;
  flow.row(
    columns.map(({ title }) => title),
    widths,
    { size: 9, bold: true },
    2,
  );
  sheet.rule({ x: EDGE, y: flow.y, width: ROOM });
  flow.y += 5;
  for (const item of slip.items) {
    flow.row(
      columns.map(({ value }) => value(item)),
      widths,
      { size: 10 },
      5,
    );
  }
  flow.y += 14;
  flow.need(90);
  flow.paragraph("Returns", { size: 10, bold: true }, { gap: 2 });
  flow.paragraph(RETURNS, { size: 10 }, { gap: 10 });
  const { name, street, city, state, zip, phone } = pharmacy;
  flow.paragraph(`Filled by ${name}, ${street}, ${city}, ${state} ${zip}, ${dialled(phone)}`, { size: 9 });
}
