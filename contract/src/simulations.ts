import { exceptionIds } from "./exceptions.ts";
import {
  CITY_MOST_CHARACTERS,
  drug_schedule,
  genders,
  order_number,
  order_status,
  PATIENT_ID_PATTERN,
  patient_id,
  STREET_MOST_CHARACTERS,
} from "./fields.ts";
import type { OrderStatus } from "./lifecycle.ts";
import { EMAIL_MOST_CHARACTERS, safetyList } from "./requests.ts";
import {
  array,
  boolean,
  closed,
  date,
  integer,
  named,
  nullable,
  number,
  object,
  oneOf,
  partial,
  type Schema,
  type Static,
  string,
  time,
  union,
} from "./schema.ts";
import { eventTypeNames } from "./webhooks.ts";

/*
 * `POST /simulate`: one request and one answer for each `simulation_type`. As with every request, these describe it to
 * those who write it, and the server does not validate with them.
 */

const simulation = <const T extends string, S>(simulation_type: T, fields: Schema<S>) =>
  closed({ simulation_type: oneOf([simulation_type]), simulation: fields });

/** Where an order can be taken: an order begins in Processing, and what holds it is an exception. */
export const simulatedStatuses = ["Filling", "Shipped", "Delivered", "Canceled"] as const satisfies OrderStatus[];

const street = nullable(string({ kind: "line_with_words", maxLength: STREET_MOST_CHARACTERS }));

export const SimulatedPatient = named(
  "SimulatedPatient",
  partial({
    patient_id: string({
      pattern: PATIENT_ID_PATTERN,
      description: "Somebody on file is meant; an id that nobody has becomes that of a new patient.",
    }),
    first_name: string({ kind: "person_name" }),
    last_name: string({ kind: "person_name" }),
    dob: date(),
    gender: nullable(oneOf(genders)),
    email: nullable(
      string({
        kind: "email",
        maxLength: EMAIL_MOST_CHARACTERS,
        description: "`null`: the prescription tells none, and an order is held (65).",
      }),
    ),
    phone: nullable(string({ kind: "phone" })),
    address: nullable(
      partial({
        street1: { ...street, description: "Magic beginnings are in the sandbox guide." } as typeof street,
        street2: street,
        city: nullable(string({ kind: "line_with_words", maxLength: CITY_MOST_CHARACTERS })),
        state: nullable(string({ kind: "state", description: "2-character state code." })),
        zip: nullable(string({ kind: "zip", description: "5 or 9 digits." })),
      }),
    ),
    allergies: nullable(safetyList),
  }),
);
export type SimulatedPatient = Static<typeof SimulatedPatient>;

/** Any field of a medication request but its number, and a `patient`; what is left out is invented. */
const SimulatedPrescription = named(
  "SimulatedPrescription",
  partial({
    active: boolean("`false`: its prescriber takes it back at once."),
    patient_id: string("The same as `patient.patient_id`."),
    prescriber_name: string(),
    prescriber_phone: nullable(string()),
    prescriber_fax: nullable(string()),
    receive_date: time("A date is taken too: the beginning of that day."),
    expire_date: time("A date is taken too: the beginning of that day."),
    written_date: date("A time is taken too: the day it is on."),
    effective_date: date("A time is taken too: the day it is on."),
    drug_name: string("A product's name or words of it, where no `ndc` or `gcn` is given."),
    ndc: nullable(string()),
    gcn: nullable(string()),
    sig_text: string(),
    written_qty: number(),
    days_supply: nullable(integer()),
    refills_left: integer("The refills; the law's limits for controlled substances hold."),
    drug_schedule,
    daw: boolean(),
    order_errors: array(object({}), { maxItems: 0 }),
    medication_dispenses: array(object({}), { maxItems: 0 }),
    patient: SimulatedPatient,
  }),
);

export const simulations = {
  prescription: named(
    "SimulatePrescription",
    simulation(
      "prescription",
      union([closed({ script: string("A SCRIPT message (XML) for this account.") }), SimulatedPrescription]),
    ),
  ),
  order: named(
    "SimulateOrder",
    simulation(
      "order",
      union([
        closed({ order_number, to: oneOf(simulatedStatuses) }),
        closed({ order_number, exception_id: oneOf(exceptionIds) }),
      ]),
    ),
  ),
  event: named(
    "SimulateEvent",
    simulation(
      "event",
      object(
        { event_type: oneOf(eventTypeNames), medication_requests: array(object({})) },
        { optional: ["medication_requests"], description: "Sent as it is; `event_id` and `timestamp` are added." },
      ),
    ),
  ),
  /** The account's own clock, which moves forward only. */
  clock: named(
    "SimulateClock",
    simulation("clock", closed({ advance_seconds: integer({ minimum: 1, examples: [86400] }) })),
  ),
};
export type SimulationType = keyof typeof simulations;

/** What the 202 tells. */
export const simulationAnswers = {
  prescription: named(
    "SimulatedPrescriptionAnswer",
    object({
      patient_id: nullable(patient_id),
      prescription_id: nullable(integer("Made, or with a CancelRx ended; null where it did neither.")),
    }),
  ),
  order: named("SimulatedOrderAnswer", object({ order_number, order_status })),
  event: named("SimulatedEventAnswer", object({ event_id: string({ format: "uuid" }) })),
  clock: named("SimulatedClockAnswer", object({ now: time("What the account's clock shows now.") })),
} as const satisfies Record<SimulationType, Schema>;

export const simulationExamples = {
  prescription: {
    value: {
      simulation_type: "prescription",
      simulation: { drug_name: "atorvastatin", refills_left: 3, patient: { first_name: "Wren", allergies: [] } },
    },
  },
  order: { value: { simulation_type: "order", simulation: { order_number: "7K2M9XQ4TB", to: "Shipped" } } },
  event: {
    value: { simulation_type: "event", simulation: { event_type: "RX_RECEIVED", medication_requests: [] } },
  },
  clock: { value: { simulation_type: "clock", simulation: { advance_seconds: 86400 } } },
} satisfies { [T in SimulationType]: { value: Static<(typeof simulations)[T]> } };

export const simulationAnswerExamples = {
  prescription: { value: { patient_id: "sim000001", prescription_id: 183601 } },
  order: { value: { order_number: "7K2M9XQ4TB", order_status: "Shipped" } },
  event: { value: { event_id: "019a8b6e-4c55-7d3c-9a1e-2f0b6c1d7e42" } },
  clock: { value: { now: "2026-11-16T08:30:00.000Z" } },
} satisfies { [T in SimulationType]: { value: Static<(typeof simulationAnswers)[T]> } };
