import { say } from "../../ui/words/say.tsx";
import styles from "./rotation-steps.module.css";

const steps = [
  ["save", say("New secret")],
  ["switch", say("Switch endpoints and test")],
  ["end", say("End old secret")],
] as const;

/** Where the user is in the rotation of a secret. */
export function RotationSteps({ at }: { at: (typeof steps)[number][0] }) {
  const now = steps.findIndex(([key]) => key === at);
  return (
    <ol className={styles["steps"]} aria-label={say("Steps")}>
      {steps.map(([key, label], index) => (
        <li key={key} aria-current={key === at ? "step" : undefined} data-done={index < now || undefined}>
          {label}
          {index < now && <span className="unseen">{say(", done")}</span>}
        </li>
      ))}
    </ol>
  );
}
