import type { AnsweredPrescription, DrugCode, IncomingDrug } from "../../domain/intake/incoming-message.ts";
import { deaSchedules, quantityUnits } from "../../domain/values/quantity-units.ts";
import { element, type Markup } from "./markup.ts";
import type { Shape } from "./shape.ts";

/** The content of MedicationPrescribed, in schema order of the version. */
export function writeMedication(prescription: AnsweredPrescription, shape: Shape): (Markup | null)[] {
  const { days_supply, daw, sig_text, note } = prescription;
  const sig = shape.flat ? element("Directions", sig_text) : element("Sig", [element("SigText", sig_text)]);
  const substitutions = writeSubstitutions(daw, shape);
  const days = element("DaysSupply", days_supply?.toString() ?? null);
  const written = date("WrittenDate", prescription.written_date);
  const refills = writeRefills(prescription.refills, shape);
  const closing = [
    ...prescription.diagnoses.map((diagnosis) => writeDiagnosis(diagnosis, shape)),
    writePriorAuthorization(prescription.prior_authorization, shape),
  ];
  const fill = element("RxFillIndicator", prescription.fill_indicator);
  return [
    ...writeDrug(prescription.drug, shape),
    writeQuantity(prescription.quantity, shape),
    days,
    ...(shape.flat
      ? [sig, element("Note", note), refills, substitutions, written, ...writeDates(prescription, shape), ...closing]
      : [written, substitutions, refills, ...closing, element("Note", note), sig]),
    fill,
    ...(shape.flat ? [] : writeDates(prescription, shape)),
  ];
}

/** 2023011 has the element twice, one in the other. */
export function writeSubstitutions(daw: boolean, shape: Shape): Markup | null {
  const substitutions = element("Substitutions", daw ? "1" : "0");
  return shape.product === null ? substitutions : element("Substitutions", [substitutions]);
}

const PRODUCT_CODES = { ndc: "ND", upc: "UP", other: "UN" } as const;
const DATABASE_CODES = { rxnorm: "SCD", gcn: "FG", snomed: "SCT" } as const;
const isDatabaseCode = (code: DrugCode): code is DrugCode & { system: keyof typeof DATABASE_CODES } =>
  code.system in DATABASE_CODES;

type Drug = Omit<IncomingDrug, "description"> & { description: string | null };

/** Writes codes in pairs of product code and database code. The standard allows one pair. */
export function writeDrug(drug: Drug, shape: Shape): (Markup | null)[] {
  const products = drug.codes.filter((code) => !isDatabaseCode(code));
  const databases = drug.codes.filter(isDatabaseCode);
  const pairs = Math.max(products.length, databases.length, 1);
  const coded = Array.from({ length: pairs }, (_, index) =>
    element("DrugCoded", [
      ...writeProductCode(products[index], shape),
      ...(index === 0 ? [writeStrength(drug.strength, shape)] : []),
      ...writeDatabaseCode(databases[index], shape),
      ...(index === 0 ? [writeSchedule(drug.schedule, shape)] : []),
    ]),
  );
  const description = element("DrugDescription", drug.description);
  return shape.product === null ? [description, ...coded] : [element(shape.product, [description, ...coded])];
}

function writeProductCode(code: DrugCode | undefined, shape: Shape): (Markup | null)[] {
  if (code === undefined) return [];
  if (shape.product !== null && code.system === "ndc") return [element("NDC", code.code)];
  return writeCode("ProductCode", code.code, PRODUCT_CODES[code.system as keyof typeof PRODUCT_CODES], shape);
}

function writeDatabaseCode(code: DrugCode | undefined, shape: Shape): (Markup | null)[] {
  if (code === undefined) return [];
  return writeCode("DrugDBCode", code.code, DATABASE_CODES[code.system as keyof typeof DATABASE_CODES], shape);
}

function writeCode(name: string, code: string, qualifier: string, shape: Shape): (Markup | null)[] {
  if (shape.flat) return [element(name, code), element(`${name}Qualifier`, qualifier)];
  return [element(name, [element("Code", code), element("Qualifier", qualifier)])];
}

function writeStrength(strength: string | null, shape: Shape): Markup | null {
  return element("Strength", shape.flat ? strength : [element("StrengthValue", strength)]);
}

function writeSchedule(schedule: IncomingDrug["schedule"], shape: Shape): Markup | null {
  const code = Object.entries(deaSchedules).find(([, known]) => known === schedule)?.[0] ?? null;
  return element("DEASchedule", shape.flat ? code : [element("Code", code)]);
}

/** What a quantity counts: 38 is the prescribed one, 87 the dispensed one. */
export type QuantityQualifier = "38" | "87";

export function writeQuantity(
  quantity: AnsweredPrescription["quantity"],
  shape: Shape,
  qualifier: QuantityQualifier = "38",
): Markup | null {
  if (quantity === null) return null;
  const unit = Object.entries(quantityUnits).find(([, known]) => known === quantity.unit)?.[0] ?? null;
  return element("Quantity", [
    element("Value", quantity.value.toString()),
    element("CodeListQualifier", qualifier),
    ...(shape.flat
      ? [element("UnitSourceCode", unit === null ? null : "AC"), element("PotencyUnitCode", unit)]
      : [element("QuantityUnitOfMeasure", [element("Code", unit)])]),
  ]);
}

export function writeRefills(refills: AnsweredPrescription["refills"], shape: Shape): Markup | null {
  if (refills === null) return null;
  if (!shape.flat) return element("NumberOfRefills", refills === "prn" ? "PRN" : refills.toString());
  if (refills === "prn") return element("Refills", [element("Qualifier", "PRN")]);
  return element("Refills", [element("Qualifier", "R"), element("Value", refills.toString())]);
}

const DIAGNOSIS_QUALIFIERS = new Map([
  ["icd10cm", "ABF"],
  ["icd9cm", "DX"],
  ["snomed", "LD"],
]);

function writeDiagnosis(
  { code, system, description }: AnsweredPrescription["diagnoses"][number],
  shape: Shape,
): Markup | null {
  return element("Diagnosis", [
    element("ClinicalInformationQualifier", "1"),
    element("Primary", [
      element(shape.flat ? "Value" : "Code", code),
      element("Qualifier", DIAGNOSIS_QUALIFIERS.get(system ?? "") ?? system),
      element("Description", description),
    ]),
  ]);
}

function writePriorAuthorization(number: string | null, shape: Shape): Markup | null {
  return element("PriorAuthorization", shape.flat ? [element("Value", number)] : number);
}

function writeDates({ effective_date, expiration_date }: AnsweredPrescription, shape: Shape): (Markup | null)[] {
  return Object.entries({ EffectiveDate: effective_date, ExpirationDate: expiration_date }).map(([name, day]) => {
    if (day === null) return null;
    if (shape.flat) return date(name, day);
    return element("OtherMedicationDate", [
      date("OtherMedicationDate", day),
      element("OtherMedicationDateQualifier", name),
    ]);
  });
}

export function date(name: string, day: string | null): Markup | null {
  return element(name, [element("Date", day)]);
}
