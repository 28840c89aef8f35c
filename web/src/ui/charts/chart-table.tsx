import { useState } from "react";
import { type Column, Table } from "../display/table.tsx";
import { say } from "../words/say.tsx";
import styles from "./chart-table.module.css";

/** The numbers behind a chart. Renders them only while they are open, because a month has 720 hours. */
export function ChartTable<Row>({
  caption,
  columns,
  rows,
  rowKey,
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string | number;
}) {
  const [open, setOpen] = useState(false);
  return (
    <details className={styles["behind"]} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {open ? say("Hide table") : say("Show table")}
        <span className="unseen">: {caption}</span>
      </summary>
      {open && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        <section className={styles["rows"]} aria-label={say("Table: {caption}", { caption })} tabIndex={0}>
          <Table caption={caption} columns={columns} rows={rows} rowKey={rowKey} />
        </section>
      )}
    </details>
  );
}
