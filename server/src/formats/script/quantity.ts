import type { IncomingQuantity } from "../../domain/intake/incoming-message.ts";
import { quantityUnit } from "../../domain/values/quantity-units.ts";
import { medication as paths } from "./paths.ts";
import type { Reading } from "./reading.ts";
import type { XmlElement } from "./xml.ts";

/** Null without a number. Keeps zero, with a warning, for staff to review. */
export function readQuantity(reading: Reading, medication: XmlElement): IncomingQuantity | null {
  const hit = reading.hit(medication, paths.quantity, "quantity.value");
  if (hit === null || !DECIMAL.test(hit.text)) return null;
  const sent = Number(hit.text);
  const value = Math.round(sent * 1000) / 1000;
  if (value !== sent) reading.warn("quantity_rounded", hit.element);
  if (value === 0) reading.warn("quantity_zero", hit.element);
  return { value, unit: readUnit(reading, medication) };
}

/** Refills after the first fill; null if the message does not say. */
export function readRefills(reading: Reading, medication: XmlElement, whole: boolean): number | "prn" | null {
  const qualifier = reading.hit(medication, paths.refills_qualifier, "refills.qualifier");
  const hit = reading.hit(medication, paths.refills, "refills");
  const prn = [qualifier, hit].find((said) => said?.text.toUpperCase() === "PRN");
  if (prn !== undefined && prn !== null) {
    reading.warn("refills_prn", prn.element);
    return "prn";
  }
  if (hit === null) {
    if (whole) reading.warn("refills_missing", medication);
    return null;
  }
  const refills = wholeNumber(hit.text, 99);
  if (refills === null) reading.warn("refills_unreadable", hit.element);
  return refills;
}

/** A whole number up to the limit, also if written with zero decimals. */
export function wholeNumber(text: string, limit: number): number | null {
  if (!/^\d{1,9}(\.0{1,9})?$/.test(text)) return null;
  const number = Number(text);
  return number <= limit ? number : null;
}

/** The standard allows eleven digits for a quantity. */
const DECIMAL = /^(\d{1,11}(\.\d{0,12})?|\.\d{1,12})$/;

function readUnit(reading: Reading, medication: XmlElement): string | null {
  const hit = reading.hit(medication, paths.quantity_unit, "quantity.unit");
  if (hit === null) return null;
  const unit = quantityUnit(hit.text);
  if (unit === null) reading.warn("quantity_unit_unknown", hit.element);
  return unit;
}
