import type { ClinicalPatient } from "@pestle/contract";
import { counted } from "../../../ui/counted.ts";
import { say } from "../../../ui/words/say.tsx";
import styles from "./clinical.module.css";
import { Known } from "./known.tsx";

const sexNames = { F: say("Female"), M: say("Male"), N: say("Neither") } as const;

/** Age, sex and weight. An unknown value looks unlike a known one. */
export function PatientStrip({ patient: { age, sex, weight_kg } }: { patient: ClinicalPatient }) {
  return (
    <dl className={styles["patient"]}>
      <div>
        <dt>{say("Age")}</dt>
        <dd>
          <Known value={age === null ? null : counted(age, "year")} />
        </dd>
      </div>
      <div>
        <dt>{say("Sex")}</dt>
        <dd>
          <Known value={sex === null ? null : sexNames[sex]} />
        </dd>
      </div>
      <div>
        <dt>{say("Weight")}</dt>
        <dd>
          <Known value={weight_kg === null ? null : `${weight_kg} kg`} />
        </dd>
      </div>
    </dl>
  );
}
