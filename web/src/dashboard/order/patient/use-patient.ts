import { useApi } from "../../../app/use-api.ts";

type Place = { account_id: string; patient_key: string };
export const patientApi = ({ account_id, patient_key }: Place) =>
  `/dashboard/patients/${encodeURIComponent(account_id)}/${encodeURIComponent(patient_key)}` as const;
export type PatientApi = ReturnType<typeof patientApi>;

/** The server audits each read, so fetch only when the user opens or refreshes the page. */
export const usePatient = (place: Place) => useApi(patientApi(place), { written_down: true });
