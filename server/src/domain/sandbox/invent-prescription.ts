import type { DrugSchedule } from "@pestle/contract";
import type { IncomingMessage, IncomingPatient, IncomingPrescription } from "../intake/incoming-message.ts";
import type { PatientRecord } from "../patients/patient-record.ts";
import { readSig } from "../safety/texts/sig.ts";
import type { ZipTable } from "../values/address/zip.ts";
import { dateIn } from "../values/calendar.ts";
import { chooseProduct, type Offered } from "./choose-product.ts";
import { inventPatient } from "./invent-patient.ts";
import { inventedPrescriber } from "./invented-cast.ts";
import type { SimulatedPrescription } from "./simulated-prescription.ts";

/** The data to choose from. */
export type InventedWorld = {
  products: readonly Offered[];
  /** The shipping method of Automatic Processing. */
  default_method_id: number | null;
  zips: ZipTable;
};

/**
 * Completes a simulation except for its dates, which depend on the time of receipt. Deterministic: the same number and
 * data always give the same result.
 */
export function inventPrescription(
  number: number,
  simulated: SimulatedPrescription,
  world: InventedWorld,
  known: PatientRecord | null = null,
  days = 0,
) {
  const invented = inventPatient(number, simulated.patient, world.zips, known, days);
  const product = chooseProduct(number, simulated, world, invented.address?.state ?? null);
  const free = known === null && simulated.patient.gender === undefined;
  const patient =
    free && FOR_MEN.test(product?.name ?? simulated.drug_name ?? "") ? { ...invented, gender: "M" as const } : invented;
  const prescriber = inventedPrescriber(number);
  const drug_name = simulated.drug_name ?? product?.name ?? UNLISTED;
  const form = forms.find(({ word }) => word.test(product?.name ?? drug_name)) ?? OTHER_FORM;
  const drug_schedule: DrugSchedule = simulated.drug_schedule ?? product?.drug_schedule ?? "0";
  const written_qty = simulated.written_qty ?? product?.usual_quantity ?? USUAL_QUANTITY;
  const days_supply = said(simulated.days_supply, daysOf(written_qty, simulated.sig_text));
  return {
    ...simulated,
    patient,
    prescriber_name: simulated.prescriber_name ?? `${prescriber.first_name} ${prescriber.last_name}`,
    prescriber_phone: said(simulated.prescriber_phone, prescriber.phone),
    prescriber_fax: said(simulated.prescriber_fax, prescriber.fax),
    drug_name,
    ndc: said(simulated.ndc, product?.ndc ?? null),
    sig_text: simulated.sig_text ?? directions(form, written_qty, days_supply),
    written_qty,
    unit: form.unit,
    days_supply,
    refills_left: simulated.refills_left ?? USUAL_REFILLS[drug_schedule],
    drug_schedule,
    daw: simulated.daw ?? false,
  };
}

/** The same as a message from a prescriber's system, signed by an authorized prescriber. */
export function inventedMessage(
  number: number,
  whole: ReturnType<typeof inventPrescription>,
  given: { sender: string; message_id: string; meant_patient_id: string | null; time_zone: string; now: Date },
): IncomingMessage {
  const { npi, dea, practice } = inventedPrescriber(number);
  const { receive_date, expire_date, effective_date, gcn } = whole;
  const received = dateIn(given.time_zone, receive_date ?? given.now);
  // Written on receipt, or before the date it names, because a fill cannot precede the written date.
  const days = [received, effective_date, expire_date && dateIn(given.time_zone, expire_date)];
  const written_date = whole.written_date ?? days.filter((day) => day !== undefined).sort()[0]!;
  const prescription: IncomingPrescription = {
    patient: patientOf(whole.patient, given.meant_patient_id),
    prescriber: {
      last_name: whole.prescriber_name,
      first_name: null,
      practice,
      npi,
      dea,
      state_license: null,
      phone: whole.prescriber_phone,
      fax: whole.prescriber_fax,
      address: null,
    },
    drug: {
      description: whole.drug_name,
      codes: [
        ...(whole.ndc === null ? [] : [{ system: "ndc" as const, code: whole.ndc }]),
        ...(gcn == null ? [] : [{ system: "gcn" as const, code: gcn }]),
      ],
      strength: null,
      schedule: whole.drug_schedule,
    },
    quantity: { value: whole.written_qty, unit: whole.unit },
    days_supply: whole.days_supply,
    refills: whole.refills_left,
    daw: whole.daw,
    sig_text: whole.sig_text,
    note: null,
    diagnoses: [],
    allergies: allergiesOf(whole.patient.allergies),
    written_date,
    effective_date: effective_date ?? null,
    expiration_date: null,
    signature_evidence: true,
    prior_authorization: null,
    fill_indicator: null,
    order_group: null,
    exactly: {
      ...(receive_date && { received_at: receive_date }),
      ...(expire_date && { expires_at: expire_date }),
      ...(gcn !== undefined && { gcn }),
    },
  };
  const { sender: from, message_id } = given;
  return { envelope: { ...NO_ENVELOPE, from, message_id }, content: { kind: "new", prescription }, warnings: [] };
}

