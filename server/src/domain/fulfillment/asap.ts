import { asciiText } from "../values/printable-text.ts";
import type { AsapHeader, DispensedRecord } from "./asap-segments.ts";
import { AIR, DSP, type Field, IS, PAT, PHA, PRE, TH } from "./asap-segments.ts";

const SEPARATOR = "*";
const TERMINATOR = "~";

/**
 * The report of dispensed controlled substances for the states' monitoring programs: ASAP, version 4.2B. A line is a
 * segment, and a field is identified by its position (`asap-segments.ts` has the tables). It contains full patient and
 * dispensing data, as its purpose requires. Send it only to the state's program.
 */
export function asapReport(header: AsapHeader, records: readonly DispensedRecord[]): string {
  const { period, ...reported } = header;
  const head = records.length === 0 ? header : { ...reported, period: null };
  const details = records.length === 0 ? nothingReported(header) : records.flatMap(detail);
  const pharmacy = segment("PHA", PHA, head);
  const lines = [
    // TH09 is the character that ends every segment, including this one.
    [...filled("TH", TH, head, { keepEmpty: true }), TERMINATOR].join(SEPARATOR),
    segment("IS", IS, head),
    pharmacy,
    ...details,
    // Counts the segments from the pharmacy's to this one, both included.
    joined(["TP", String(details.length + 2)]),
  ];
  const count = lines.length + 1;
  const trailer = joined(["TT", clean(header.control_number, 40), String(count)]);
  return [...lines, trailer].map((line) => `${line}${TERMINATOR}\n`).join("");
}

/** Returns the required fields that are missing, so that staff can complete them first. */
export function asapGaps(header: AsapHeader, record: DispensedRecord): string[] {
  return [
    ...[TH, IS, PHA].flatMap((fields) => gaps(fields, header)),
    ...[PAT, DSP, PRE].flatMap((fields) => gaps(fields, record)),
  ];
}

/** Patient, fill, prescriber, and the recipient if there is a document. */
const detail = (record: DispensedRecord): string[] => [
  segment("PAT", PAT, record),
  segment("DSP", DSP, record),
  segment("PRE", PRE, record),
  ...(record.document === null ? [] : [segment("AIR", AIR, record)]),
];

/** A zero report: the same segments, almost empty, for a patient called REPORT, ZERO. */
function nothingReported({ created_date }: AsapHeader): string[] {
  const at = (place: number, ...values: string[]) => [...Array<string>(place - 1).fill(""), ...values];
  return [
    joined(["PAT", ...at(7, "REPORT", "ZERO")]),
    joined(["DSP", ...at(5, created_date.replaceAll("-", ""))]),
    ...["PRE", "CDI", "AIR"].map((id) => joined([id])),
  ];
}

const segment = <Row>(id: string, fields: readonly Field<Row>[], row: Row): string => joined(filled(id, fields, row));

function filled<Row>(id: string, fields: readonly Field<Row>[], row: Row, options?: { keepEmpty: true }): string[] {
  const values = fields.map((field) => content(field, row));
  if (options === undefined) while (values.at(-1) === "") values.pop();
  return [id, ...values];
}

const gaps = <Row>(fields: readonly Field<Row>[], row: Row): string[] =>
  fields.filter((field) => field.required && content(field, row) === "").map(({ id }) => id);

const content = <Row>({ value, most }: Field<Row>, row: Row): string => clean(String(value(row) ?? ""), most);

const joined = (parts: readonly string[]) => parts.join(SEPARATOR);

/** Plain ASCII without separators or terminators, cut to the field's length. */
const clean = (text: string, most: number): string =>
  asciiText(text.replaceAll(/[*~]/g, " ")).replaceAll(/[*~]/g, " ").slice(0, most).trim();
