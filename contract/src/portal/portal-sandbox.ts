import type { ExceptionId } from "../exceptions.ts";

/** `GET …/sandbox`. All sandbox paths return 404 in production. */
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
/** `POST …/sandbox/prescriptions`: a preset, custom fields, or both. */
export type PortalPrescriptionInput = { preset?: string; simulation?: Record<string, unknown> };
/** The 202 body. Under Automatic Processing the order already exists. */
export type PortalSimulatedPrescription = {
  patient_id: string | null;
  prescription_id: number | null;
  order_number: string | null;
};
/** `POST …/sandbox/orders`: a minimal order for a prescription. Returns 201 with the `Order`. */
export type PortalSandboxOrder = { prescription_id: number };
/** How long the API reference's token works: shorter than the time after which an idle person is signed out. */
export const REFERENCE_TOKEN_LIFETIME_S = 600;
/** The credential of the API reference's tokens. The service creates it with the first token; no one knows its secret. */
export const REFERENCE_CREDENTIAL = "API reference";
/** `POST …/sandbox/token`: a short-lived token, with which the API reference sends a signed-in person's requests. */
export type PortalReferenceToken = { access_token: string; expires_at: string };
// `POST …/sandbox/simulate` works like the API's `POST /simulate`: move an order, hold it, advance the clock.
