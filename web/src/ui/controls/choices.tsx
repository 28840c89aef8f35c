import { numberText } from "../words/number-text.ts";
import styles from "./choices.module.css";

export type Choice<Key> = { key: Key; name: string; count?: number | undefined };

/** A row of buttons, one of which is chosen, each with the number of rows that it shows. */
export function Choices<Key extends string | null>({
  label,
  choices,
  chosen,
  onChoose,
}: {
  label: string;
  choices: readonly Choice<Key>[];
  chosen: Key;
  onChoose: (key: Key) => void;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: not a form
    <div role="group" aria-label={label} className={styles["choices"]}>
      {choices.map(({ key, name, count }) => (
        <button key={name} type="button" aria-pressed={key === chosen} onClick={() => onChoose(key)}>
          {name}
          {count !== undefined && <span>{numberText(count)}</span>}
        </button>
      ))}
    </div>
  );
}
