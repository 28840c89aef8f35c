import type { MedicationRequest, Patient } from "@pestle/contract";
import { type AskOptions, ask } from "./patient.ts";
import type { TestApp } from "./test-app.ts";

/** `POST /simulate`: returns status and body. */
export async function simulate(
  app: TestApp,
  simulation_type: string,
  simulation: unknown,
  options: AskOptions = {},
): Promise<{ status: number; text: string; headers: Headers; body: never }> {
  const { status, text, headers } = await ask(app, "/simulate", { simulation_type, simulation }, options);
  return { status, text, headers, body: JSON.parse(text) as never };
}

/** A prescription that must be accepted. */
export async function arrived(
  app: TestApp,
  simulation: Record<string, unknown> = {},
  options: AskOptions = {},
): Promise<{ patient_id: string; prescription_id: number; rx: MedicationRequest; patient: Patient }> {
  const { status, text, body } = await simulate(app, "prescription", simulation, options);
  if (status !== 202) throw new Error(`${status}: ${text}`);
  const made = body as { patient_id: string; prescription_id: number };
  const { partner = 0 } = options;
  const read = async (path: string) => JSON.parse((await ask(app, path, undefined, { partner })).text);
  const { medication_request } = await read(`/patients/${made.patient_id}/rx`);
  const rx = (medication_request as MedicationRequest[]).find(({ id }) => id === made.prescription_id)!;
  return { ...made, rx, patient: await read(`/patients/${made.patient_id}`) };
}

/** Expects only 42200, and returns its fields. */
export function fieldsOf(text: string): string[] {
  const { errors } = JSON.parse(text) as { errors: { code: number; error_detail: { field: string }[] }[] };
  if (errors.some(({ code }) => code !== 42200)) throw new Error(text);
  return errors.flatMap(({ error_detail }) => error_detail.map(({ field }) => field));
}
