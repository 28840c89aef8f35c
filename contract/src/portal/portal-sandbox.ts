import type { ExceptionId } from "../exceptions.ts";

/** `GET …/sandbox`. All of it is 404 in production. */
export type PortalSandbox = {
  now: string;
  clock_offset_s: number;
  presets: { preset: string; title: string; description: string; exception_id: ExceptionId | null }[];
  /** The newest few. */
  prescriptions: PortalPrescriptionRow[];
};
export type PortalPrescriptionRow = {
  prescription_id: number;
  patient_id: string;
  drug_name: string;
  drug_schedule: string;
  received_at: string;
  active: boolean;
  order_numbers: string[];
};
/** `POST …/sandbox/prescriptions`: a preset, with fields of its own beside or instead. */
export type PortalPrescriptionInput = { preset?: string; simulation?: Record<string, unknown> };
/** The 202. Under Automatic Processing its order is there already. */
export type PortalSimulatedPrescription = {
  patient_id: string | null;
  prescription_id: number | null;
  order_number: string | null;
};
/** `POST …/sandbox/orders`: an order for a prescription, as the smallest body makes it. Answers 201 with the `Order`. */
export type PortalSandboxOrder = { prescription_id: number };
// `POST …/sandbox/simulate` takes and answers what the API's `POST /simulate` does: walk an order, hold it, move the clock.
