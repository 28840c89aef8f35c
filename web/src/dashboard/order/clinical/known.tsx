import type { ReactNode } from "react";
import { Icon, type IconName } from "../../../ui/icon.tsx";
import { say } from "../../../ui/words/say.tsx";
import styles from "./clinical.module.css";

/**
 * Three answers that must never look alike. `none_known`: a person was asked and named none. `not_asked`: no one asked.
 * `unknown`: there is no value.
 */
const marks = {
  none_known: { text: say("None known"), icon: "check" },
  not_asked: { text: say("Not asked"), icon: "alert" },
  unknown: { text: say("Unknown"), icon: "more" },
} as const satisfies Record<string, { text: string; icon: IconName }>;

export function Mark({ as, children }: { as: keyof typeof marks; children?: ReactNode }) {
  const { text, icon } = marks[as];
  return (
    <span className={styles["mark"]} data-mark={as}>
      <Icon name={icon} size={14} />
      {children ?? text}
    </span>
  );
}

/** A value, or the mark for an unknown one. */
export const Known = ({ value }: { value: ReactNode | null }) => (value === null ? <Mark as="unknown" /> : value);
