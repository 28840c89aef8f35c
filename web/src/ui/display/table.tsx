import type { ReactNode } from "react";
import styles from "./table.module.css";

export type Column<Row> = {
  /** Names the column; also its key. */
  title: string;
  /** Where the title would only repeat what everybody sees. */
  unseen?: boolean;
  number?: boolean;
  cell: (row: Row) => ReactNode;
};

/** A short list: what fits a page or two. What can have thousands of rows is a `RowGrid`. */
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
  /** Instead of the table, where there are no rows. */
  empty?: ReactNode;
  /** Rows that are over and done with. */
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
            {columns.map(({ title, number, cell }) => (
              <td key={title} className={number ? "number" : undefined}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
