import { type FormEvent, useEffect, useState } from "react";
import { Button } from "../../ui/controls/button.tsx";
import { say } from "../../ui/words/say.tsx";
import { useFilters } from "../use-address.ts";
import styles from "./filter-bar.module.css";

/** With `options` the filter is a select, with `date` a day; without both, a text input. */
export type Filter = {
  name: string;
  label: string;
  options?: readonly (readonly [string, string])[];
  date?: true;
};

/** List filters. They live in the URL, so a shared link shows the same list. */
export function FilterBar({ filters }: { filters: readonly Filter[] }) {
  const [values, change] = useFilters();
  const set = filters.filter(({ name }) => values[name] !== undefined);
  return (
    // biome-ignore lint/a11y/useSemanticElements: this group submits nothing
    <div role="group" aria-label={say("Filters")} className={styles["filters"]}>
      {filters.map(({ name, label, options, date }) =>
        date ? (
          <label key={name} className={styles["day"]}>
            {label}
            <input
              type="date"
              data-set={values[name] !== undefined || undefined}
              value={values[name] ?? ""}
              onChange={(event) => change({ [name]: event.target.value })}
            />
          </label>
        ) : options ? (
          <select
            key={name}
            aria-label={label}
            data-set={values[name] !== undefined || undefined}
            value={values[name] ?? ""}
            onChange={(event) => change({ [name]: event.target.value })}
          >
            <option value="">{label}</option>
            {options.map(([value, shown]) => (
              <option key={value} value={value}>
                {shown}
              </option>
            ))}
          </select>
        ) : (
          <Typed key={name} label={label} value={values[name] ?? ""} onSet={(value) => change({ [name]: value })} />
        ),
      )}
      {set.length > 0 && (
        <Button
          tone="quiet"
          small
          icon="close"
          onClick={() => change(Object.fromEntries(filters.map(({ name }) => [name, null])))}
        >
          {say("Clear")}
        </Button>
      )}
    </div>
  );
}

/** Applies the text on Enter or blur. */
function Typed({ label, value, onSet }: { label: string; value: string; onSet: (value: string) => void }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const settle = (event?: FormEvent) => {
    event?.preventDefault();
    if (text.trim() !== value) onSet(text.trim());
  };
  return (
    <form onSubmit={settle}>
      <input
        aria-label={label}
        placeholder={label}
        data-set={value !== "" || undefined}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => settle()}
      />
    </form>
  );
}
