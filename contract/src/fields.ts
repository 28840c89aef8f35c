import { orderStatuses } from "./lifecycle.ts";
import { named, oneOf, string } from "./schema.ts";

export const genders = ["M", "F", "N"] as const;
export const documentTypes = ["DL", "PP", "MI", "PR", "SI", "TI", "OT"] as const;
/** Schedule 1 cannot be prescribed. 0 means not a controlled substance. */
export const drugSchedules = ["0", "2", "3", "4", "5"] as const;
export const shipmentStatuses = [
  "label_created",
  "in_transit",
  "out_for_delivery",
  "delivered",
  "returned",
  "lost",
  "exception",
] as const;
export const workflows = ["api_driven", "automatic"] as const;
export const payers = ["partner", "patient"] as const;
export const paymentStatuses = ["pending", "authorized", "captured", "declined", "voided", "refunded"] as const;
export const labelFormats = ["PDF", "PNG", "ZPL"] as const;
export type LabelFormat = (typeof labelFormats)[number];

/** The kinds of safety facts, with the list and the status of `patient_safety` that belong to each. */
export const safetyKinds = {
  allergy: { list: "allergies", status: "allergies_status" },
  medication: { list: "medications", status: "medications_status" },
  condition: { list: "health_conditions", status: "conditions_status" },
} as const;
export type SafetyKind = keyof typeof safetyKinds;
export const safetyKindNames = Object.keys(safetyKinds) as [SafetyKind, ...SafetyKind[]];
export const safetySources = ["prescriber", "partner", "pharmacy"] as const;
export type SafetySource = (typeof safetySources)[number];
export const safetyStatuses = ["not_asked", "none_known", "listed"] as const;
export type SafetyStatus = (typeof safetyStatuses)[number];
/** The longest text of an entry that a partner or the pharmacy records, and the longest reason to remove one. */
export const SAFETY_TEXT_CHARACTERS = 200;

/** Maximum lengths of a street line and a city name. */
export const STREET_MOST_CHARACTERS = 100;
export const CITY_MOST_CHARACTERS = 50;

export type DrugSchedule = (typeof drugSchedules)[number];
export type ShipmentStatus = (typeof shipmentStatuses)[number];
export type Workflow = (typeof workflows)[number];

export const PATIENT_ID_PATTERN = "^[A-Za-z0-9_-]{4,35}$";
export const isPatientId = (text: string): boolean => new RegExp(PATIENT_ID_PATTERN).test(text);
export const patient_id = string({ description: "4 to 35 of `[A-Za-z0-9_-]`.", examples: ["ay87nt"] });
export const ORDER_NUMBER_PATTERN = "^[0-9A-HJKMNP-TV-Z]{10}$";
export const order_number = string({ pattern: ORDER_NUMBER_PATTERN, examples: ["7K2M9XQ4TB"] });
export const ndc = string({ description: "11 digits.", pattern: "^[0-9]{11}$", examples: ["00071015523"] });
export const drug_schedule = oneOf(drugSchedules, "`0` if it is not a controlled substance.");
export const order_status = named("OrderStatus", oneOf(orderStatuses));
