import type { Content, IncomingPrescription } from "../../server/src/domain/intake/incoming-message.ts";
import { writeScript } from "../../server/src/formats/script/write.ts";
import { envelope, prescription as sample } from "../../server/test/support/samples/script-samples.ts";
import { type BookPatient, type BookRx, count, dayOf, plusDays } from "./year-book.ts";
import { type Drug, productOf, streets } from "./year-cast.ts";
import { between, chance, nowOf, pick, simulate, type Year } from "./year-world.ts";

let next_message = 0;
let next_patient = 0;

/** A new patient, whom no other patient of any account resembles. */
export function newPatient(year: Year, drug: Drug): BookPatient {
  const number = next_patient++;
  const ends = chance(year, 0.9) ? "delivered" : pick(year, ["lost", "returned"] as const);
  return {
    patient_id: `year-${number}`,
    number,
    gender: drug.only_men === true || chance(year, 0.5) ? "M" : "F",
    dob: `${between(year, 1955, 1985)}-0${between(year, 1, 9)}-${between(year, 10, 28)}`,
    street1: streets[ends],
  };
}

/** The prescriber writes a new prescription. */
export const prescribe = (year: Year, patient: BookPatient, drug: Drug): Promise<BookRx> =>
  send(year, patient, drug, (prescription) => ({ kind: "new", prescription }), null);

type Renew = (year: Year, rx: BookRx) => Promise<BookRx>;

const answer =
  (response: "approved" | "replace"): Renew =>
  async (year, rx) => {
    const { patient, drug, message_id } = rx;
    const content = (prescription: IncomingPrescription): Content => ({
      kind: "renewal",
      response,
      reason_codes: [],
      note: null,
      prescription,
    });
    const renewed = await send(year, patient, drug, content, message_id);
    if (response === "replace") rx.ended_at = nowOf(year);
    return renewed;
  };

/** The ways in which a patient gets a new prescription for the same drug. A request for a renewal is one more row. */
const renewals: Record<string, Renew> = {
  "renewed by a response": answer("approved"),
  "replaced by a response": answer("replace"),
  "renewed by a new prescription": (year, { patient, drug }) => prescribe(year, patient, drug),
};

export async function renew(year: Year, rx: BookRx): Promise<BookRx> {
  const way = pick(year, Object.keys(renewals));
  const renewed = await renewals[way]!(year, rx);
  count(year.book, `prescription ${way}`);
  return renewed;
}

/** The prescriber cancels a prescription. It stays as it is if all of it was dispensed. */
export async function cancelRx(year: Year, rx: BookRx): Promise<void> {
  const target = { patient: null, prescriber_npi: null, drug_description: null, drug_codes: [], written_date: null };
  await simulate(year, "prescription", {
    script: scriptOf({ kind: "cancel", discontinue: true, target }, `YEAR-${next_message++}`, rx.message_id),
  });
  const { body } = await year.ask<{ medication_request: { id: number; active: boolean }[] }>(
    `/patients/${rx.patient.patient_id}/rx`,
  );
  if (body.medication_request.some(({ id, active }) => id === rx.prescription_id && active)) return;
  rx.ended_at = nowOf(year);
  count(year.book, "prescription canceled by the prescriber");
}

const scriptOf = (content: Content, message_id: string, relates_to_message_id: string | null): string =>
  writeScript(
    { ...envelope("2017071"), message_id, relates_to_message_id, prescriber_order_number: null },
    content,
    "2017071",
  );

async function send(
  year: Year,
  patient: BookPatient,
  drug: Drug,
  content: (prescription: IncomingPrescription) => Content,
  answers: string | null,
): Promise<BookRx> {
  const message_id = `YEAR-${next_message++}`;
  // Some were written long ago, and expire before their refills are used up. The first is sure to, and the third has none.
  const nth = year.book.prescriptions.size;
  const earlier = nth === 0 || chance(year, 0.3);
  const oldest = productOf(drug.sku).drug_schedule === "0" ? 300 : 120;
  const days_old = earlier ? between(year, nth === 0 ? oldest : 1, oldest) : 0;
  const refills = nth === 2 ? 0 : between(year, nth === 0 ? drug.most_refills : 0, drug.most_refills);
  if (earlier) count(year.book, "prescriptions written earlier");
  const written_on = plusDays(dayOf(nowOf(year)), -days_old);
  const script = scriptOf(content(written(patient, drug, refills, written_on)), message_id, answers);
  const { status, text, body } = await simulate<{ patient_id: string; prescription_id: number }>(year, "prescription", {
    script,
  });
  if (status !== 202) throw new Error(`a prescription got ${status}: ${text}`);
  const { prescription_id } = body;
  if (productOf(drug.sku).drug_schedule !== "0" && answers === null) await identify(year, patient);
  const renews = answers !== null;
  const rx: BookRx = { prescription_id, message_id, patient, drug, refills, written_on, renews, ended_at: null };
  year.book.prescriptions.set(prescription_id, rx);
  return rx;
}

/** A controlled drug ships only to a patient whose identity is on file. */
const identify = (year: Year, { patient_id, number }: BookPatient) =>
  year.ask(`/patients/${patient_id}/identity_documents`, {
    type: "DL",
    issuing_country: "US",
    issuing_state: "CA",
    number: `D${number}`,
    expiration_date: "2199-01-01",
  });

/** As the prescriber's system writes it. The patient is certain by the id, the name, the birth date and the telephone. */
function written(patient: BookPatient, drug: Drug, refills: number, written_date: string): IncomingPrescription {
  const { name, ndc, drug_schedule } = productOf(drug.sku);
  const { number, gender, dob, street1, patient_id } = patient;
  return {
    ...sample,
    patient: {
      ...sample.patient,
      ids: [{ kind: "medical_record", value: patient_id }],
      first_name: "Wren",
      last_name: `Quill ${number}`,
      dob,
      gender,
      phone: `916${3_000_000 + number}`,
      email: `quill${number}@campaign.example`,
      address: { street1, street2: null, city: "San Francisco", state: "CA", zip: "94110", country: "US" },
    },
    drug: { description: name, codes: [{ system: "ndc", code: ndc! }], strength: null, schedule: drug_schedule },
    quantity: { value: drug.written_qty, unit: drug.unit },
    days_supply: drug.days_supply,
    refills,
    sig_text: drug.sig_text,
    note: null,
    diagnoses: [],
    allergies: "none",
    written_date,
    effective_date: null,
    expiration_date: null,
    order_group: null,
  };
}
