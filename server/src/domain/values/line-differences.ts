import type { DrugSchedule, LineDifference } from "@pestle/contract";
import { dashedNdc } from "../fulfillment/documents.ts";

type Dispensed = { name: string; ndc: string | null; units: number; schedule: DrugSchedule };
type Prescribed = {
  drug_name: string;
  ndc: string | null;
  written_qty: number;
  drug_schedule: DrugSchedule;
  daw: boolean;
};

/** Differences between the dispensed and the prescribed item, for the pharmacist. */
export function lineDifferences(dispensed: Dispensed, prescribed: Prescribed): LineDifference[] {
  const { name, ndc, units, schedule } = dispensed;
  const other = prescribed.ndc !== null && ndc !== null && prescribed.ndc !== ndc;
  const rows: [LineDifference["field"], differs: boolean, prescribed: string, dispensed: string, notable: boolean][] = [
    ["product", words(name) !== words(prescribed.drug_name), prescribed.drug_name, name, other && prescribed.daw],
    // Another manufacturer's package of the same drug is normal, unless the prescriber forbids substitution.
    ["ndc", other, dashedNdc(prescribed.ndc ?? ""), dashedNdc(ndc ?? ""), prescribed.daw],
    ["units", units !== prescribed.written_qty, String(prescribed.written_qty), String(units), true],
    ["schedule", schedule !== prescribed.drug_schedule, prescribed.drug_schedule, schedule, true],
  ];
  return rows.flatMap(([field, differs, was, is, notable]) =>
    differs ? [{ field, prescribed: was, dispensed: is, notable }] : [],
  );
}

const words = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}.]+/gu, " ")
    .trim();
