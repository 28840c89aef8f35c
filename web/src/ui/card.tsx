import { type ReactNode, useId } from "react";
import styles from "./card.module.css";

/** A titled part of a page. `actions` stand right of the title. */
export function Card({
  title,
  actions,
  flush = false,
  children,
}: {
  title?: ReactNode;
  actions?: ReactNode;
  /** Without inner margins: for a table that fills it. */
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
      <div className={flush ? styles["flush"] : styles["body"]}>{children}</div>
    </section>
  );
}

/** Names and what they stand for, below or beside each other. Those without a value are left out. */
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
