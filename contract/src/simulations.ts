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
import { messageText, questionExceptionIds } from "./messages.ts";
import { EMAIL_MOST_CHARACTERS, PRESCRIBER_MOST_CHARACTERS, safetyList } from "./requests.ts";
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
import { eventTypeNames } from "./webhooks/webhooks.ts";

/* `POST /simulate`: one request and one response per `simulation_type`. The server reads requests with these rows. */

const simulation = <const T extends string, S>(simulation_type: T, fields: Schema<S>) =>
  closed({ simulation_type: oneOf([simulation_type]), simulation: fields });

/** Where a simulation can move an order. Orders start in Processing, and exceptions hold them. */
export const simulatedStatuses = ["Filling", "Shipped", "Delivered", "Canceled"] as const satisfies OrderStatus[];

const street = nullable(string({ kind: "line_with_words", maxLength: STREET_MOST_CHARACTERS }));

export const SimulatedPatient = named(
  "SimulatedPatient",
  partial({
    patient_id: string({
      pattern: PATIENT_ID_PATTERN,
      description: "A patient on file. An unknown id creates a new patient with that id.",
    }),
    first_name: string({ kind: "person_name" }),
    last_name: string({ kind: "person_name" }),
    dob: date(),
    gender: nullable(oneOf(genders)),
    email: nullable(
      string({
        kind: "email",
        maxLength: EMAIL_MOST_CHARACTERS,
        description: "`null`: the prescription has no email, and an order is held (65).",
      }),
    ),
    phone: nullable(string({ kind: "phone" })),
    address: nullable(
      partial({
        street1: { ...street, description: "The sandbox guide lists the magic values." } as typeof street,
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

/** Any field of a medication request except its id, and a `patient`. The sandbox invents the fields you omit. */
export const SimulatedPrescription = named(
  "SimulatedPrescription",
  partial({
    active: boolean("`false`: the prescriber cancels it immediately."),
    patient_id: string({ pattern: PATIENT_ID_PATTERN, description: "The same as `patient.patient_id`." }),
    prescriber_name: string({ kind: "prescriber_name", maxLength: PRESCRIBER_MOST_CHARACTERS }),
    prescriber_phone: nullable(string({ kind: "phone" })),
    prescriber_fax: nullable(string({ kind: "phone" })),
    receive_date: time("Also accepts a date: the start of that day."),
    expire_date: time("Also accepts a date: the start of that day."),
    written_date: date("Also accepts a time: the day it falls on."),
    effective_date: date("Also accepts a time: the day it falls on."),
    drug_name: string({
      kind: "trimmed_line",
      maxLength: 255,
      description: "A product's name or words of it, if you send neither `ndc` nor `gcn`.",
    }),
    ndc: nullable(string({ kind: "one_ndc", description: "With dashes, or all eleven digits." })),
    gcn: nullable(string({ kind: "trimmed_line", maxLength: 35 })),
    sig_text: string({ kind: "sig", maxLength: 10_000 }),
    written_qty: number({ minimum: 0, maximum: 100_000, decimals: 3 }),
    days_supply: nullable(integer({ minimum: 1, maximum: 999 })),
    refills_left: integer({
      minimum: 0,
      maximum: 99,
      description: "The refills. The legal limits for controlled substances apply.",
    }),
    drug_schedule,
    daw: boolean(),
    acceptance: oneOf(["not_needed"], "A simulated prescription counts as signed."),
    not_fillable: array(object({}), { maxItems: 0, description: "Always empty: the service decides it." }),
    order_errors: array(object({}), { maxItems: 0 }),
    medication_dispenses: array(object({}), { maxItems: 0 }),
    patient: SimulatedPatient,
  }),
);

const simulatedOrder = { order_number, to: oneOf(simulatedStatuses), exception_id: oneOf(exceptionIds) };
/** Both kinds of an order simulation: move it to a status, or raise an exception on it. */
export const SimulatedOrder = closed(simulatedOrder, { optional: ["to", "exception_id"] });

/** The pharmacy writes a message. With an exception, it is a question that holds the order. */
export const SimulatedMessage = closed(
  {
    order_number,
    text: messageText,
    exception_id: oneOf(questionExceptionIds, "Makes it a question that holds the order with this exception."),
  },
  { optional: ["exception_id"] },
);

/** Ten years: beyond that every date rule would be meaningless. */
const LONGEST_ADVANCE_S = 315_360_000;
export const SimulatedClock = closed({
  advance_seconds: integer({ minimum: 1, maximum: LONGEST_ADVANCE_S, examples: [86400] }),
});

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
        closed({ order_number, to: simulatedOrder.to }),
        closed({ order_number, exception_id: simulatedOrder.exception_id }),
      ]),
    ),
  ),
  message: named("SimulateMessage", simulation("message", SimulatedMessage)),
  event: named(
    "SimulateEvent",
    simulation(
      "event",
      object(
        { event_type: oneOf(eventTypeNames), medication_requests: array(object({})) },
        {
          optional: ["medication_requests"],
          description: "Sent as given. The service adds `event_id` and `timestamp`.",
        },
      ),
    ),
  ),
  /** The account's own clock, which only moves forward. */
  clock: named("SimulateClock", simulation("clock", SimulatedClock)),
};
export type SimulationType = keyof typeof simulations;

/** The 202 responses. */
export const simulationAnswers = {
  prescription: named(
    "SimulatedPrescriptionAnswer",
    object({
      patient_id: nullable(patient_id),
      prescription_id: nullable(integer("The prescription it created, or that a CancelRx ended; null if neither.")),
    }),
  ),
  order: named("SimulatedOrderAnswer", object({ order_number, order_status })),
  message: named("SimulatedMessageAnswer", object({ message_id: string({ format: "uuid" }) })),
  event: named("SimulatedEventAnswer", object({ event_id: string({ format: "uuid" }) })),
  clock: named("SimulatedClockAnswer", object({ now: time("The account's current time.") })),
} as const satisfies Record<SimulationType, Schema>;

export const simulationExamples = {
  prescription: {
    value: {
      simulation_type: "prescription",
      simulation: { drug_name: "atorvastatin", refills_left: 3, patient: { first_name: "Wren", allergies: [] } },
    },
  },
  order: { value: { simulation_type: "order", simulation: { order_number: "7K2M9XQ4TB", to: "Shipped" } } },
  message: {
    value: {
      simulation_type: "message",
      simulation: { order_number: "7K2M9XQ4TB", text: "Did you mean to order 90 tablets?", exception_id: 72 },
    },
  },
  event: {
    value: { simulation_type: "event", simulation: { event_type: "RX_RECEIVED", medication_requests: [] } },
  },
  clock: { value: { simulation_type: "clock", simulation: { advance_seconds: 86400 } } },
} satisfies { [T in SimulationType]: { value: Static<(typeof simulations)[T]> } };

export const simulationAnswerExamples = {
  prescription: { value: { patient_id: "sim000001", prescription_id: 183601 } },
  order: { value: { order_number: "7K2M9XQ4TB", order_status: "Shipped" } },
  message: { value: { message_id: "019a8b6e-4c55-7d3c-9a1e-2f0b6c1d7e42" } },
  event: { value: { event_id: "019a8b6e-4c55-7d3c-9a1e-2f0b6c1d7e42" } },
  clock: { value: { now: "2026-11-16T08:30:00.000Z" } },
} satisfies { [T in SimulationType]: { value: Static<(typeof simulationAnswers)[T]> } };
