import type { ReactNode } from "react";
import styles from "./table.module.css";

export type Column<Row> = {
  /** Column heading; also its key. */
  title: string;
  /** Hide the heading visually where it only repeats the content. */
  unseen?: boolean;
  number?: boolean;
  cell: (row: Row) => ReactNode;
};

/** A short table, up to a page or two. On a phone, each row becomes a list of its cells with their headings. Use `RowGrid` for thousands of rows. */
export function Table<Row>({
  caption,
  columns,
  rows,
  rowKey,
  empty,
  dim,
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string | number;
  /** Shown instead of the table when there are no rows. */
  empty?: ReactNode;
  /** Dims rows that are no longer active. */
  dim?: (row: Row) => boolean;
}) {
  if (rows.length === 0 && empty) return empty;
  return (
    <table className={styles["table"]}>
      <caption className="unseen">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ title, unseen, number }) => (
            <th key={title} scope="col" className={number ? "number" : undefined}>
              {unseen ? <span className="unseen">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)} className={dim?.(row) ? styles["dim"] : undefined}>
            {columns.map(({ title, unseen, number, cell }) => (
              <td key={title} className={number ? "number" : undefined} data-title={unseen ? undefined : title}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
