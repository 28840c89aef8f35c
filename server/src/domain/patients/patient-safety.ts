import type { PatientSafety } from "@pestle/contract";
import type { Problem } from "../values/refusals.ts";
import { isOneLine } from "../values/text.ts";
import { isSentObject, unknownFields } from "../values/unknown-fields.ts";

const lists = ["medications", "health_conditions", "allergies"] as const satisfies readonly (keyof PatientSafety)[];
const MOST_ENTRIES = 100;
const LONGEST_ENTRY = 200;

/**
 * The lists that were sent, each to take the place of the one on file; what is left out stays. They have no code of
 * their own, so whatever is malformed is 42200. `field` is where the object stands in the request.
 */
export function readPatientSafety(
  sent: unknown,
  field: string,
): { patient_safety: Partial<PatientSafety>; problems: Problem[] } {
  if (!isSentObject(sent)) return { patient_safety: {}, problems: [{ code: 42200, field }] };
  const patient_safety: Partial<PatientSafety> = {};
  const problems = unknownFields(sent, lists, `${field}.`);
  for (const name of lists) {
    const entries = sent[name];
    if (entries === undefined) continue;
    if (!Array.isArray(entries) || entries.length > MOST_ENTRIES) {
      problems.push({ code: 42200, field: `${field}.${name}` });
      continue;
    }
    const wrong = entries.flatMap((entry, index) => (isOneLine(entry, LONGEST_ENTRY) ? [] : [index]));
    problems.push(...wrong.map((index): Problem => ({ code: 42200, field: `${field}.${name}[${index}]` })));
    if (wrong.length === 0) patient_safety[name] = entries.map((entry: string) => entry.trim());
  }
  return { patient_safety, problems };
}
