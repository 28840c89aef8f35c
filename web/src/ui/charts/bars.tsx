import type { ReactNode } from "react";
import type { Column } from "../display/table.tsx";
import { numberText } from "../words/number-text.ts";
import styles from "./bars.module.css";
import { ChartTable } from "./chart-table.tsx";
import { type ChartTone, LegendEntry, legendClass, toneClass } from "./legend.tsx";

export type BarRow = {
  /** The name in words, for the table; also the key. */
  name: string;
  /** The name as shown, such as a link. */
  shown?: ReactNode;
  /** One value per series. */
  values: readonly number[];
  /** The text at the end of the bar. The sum of the values by default. */
  text?: string;
  about?: ReactNode;
};

const WIDTH = 1000;

/** Horizontal bars, one per row, with stacked parts. Every number is text too, so nothing depends on the bars. */
export function Bars({
  label,
  of,
  series,
  rows,
  most,
  format = (value) => numberText(value),
  empty,
}: {
  label: string;
  /** What a row is: the first column of the table. */
  of: string;
  series: readonly { name: string; tone: ChartTone }[];
  rows: readonly BarRow[];
  /** Fixed end of the scale. */
  most?: number;
  format?: (value: number) => string;
  empty: ReactNode;
}) {
  if (rows.length === 0) return <p className={styles["empty"]}>{empty}</p>;
  const sumOf = ({ values }: BarRow) => values.reduce((sum, value) => sum + value, 0);
  const end = Math.max(most ?? 0, ...rows.map(sumOf)) || 1;
  const columns: Column<BarRow>[] = [
    { title: of, cell: ({ name }) => name },
    ...series.map(({ name }, at) => ({
      title: name,
      number: true,
      cell: ({ values }: BarRow) => format(values[at] ?? 0),
    })),
  ];
  return (
    <div>
      <ul className={styles["bars"]} aria-label={label}>
        {rows.map((row) => (
          <li key={row.name}>
            <span className={styles["name"]}>{row.shown ?? row.name}</span>
            <span className={styles["text"]}>{row.text ?? format(sumOf(row))}</span>
            <Bar values={row.values} tones={series.map(({ tone }) => tone)} end={end} />
            {row.about && <span className={styles["about"]}>{row.about}</span>}
          </li>
        ))}
      </ul>
      {series.length > 1 && (
        <p className={legendClass}>
          {series.map(({ name, tone }) => (
            <LegendEntry key={name} tone={tone}>
              {name}
            </LegendEntry>
          ))}
        </p>
      )}
      <ChartTable caption={label} columns={columns} rows={rows} rowKey={({ name }) => name} />
    </div>
  );
}

function Bar({ values, tones, end }: { values: readonly number[]; tones: readonly ChartTone[]; end: number }) {
  const starts = values.map((_, at) => values.slice(0, at).reduce((sum, value) => sum + value, 0));
  return (
    <svg className={styles["bar"]} viewBox={`0 0 ${WIDTH} 1`} preserveAspectRatio="none" aria-hidden="true">
      {values.map((value, at) =>
        value > 0 ? (
          <rect
            key={tones[at]!}
            className={toneClass(tones[at]!)}
            x={(starts[at]! / end) * WIDTH}
            width={(value / end) * WIDTH}
            height={1}
          />
        ) : null,
      )}
    </svg>
  );
}
