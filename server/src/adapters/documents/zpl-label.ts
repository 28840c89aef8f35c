import {
  addressLines,
  americanDate,
  dialled,
  type ShippingLabel,
  sortedByZip,
} from "../../domain/fulfillment/documents.ts";
import { isWinAnsiText, plainText } from "../../domain/values/printable-text.ts";

/** 4 by 6 inches in dots at 203 dpi. */
const WIDTH = 812;
const HEIGHT = 1218;
const EDGE = 36;
const ROOM = WIDTH - 2 * EDGE;

/** The shipping label in ZPL, with the same content as the PDF. */
export function zplLabel(label: ShippingLabel): string {
  const { from, to } = label;
  const recipient = [`${to.first_name} ${to.last_name}`, ...addressLines(to)];
  const required = label.signature_confirmation ? "SIGNATURE REQUIRED" : `${label.carrier} TRACKING #`;
  return [
    "^XA",
    // UTF-8 so that accents print; label size; origin at the top left.
    `^CI28^PW${WIDTH}^LL${HEIGHT}^LH0,0`,
    text(label.carrier, { y: 40, height: 60, width: 430 }),
    text(label.service, { y: 120, height: 34, width: 430 }),
    text(`Ship date ${americanDate(label.ship_date)}`, { x: 480, y: 44, height: 24, width: 296 }),
    ...(label.weight_oz === undefined
      ? []
      : [text(`Weight ${label.weight_oz} oz`, { x: 480, y: 78, height: 24, width: 296 })]),
    ...(label.sandbox ? [text("VOID", { x: 460, y: 216, height: 110, width: 330 })] : []),
    rule(200, 3),
    text("FROM", { y: 214, height: 18 }),
    ...[from.name, from.street, `${from.city}, ${from.state} ${from.zip}`, dialled(from.phone)].map((line, index) =>
      text(line, { y: 238 + index * 32, height: 26, width: label.sandbox ? 410 : ROOM }),
    ),
    rule(378, 3),
    text("SHIP TO", { y: 392, height: 18 }),
    ...recipient.map((line, index) => text(line, { x: 60, y: 420 + index * 64, height: 46, width: ROOM - 24 })),
    ...(to.phone === null ? [] : [text(`Tel ${dialled(to.phone)}`, { x: 60, y: 684, height: 22 })]),
    rule(720, 6),
    text(required, { y: 744, height: 36 }),
    barcode(label),
    text(label.tracking_no, { y: 1066, height: 34 }),
    rule(1110, 3),
    ...(label.reference === null ? [] : [text(`REF ${label.reference}`, { y: 1130, height: 26 })]),
    "^XZ",
    "",
  ].join("\n");
}

/** The widest capital of the printer's font, relative to its height, and the widest character of any. */
const WIDEST_CAPITAL = 0.75;
const WIDEST_CHARACTER = 1;
const LEAST_HEIGHT = 14;

/** One line. Shrinks long text, then truncates it, because the printer would run it off the label. */
function text(value: string, place: { x?: number; y: number; height: number; width?: number }): string {
  const { x = EDGE, y, height, width = ROOM } = place;
  const written = plainText(value);
  const printed = Array.from(written);
  const widest = isWinAnsiText(written) ? WIDEST_CAPITAL : WIDEST_CHARACTER;
  const size = Math.max(LEAST_HEIGHT, Math.min(height, Math.floor(width / (printed.length * widest))));
  const most = Math.floor(width / (size * widest));
  const shown = printed.length > most ? `${printed.slice(0, most - 1).join("")}…` : written;
  return `^FO${x},${y}^A0N,${size},${size}^FH^FD${escaped(shown)}^FS`;
}

const rule = (y: number, thickness: number) => `^FO0,${y}^GB${WIDTH},${thickness},${thickness}^FS`;

/** Code 128, as wide as possible: a pair of digits takes one 11-module character, a letter one each. */
function barcode(label: ShippingLabel): string {
  const { tracking_no } = label;
  const zip5 = sortedByZip(label);
  const number = tracking_no.replaceAll(/[^A-Za-z0-9]/g, "");
  const characters = zip5 !== null ? 17 : /^(\d\d)+$/.test(number) ? number.length / 2 : number.length;
  const module = Math.max(1, Math.min(4, Math.floor(ROOM / (characters * 11 + 35))));
  // >; starts in digit-pair mode. >8 is FNC1: first it marks GS1, then it ends the ZIP code field.
  const data = zip5 === null ? number : `>;>8420${zip5}>8${number}`;
  return `^FO${EDGE},800^BY${module}^BCN,240,N,N,N,${zip5 === null ? "A" : "N"}^FD${data}^FS`;
}

/** Writes special characters as hex bytes, so that a name cannot contain a printer command. */
const escaped = (value: string) =>
  Array.from(value, (char) =>
    /[A-Za-z0-9 .,()#/:+-]/.test(char)
      ? char
      : Array.from(
          new TextEncoder().encode(char),
          (byte) => `_${byte.toString(16).padStart(2, "0").toUpperCase()}`,
        ).join(""),
  ).join("");
