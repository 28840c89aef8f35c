type PatientKey = { account_id: string; patient_key: number };

const AGAIN_AFTER_MS = 3_600_000;
/** Beyond this, the cause is not a record, and the job may as well fail on all of them. */
const MOST = 5_000;

/**
 * Patients that a job failed on, such as records that do not decrypt. The job skips them for an hour, so that they neither fill the log
 * nor use up each batch. A restart forgets them.
 */
export type DamagedPatients = ReturnType<typeof damagedPatients>;
export function damagedPatients() {
  const skipped_until_ms = new Map<string, number>();
  const name = ({ account_id, patient_key }: PatientKey) => `${account_id} ${patient_key}`;
  return {
    add(patient: PatientKey, now: Date) {
      if (skipped_until_ms.size < MOST) skipped_until_ms.set(name(patient), now.getTime() + AGAIN_AFTER_MS);
    },
    /** The next patients of a list, which `load` reads from its start each time. */
    async others<Patient extends PatientKey>(now: Date, most: number, load: (most: number) => Promise<Patient[]>) {
      for (const [patient, until_ms] of skipped_until_ms)
        if (until_ms <= now.getTime()) skipped_until_ms.delete(patient);
      const found = await load(most + skipped_until_ms.size);
      return found.filter((one) => !skipped_until_ms.has(name(one))).slice(0, most);
    },
  };
}
