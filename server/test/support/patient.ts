import { randomUUID } from "node:crypto";
import type { Patient } from "@pestle/contract";
import type {
  IncomingMessage,
  IncomingPatient,
  IncomingPrescription,
} from "../../src/domain/intake/incoming-message.ts";
import type { IntakeFormat } from "../../src/domain/intake/intake-format.ts";
import { accountNow } from "../../src/domain/values/account-clock.ts";
import { dateIn } from "../../src/domain/values/calendar.ts";
import { operatorAccount } from "../../src/usecases/accounts/create-partner.ts";
import { requireAccount } from "../../src/usecases/accounts/require-account.ts";
import { receivePrescription } from "../../src/usecases/intake/receive-prescription.ts";
import { expectConventions } from "./conventions.ts";
import type { TestApp } from "./test-app.ts";

/** Unique words, so that a search for them finds only this person. */
export const person: IncomingPatient = {
  ids: [],
  first_name: "Zephyrine",
  last_name: "Quillfeather",
  middle_name: null,
  suffix: null,
  dob: "1957-03-08",
  gender: "F",
  address: {
    street1: "4417 Thistledown Ave",
    street2: null,
    city: "San Francisco",
    state: "CA",
    zip: "94110",
    country: "US",
  },
  phone: "4155550134",
  email: "zephyrine@quillfeather.example",
  medications: [],
  health_conditions: [],
};

const prescription: IncomingPrescription = {
  patient: person,
  prescriber: {
    last_name: "Lindqvist",
    first_name: "Ada",
    practice: null,
    npi: "1234567893",
    dea: null,
    state_license: null,
    phone: "4155550177",
    fax: null,
    address: null,
  },
  drug: {
    description: "Atorvastatin 20 mg tablet",
    codes: [{ system: "ndc", code: "70999010130" }],
    strength: null,
    schedule: "0",
  },
  quantity: { value: 90, unit: "tablet" },
  days_supply: 90,
  refills: 3,
  daw: false,
  sig_text: "Take one tablet by mouth daily.",
  note: null,
  diagnoses: [],
  allergies: [{ text: "tartrazine", codes: [], reaction: null, severity: null }],
  written_date: null,
  effective_date: null,
  expiration_date: null,
  signature_evidence: false,
  prior_authorization: null,
  fill_indicator: null,
  order_group: null,
};

/** A format for tests: the message itself, as JSON. */
const plainFormat: IntakeFormat = {
  format: "script",
  read: (body) => ({ ok: true, message: JSON.parse(Buffer.from(body).toString()) as IncomingMessage }),
  reply: ({ kind }) => kind,
};

/** Adds a patient to an account as production does, by a prescription. A known patient gets another prescription. */
export async function addPatient(
  app: TestApp,
  given: {
    partner?: number;
    patient?: Partial<IncomingPatient>;
    prescription?: Partial<IncomingPrescription>;
  } = {},
): Promise<{ patient_id: string; prescription_id: number }> {
  const { ncpdp_id, environment, account_id: for_account_id } = app.demo.partners[given.partner ?? 0]!;
  const { deps } = app;
  const { clock_offset_s } = await requireAccount(deps.db, for_account_id);
  // Written on the day it arrives, by the account's clock. A controlled prescription without a date is doubtful.
  const written_date = dateIn(app.config.TIME_ZONE, accountNow(deps.now(), clock_offset_s));
  const account_id = await deps.db.transaction((tx) => operatorAccount(tx, environment, deps.now()));
  const message: IncomingMessage = {
    envelope: {
      format: "script",
      version: null,
      from: "TESTCLINIC",
      from_qualifier: null,
      to: ncpdp_id,
      to_qualifier: null,
      message_id: randomUUID(),
      relates_to_message_id: null,
      sent_time: null,
      prescriber_order_number: null,
      test_message: false,
      return_receipt: false,
    },
    content: {
      kind: "new",
      prescription: { ...prescription, written_date, ...given.prescription, patient: { ...person, ...given.patient } },
    },
    warnings: [],
  };
  const caller = { account_id, credential_id: "testclinic" };
  const received = await receivePrescription(deps, plainFormat, caller, Buffer.from(JSON.stringify(message)));
  if (received.patient_id === null || received.prescription_id === null) throw new Error(received.answer);
  return { patient_id: received.patient_id, prescription_id: received.prescription_id };
}

let number = 0;
/** A new, unknown person. */
export function stranger() {
  number++;
  const letters = [...String(number)].map((digit) => "abcdefghij"[Number(digit)]).join("");
  return {
    last_name: `Quillfeather ${letters}`,
    phone: `415555${1000 + number}`,
    email: `zephyrine.${number}@quillfeather.example`,
  };
}

export type AskOptions = { method?: string; partner?: number; headers?: Record<string, string> };

/** A request with or without a JSON body, whose answer follows the conventions. */
export async function ask(app: TestApp, path: string, body?: unknown, options: AskOptions = {}) {
  const { method = body === undefined ? "GET" : "POST", partner = 0, headers = {} } = options;
  const response = await app.call(path, {
    method,
    partner,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
  });
  return { status: response.status, text: await expectConventions(response, "partner"), headers: response.headers };
}

/** Partner operations on one patient. */
export function patientCalls(app: TestApp, patient_id: string) {
  const path = `/patients/${patient_id}`;
  return {
    read: async (): Promise<Patient> => JSON.parse((await ask(app, path)).text),
    patch: (body: unknown) => ask(app, path, body, { method: "PATCH" }),
    addAddress: (body: unknown, options?: AskOptions) => ask(app, `${path}/shipping_address`, body, options),
    removeAddress: (address_id: unknown) =>
      ask(app, `${path}/shipping_address/${address_id}`, undefined, { method: "DELETE" }),
    removeEntry: (entry_id: unknown, body: unknown = { reason: "Not true." }) =>
      ask(app, `${path}/patient_safety/${entry_id}`, body, { method: "DELETE" }),
    addDocument: (body: unknown, options?: AskOptions) => ask(app, `${path}/identity_documents`, body, options),
  };
}

/** An address without warnings. */
export const goodAddress = {
  first_name: "Ambrose",
  last_name: "Quillfeather",
  street1: "2210 Mission St",
  street2: "Apt 5",
  city: "San Francisco",
  state: "CA",
  zip: "94110",
};
export const goodDocument = {
  type: "DL",
  issuing_country: "US",
  issuing_state: "CA",
  number: "D7712-4821",
  expiration_date: "2099-03-31",
};
