import type { IncomingPrescription, IncomingQuantity } from "../../domain/intake/incoming-message.ts";
import { type QuantityUnit, quantityUnit } from "../../domain/values/quantity-units.ts";
import { type Element, isPresent, number, one, text } from "./elements.ts";
import type { Reading } from "./reading.ts";

/** Quantity, days' supply and refills from a request's `dispenseRequest`. */

const MOST_UNITS = 9_999_999;

/** Null without an exact quantity: "at least 30" is not one. */
export function quantity(dispense: Element, reading: Reading): IncomingQuantity | null {
  const written = one(dispense.quantity);
  const sent = number(written.value);
  if (sent === null || sent < 0 || sent > MOST_UNITS || isPresent(written.comparator)) return null;
  const value = Math.round(sent * 1000) / 1000;
  const path = "MedicationRequest.dispenseRequest.quantity";
  if (value !== sent) reading.warn("quantity_rounded", path);
  if (value === 0) reading.warn("quantity_zero", path);
  const unit = unitOf(written);
  const named = isPresent(written.code) || isPresent(written.unit);
  if (unit === null && named) reading.warn("quantity_unit_unknown", path);
  return { value, unit };
}

/** HL7 orderable drug forms. Omits forms that are not counted (solutions, creams). */
export const orderableForms: Partial<Record<QuantityUnit, string>> = {
  tablet: "TAB ORTAB BUCTAB SRBUCTAB CHEWTAB CPTAB DISINTAB DRTAB ECTAB ERECTAB ERTAB ERTAB12 ERTAB24 SLTAB VAGTAB",
  caplet: "CAPLET",
  capsule: "CAP ORCAP ENTCAP ERENTCAP ERCAP ERCAP12 ERCAP24",
  lozenge: "ORTROCHE",
  gum: "GUM",
  pad: "PAD MEDPAD",
  patch: "PATCH TPATCH TPATH16 TPATH24 TPATH2WK TPATH72 TPATHWK",
  suppository: "SUPP RECSUPP URETHSUPP VAGSUPP",
  swab: "SWAB MEDSWAB",
};

const unitByForm = new Map(
  Object.entries(orderableForms).flatMap(([unit, forms]) =>
    forms.split(" ").map((form) => [form, unit as QuantityUnit] as const),
  ),
);

/** UCUM codes for a plain count. */
const COUNTS = ["1", "{#}", "#"];

function unitOf(written: Element): QuantityUnit | null {
  const code = text(written.code);
  const name = text(written.unit);
  return (
    known(code) ??
    known(name) ??
    (code !== null && COUNTS.includes(code) ? "each" : null) ??
    (code === null && name !== null && COUNTS.includes(name) ? "each" : null)
  );
}

/** UCUM annotations are in braces or brackets: `{tablet}`, `[tablet]`, `{Tablet(s)}`. */
function known(unit: string | null): QuantityUnit | null {
  if (unit === null) return null;
  const bare = unit
    .slice(0, 60)
    .replace(/^[{[]|[}\]]$/g, "")
    .replace(/\(s\)$/i, "");
  return unitByForm.get(bare.toUpperCase()) ?? quantityUnit(bare);
}

const DAYS: ReadonlyMap<string, number> = new Map([
  ["d", 1],
  ["day", 1],
  ["days", 1],
  ["wk", 7],
  ["week", 7],
  ["weeks", 7],
]);

/** Null for months and years, whose length varies, and for durations without a unit. */
export function daysSupply(dispense: Element, reading: Reading): number | null {
  if (!isPresent(dispense.expectedSupplyDuration)) return null;
  const duration = one(dispense.expectedSupplyDuration);
  const unit = [duration.code, duration.unit].map((name) => DAYS.get(text(name)?.toLowerCase() ?? ""));
  const days = (number(duration.value) ?? Number.NaN) * (unit[0] ?? unit[1] ?? Number.NaN);
  if (Number.isInteger(days) && days > 0 && days <= 999 && !isPresent(duration.comparator)) return days;
  reading.warn("days_supply_unreadable", "MedicationRequest.dispenseRequest.expectedSupplyDuration");
  return null;
}

/** Like SCRIPT, FHIR counts refills after the first fill. It cannot express "as needed". */
export function refills(dispense: Element, reading: Reading): IncomingPrescription["refills"] {
  const path = "MedicationRequest.dispenseRequest.numberOfRepeatsAllowed";
  const allowed = number(dispense.numberOfRepeatsAllowed);
  if (allowed !== null && Number.isInteger(allowed) && allowed >= 0 && allowed <= 99) return allowed;
  reading.warn(isPresent(dispense.numberOfRepeatsAllowed) ? "refills_unreadable" : "refills_missing", path);
  return null;
}
