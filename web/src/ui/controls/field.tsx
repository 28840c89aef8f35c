import { type ComponentProps, type ReactNode, useId } from "react";
import styles from "./field.module.css";

type Labelled = {
  label: ReactNode;
  /** Help text. */
  hint?: ReactNode;
  /** Validation message. */
  problem?: string | null | undefined;
  /** Hide the label visually where the context makes it clear. */
  unseen?: boolean;
};

function Frame({ id, label, hint, problem, unseen, children }: Labelled & { id: string; children: ReactNode }) {
  return (
    <div className={styles["field"]}>
      <label htmlFor={id} className={unseen ? "unseen" : undefined}>
        {label}
      </label>
      {children}
      {hint && (
        <p id={`${id}-hint`} className={styles["hint"]}>
          {hint}
        </p>
      )}
      {problem && (
        <p id={`${id}-problem`} className={styles["problem"]}>
          {problem}
        </p>
      )}
    </div>
  );
}

const described = (id: string, { hint, problem }: Labelled) => ({
  "aria-describedby": [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(" ") || undefined,
  "aria-invalid": problem ? true : undefined,
});

export function TextField({ label, hint, problem, unseen, ...rest }: Labelled & ComponentProps<"input">) {
  const made = useId();
  const id = rest.id ?? made;
  const frame = { label, hint, problem, ...(unseen && { unseen }) };
  return (
    <Frame id={id} {...frame}>
      <input
        autoComplete="off"
        {...rest}
        {...described(id, frame)}
        data-first={rest.autoFocus || undefined}
        id={id}
        className={styles["input"]}
      />
    </Frame>
  );
}

export function TextArea({ label, hint, problem, unseen, ...rest }: Labelled & ComponentProps<"textarea">) {
  const made = useId();
  const id = rest.id ?? made;
  const frame = { label, hint, problem, ...(unseen && { unseen }) };
  return (
    <Frame id={id} {...frame}>
      <textarea
        rows={3}
        {...rest}
        {...described(id, frame)}
        data-first={rest.autoFocus || undefined}
        id={id}
        className={styles["input"]}
      />
    </Frame>
  );
}

/** `options` are pairs of value and label. */
export function SelectField({
  label,
  hint,
  problem,
  unseen,
  options,
  ...rest
}: Labelled & { options: readonly (readonly [string, string])[] } & ComponentProps<"select">) {
  const made = useId();
  const id = rest.id ?? made;
  const frame = { label, hint, problem, ...(unseen && { unseen }) };
  return (
    <Frame id={id} {...frame}>
      <select
        {...rest}
        {...described(id, frame)}
        data-first={rest.autoFocus || undefined}
        id={id}
        className={styles["input"]}
      >
        {options.map(([value, shown]) => (
          <option key={value} value={value}>
            {shown}
          </option>
        ))}
      </select>
    </Frame>
  );
}

export function CheckField({ label, hint, ...rest }: Pick<Labelled, "label" | "hint"> & ComponentProps<"input">) {
  const id = useId();
  return (
    <div className={styles["check"]}>
      <input type="checkbox" {...rest} id={id} aria-describedby={hint ? `${id}-hint` : undefined} />
      <label htmlFor={id}>{label}</label>
      {hint && (
        <p id={`${id}-hint`} className={styles["hint"]}>
          {hint}
        </p>
      )}
    </div>
  );
}
