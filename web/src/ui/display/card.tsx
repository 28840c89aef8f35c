import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import styles from "./card.module.css";

/** A titled section. `actions` appear to the right of the title. */
export function Card({
  title,
  actions,
  flush = false,
  children,
}: {
  title?: ReactNode;
  actions?: ReactNode;
  /** No padding, for a full-width table. */
  flush?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={styles["card"]} aria-labelledby={title ? id : undefined}>
      {(title || actions) && (
        <header className={styles["head"]}>
          {title && <h2 id={id}>{title}</h2>}
          {actions && <div className="row">{actions}</div>}
        </header>
      )}
      {flush ? <Flush>{children}</Flush> : <div className={styles["body"]}>{children}</div>}
    </section>
  );
}

/** Scrolls a wide table sideways, and makes it focusable so the keyboard can scroll it too. */
function Flush({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const [scrolls, setScrolls] = useState(false);
  useEffect(() => {
    const shown = box.current!;
    const watcher = new ResizeObserver(() => setScrolls(shown.scrollWidth > shown.clientWidth));
    watcher.observe(shown);
    for (const child of shown.children) watcher.observe(child);
    return () => watcher.disconnect();
  }, []);
  return (
    <div ref={box} className={styles["flush"]} tabIndex={scrolls ? 0 : undefined}>
      {children}
    </div>
  );
}

/** A description list. Entries without a value are left out. */
export function Facts({ facts }: { facts: readonly (readonly [ReactNode, ReactNode])[] }) {
  return (
    <dl className={styles["facts"]}>
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false)
        .map(([name, value], at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a list of facts never changes its order
          <div key={at}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
