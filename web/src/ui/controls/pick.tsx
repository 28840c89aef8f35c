import styles from "./pick.module.css";

/** A compact filter select. It shows its label until the user picks a value. */
export function Pick({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: readonly (readonly [string, string])[];
  /** Null or empty: no selection. */
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
