import type { DrugCode, IncomingDrug } from "../../domain/intake/incoming-message.ts";
import { normaliseNdc } from "../../domain/values/identifiers.ts";
import { deaSchedule } from "../../domain/values/quantity-units.ts";
import { code as codePaths, medication as paths } from "./paths.ts";
import type { Reading } from "./reading.ts";
import { child, children, type XmlElement } from "./xml.ts";

/** Null if the medication has neither a description nor a code. */
export function readDrug(reading: Reading, medication: XmlElement): IncomingDrug | null {
  const codes = readDrugCodes(reading, medication);
  const description = readDescription(reading, medication, codes);
  if (description === null) return null;
  if (codes.length === 0) reading.warn("drug_code_missing", medication);
  if (child(medication, "CompoundInformation") !== null) reading.warn("compound", medication);
  return {
    description,
    codes,
    strength: readStrength(reading, medication),
    schedule: readSchedule(reading, medication),
  };
}

/** The code system by qualifier. The rest (HRI, UPN, Medi-Span …) is `other`. */
const SYSTEMS = new Map<string, DrugCode["system"]>([
  ["ND", "ndc"],
  ["NDC", "ndc"],
  ["UP", "upc"],
  ["UPC", "upc"],
  ["SCD", "rxnorm"],
  ["SBD", "rxnorm"],
  ["GPK", "rxnorm"],
  ["BPK", "rxnorm"],
  ["RXNORM", "rxnorm"],
  ["FG", "gcn"],
  ["GCN", "gcn"],
  ["SCT", "snomed"],
  ["SNOMED", "snomed"],
]);

export function codeSystem(qualifier: string): DrugCode["system"] {
  return SYSTEMS.get(qualifier.toUpperCase()) ?? "other";
}

/** Every code of the drug without duplicates: NDC first, then product codes, then drug database codes. */
export function readDrugCodes(reading: Reading, medication: XmlElement): DrugCode[] {
  const products = [medication, ...children(medication, "Product")];
  const holders = [...products, ...products.flatMap((product) => children(product, "DrugCoded"))];
  const elements = ["NDC", "ProductCode", "DrugDBCode"].flatMap((name) =>
    holders.flatMap((holder) => children(holder, name)),
  );
  if (elements.length > MOST_CODES) reading.warn("element_repeated", elements[MOST_CODES] as XmlElement);
  const codes = elements.slice(0, MOST_CODES).flatMap((element) => readCode(reading, element) ?? []);
  return codes.filter((code, at) => codes.findIndex((other) => isSame(code, other)) === at);
}

/** The standard allows two. More than this is noise. */
const MOST_CODES = 20;

const isSame = (one: DrugCode, other: DrugCode) => one.system === other.system && one.code === other.code;

function readCode(reading: Reading, element: XmlElement): DrugCode | null {
  const field = "drug.codes";
  const text = reading.text(element, codePaths.value, field) ?? reading.own(element, field);
  if (text === null) return null;
  // 10.6 puts the qualifier in a sibling element: <ProductCode>…</ProductCode><ProductCodeQualifier>ND.
  const beside = element.parent === null ? null : child(element.parent, `${element.name}Qualifier`);
  const qualifier =
    reading.text(element, codePaths.qualifier, `${field}.qualifier`) ??
    (beside === null ? null : reading.own(beside, `${field}.qualifier`)) ??
    implied(element.name, text);
  const system = codeSystem(qualifier);
  if (system !== "ndc") return { system, code: text };
  const meant = normaliseNdc(text).length;
  if (meant !== 1) reading.warn(meant === 0 ? "ndc_unreadable" : "ndc_ambiguous", element);
  return { system, code: /[-*]/.test(text) ? text : text.replaceAll(" ", "") };
}

/** A product code without a qualifier is an NDC if it looks like one. */
function implied(name: string, text: string): string {
  if (name === "NDC") return "ND";
  return name === "ProductCode" && normaliseNdc(text).length === 1 ? "ND" : "";
}

function readDescription(reading: Reading, medication: XmlElement, codes: DrugCode[]): string | null {
  const description = reading.text(medication, paths.description, "drug.description");
  const code = codes[0];
  if (description !== null || code === undefined) return description;
  reading.warn("drug_description_missing", medication);
  return `${code.system.toUpperCase()} ${code.code}`;
}

/** Strength units of nearly all products. An unlisted unit is dropped. */
const STRENGTH_UNITS = new Map([
  ["C28253", "mg"],
  ["C48152", "mcg"],
  ["C48155", "g"],
  ["C28254", "mL"],
  ["C44278", "unit"],
  ["C25613", "%"],
]);

function readStrength(reading: Reading, medication: XmlElement): string | null {
  const value = reading.text(medication, paths.strength, "drug.strength");
  if (value === null) return null;
  const unit = reading.text(medication, paths.strength_unit, "drug.strength.unit");
  const word = STRENGTH_UNITS.get(unit ?? "");
  return word === undefined ? value : `${value} ${word}`;
}

function readSchedule(reading: Reading, medication: XmlElement): IncomingDrug["schedule"] {
  const hit = reading.hit(medication, paths.schedule, "drug.schedule");
  if (hit === null) return null;
  const schedule = deaSchedule(hit.text);
  if (schedule === null) reading.warn("schedule_unknown", hit.element);
  if (schedule !== "1") return schedule;
  reading.warn("schedule_one", hit.element);
  return "2";
}
