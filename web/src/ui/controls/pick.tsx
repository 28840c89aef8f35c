import styles from "./pick.module.css";

/** A small choice among filters: it shows what it is about until something is chosen. */
export function Pick({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: readonly (readonly [string, string])[];
  /** Null or empty: nothing is chosen. */
  value: string | null | undefined;
  onChange: (value: string) => void;
}) {
  return (
    <select
      aria-label={label}
      className={styles["pick"]}
      data-set={Boolean(value) || undefined}
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{label}</option>
      {options.map(([given, shown]) => (
        <option key={given} value={given}>
          {shown}
        </option>
      ))}
    </select>
  );
}
