import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";
import styles from "./tabs.module.css";

export type Tab = { key: string; label: ReactNode; content: () => ReactNode };

/** Tabs. Arrow keys move between them. */
export function Tabs({
  label,
  tabs,
  value,
  onChange,
}: {
  label: string;
  tabs: readonly Tab[];
  value: string;
  onChange: (key: string) => void;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const at = Math.max(
    0,
    tabs.findIndex(({ key }) => key === value),
  );
  const step = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const next = (at + by + tabs.length) % tabs.length;
    onChange(tabs[next]!.key);
    (list.current?.children[next] as HTMLElement | undefined)?.focus();
  };
  return (
    <div className={styles["tabs"]}>
      <div ref={list} role="tablist" aria-label={label} className={styles["list"]} onKeyDown={step}>
        {tabs.map(({ key, label: shown }, index) => (
          <button
            key={key}
            type="button"
            role="tab"
            id={`${id}-${key}`}
            aria-selected={index === at}
            aria-controls={`${id}-panel`}
            tabIndex={index === at ? 0 : -1}
            onClick={() => onChange(key)}
          >
            {shown}
          </button>
        ))}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users can scroll a panel that has no focusable content */}
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tabs[at]?.key}`} tabIndex={0}>
        {tabs[at]?.content()}
      </div>
    </div>
  );
}