function patientOf(
  { patient_id, allergies: _, address, ...rest }: ReturnType<typeof inventPatient>,
  meant_patient_id: string | null,
): IncomingPatient {
  return {
    ids: [{ kind: "medical_record", value: patient_id }],
    ...(meant_patient_id !== null && { meant_patient_id }),
    middle_name: null,
    suffix: null,
    ...rest,
    address: address && { ...address, country: "US" },
    medications: [],
    health_conditions: [],
  };
}

function allergiesOf(allergies: string[] | null): IncomingPrescription["allergies"] {
  if (allergies === null) return "unknown";
  return allergies.length === 0
    ? "none"
    : allergies.map((text) => ({ text, codes: [], reaction: null, severity: null }));
}

/** Keeps an explicit `null`. Invents only omitted fields. */
const said = <Value>(value: Value | undefined, invented: Value): Value => (value === undefined ? invented : value);

const NO_ENVELOPE: IncomingMessage["envelope"] = {
  format: "simulation",
  version: null,
  from: null,
  from_qualifier: null,
  to: null,
  to_qualifier: null,
  message_id: null,
  relates_to_message_id: null,
  sent_time: null,
  prescriber_order_number: null,
  test_message: false,
  return_receipt: false,
};

/** As long as the units last by the given directions, else one unit a day. */
function daysOf(units: number, sig_text: string | undefined): number {
  const sig = readSig(sig_text ?? "");
  const per_day = sig.parsed ? sig.amount_per_day.max : 0;
  if (per_day > 0) return Math.max(1, Math.min(Math.round(units / per_day), YEAR_DAYS));
  return units < ONE_A_DAY_FROM ? MONTH_DAYS : Math.min(Math.round(units), YEAR_DAYS);
}

/** Directions that fit the quantity and the days, because the safety check compares the three. */
function directions({ unit, sig_text }: Form, units: number, days: number | null): string {
  const often = days === null ? 1 : units / days;
  const counted = unit === "tablet" || unit === "capsule";
  if (!counted || (often >= 0.8 && often <= 1.25)) return sig_text;
  const start = sig_text.slice(0, -ONCE.length);
  if (often < 1) return `${start}once a day as needed.`;
  const fitting = OFTEN.find(([count]) => often >= count * 0.9 && often <= count * 1.1);
  return fitting === undefined ? "Use as directed." : `${start}${fitting[1]}`;
}

type Form = (typeof forms)[number] | typeof OTHER_FORM;
const ONCE = "once a day.";
const OFTEN: readonly (readonly [number, string])[] = [
  [2, "twice a day."],
  [3, "three times a day."],
  [4, "four times a day."],
];

/** The safety checks hold these for a woman who can become pregnant. */
const FOR_MEN = /finasteride|dutasteride|testosterone/i;
const UNLISTED = "Unlisted medication";
const USUAL_QUANTITY = 30;
const MONTH_DAYS = 30;
const YEAR_DAYS = 365;
/** Fewer units than this cannot be one tablet a day: for example a pen or a tube. */
const ONE_A_DAY_FROM = 10;
/** The legal maximum, or a usual number. */
const USUAL_REFILLS: Record<DrugSchedule, number> = { "0": 3, "2": 0, "3": 2, "4": 2, "5": 2 };

/** Unit and directions, by a word in the drug's name. */
const forms = [
  { word: /\btablet/i, unit: "tablet", sig_text: "Take 1 tablet by mouth once a day." },
  { word: /\bcapsule/i, unit: "capsule", sig_text: "Take 1 capsule by mouth once a day." },
  { word: /\b(cream|ointment|gel)\b/i, unit: "gram", sig_text: "Apply a thin layer to the skin once a day." },
  { word: /\b(pen|vial|injection)\b/i, unit: "milliliter", sig_text: "Inject under the skin once a week." },
];
const OTHER_FORM = { unit: null, sig_text: "Use as directed once a day." };
