/** Path of the patient screen. The key is the service's own number, never the partner's patient ID. */
export const patientPath = ({ account_id, patient_key }: { account_id: string; patient_key: number }): string =>
  `/patient/${encodeURIComponent(account_id)}/${patient_key}`;
