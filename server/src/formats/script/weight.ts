import type { IncomingPatient } from "../../domain/intake/incoming-message.ts";
import { bodyWeight, weightCodes } from "../../domain/patients/body-weight.ts";
import { calendarDate } from "./dates.ts";
import { measurement as paths } from "./paths.ts";
import type { Reading } from "./reading.ts";
import { children, type XmlElement } from "./xml.ts";

/** The newest body weight among the observations. An impossible one is a warning, and a pharmacist looks at it. */
export function readWeight(reading: Reading, transaction: XmlElement): Pick<IncomingPatient, "weight_kg"> {
  const weights = children(transaction, "Observation")
    .flatMap((observation) => children(observation, "Measurement"))
    .filter((element) => weightCodes.includes(reading.text(element, paths.code, "patient.weight_kg.code") ?? ""));
  const [newest] = weights
    .map((element) => ({
      element,
      date: calendarDate(reading.text(element, paths.date, "patient.weight_kg.date") ?? ""),
    }))
    .sort((a, b) => ((a.date ?? "") < (b.date ?? "") ? 1 : -1));
  if (newest === undefined) return {};
  const value = reading.text(newest.element, paths.value, "patient.weight_kg") ?? "";
  const unit = reading.text(newest.element, paths.unit, "patient.weight_kg.unit") ?? "";
  const weight_kg = /^\d{1,6}(\.\d{1,6})?$/.test(value) ? bodyWeight(Number(value), unit) : null;
  if (weight_kg !== null) return { weight_kg };
  reading.warn("weight_unreadable", newest.element);
  return {};
}
