import { type KeyboardEvent, type PointerEvent, type ReactNode, useId, useState } from "react";
import { numberText } from "../words/number-text.ts";
import { say } from "../words/say.tsx";
import styles from "./chart.module.css";
import { ChartTable } from "./chart-table.tsx";
import { type ChartTone, LegendEntry, legendClass, toneClass } from "./legend.tsx";
import { linePath } from "./line-path.ts";
import { roundTop } from "./round-top.ts";

export type ChartSeries = { name: string; tone: ChartTone; values: readonly (number | null)[] };

const WIDTH = 1000;
const HEIGHT = 100;
const WIDEST_BAR = 40;

/**
 * Values over time, as stacked bars or lines. Users inspect a point with the mouse or, when the chart has focus, with
 * the arrow keys. The legend shows its values and screen readers announce them. A table below has all of them.
 */
export function Chart({
  label,
  kind,
  moments,
  series,
  format = (value) => numberText(value),
  most,
  limit,
  of = say("Time"),
  empty,
}: {
  label: string;
  kind: "bars" | "lines";
  /** Labels of the x axis, left to right. */
  moments: readonly string[];
  series: readonly ChartSeries[];
  format?: (value: number) => string;
  /** Fixed top of the scale. */
  most?: number;
  /** A line across the chart, such as the value from which to act. */
  limit?: { name: string; value: number; tone: ChartTone };
  /** What a moment is: the first column of the table. */
  of?: string;
  /** Shown over an empty chart. */
  empty?: ReactNode;
}) {
  const id = useId();
  const [at, setAt] = useState<number | null>(null);
  const sums = moments.map((_, index) =>
    kind === "bars"
      ? series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)
      : Math.max(0, ...series.map(({ values }) => values[index] ?? 0)),
  );
  const top = most ?? roundTop(Math.max(0, ...sums));
  const nothing =
    series.every(({ values }) => values.every((value) => value === null || value === 0)) && most === undefined;
  const step = WIDTH / Math.max(1, moments.length);
  const bar = Math.min(step * 0.8, WIDEST_BAR);
  const heightOf = (value: number) => (value / top) * HEIGHT;
  const valuesText = (index: number) =>
    series.map(({ name, values }) => `${name} ${valueText(values[index], format)}`).join(", ");

  const point = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    setAt(Math.max(0, Math.min(moments.length - 1, Math.floor(((event.clientX - left) / width) * moments.length))));
  };
  const press = (event: KeyboardEvent) => {
    const from = at ?? moments.length - 1;
    const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: moments.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setAt(Math.max(0, Math.min(moments.length - 1, to)));
  };

  return (
    <div>
      <figure className={styles["chart"]}>
        <div className={styles["scale"]} aria-hidden="true">
          <span>{format(top)}</span>
          <span>{format(top / 2)}</span>
          <span>{format(0)}</span>
        </div>
        <div
          className={styles["plot"]}
          role="slider"
          tabIndex={0}
          aria-label={label}
          aria-describedby={`${id}-names`}
          aria-valuemin={1}
          aria-valuemax={Math.max(1, moments.length)}
          aria-valuenow={(at ?? moments.length - 1) + 1}
          aria-valuetext={`${moments[at ?? moments.length - 1]}: ${valuesText(at ?? moments.length - 1)}`}
          onPointerMove={point}
          onPointerLeave={() => setAt(null)}
          onKeyDown={press}
          onBlur={() => setAt(null)}
        >
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            {[0, HEIGHT / 2, HEIGHT].map((y) => (
              <line key={y} className={styles["rule"]} x1={0} x2={WIDTH} y1={y} y2={y} />
            ))}
            {at !== null && <rect className={styles["cursor"]} x={at * step} width={step} y={0} height={HEIGHT} />}
            {kind === "bars"
              ? moments.map((moment, index) => {
                  let y = HEIGHT;
                  return series.map(({ name, tone, values }) => {
                    const height = heightOf(values[index] ?? 0);
                    y -= height;
                    return height > 0 ? (
                      <rect
                        key={`${moment} ${name}`}
                        className={toneClass(tone)}
                        x={(index + 0.5) * step - bar / 2}
                        width={bar}
                        y={y}
                        height={height}
                      />
                    ) : null;
                  });
                })
              : series.map(({ name, tone, values }) => (
                  <path
                    key={name}
                    className={`${styles["line"]} ${toneClass(tone)}`}
                    d={linePath(
                      values,
                      (index) => (index + 0.5) * step,
                      (value) => HEIGHT - heightOf(value),
                      step,
                    )}
                  />
                ))}
            {limit && (
              <line
                className={`${styles["limit"]} ${toneClass(limit.tone)}`}
                x1={0}
                x2={WIDTH}
                y1={HEIGHT - heightOf(limit.value)}
                y2={HEIGHT - heightOf(limit.value)}
              />
            )}
          </svg>
          {nothing && empty && <p className={styles["empty"]}>{empty}</p>}
        </div>
        <p className={styles["ends"]} aria-hidden="true">
          <span>{moments[0]}</span>
          <span>{moments.at(-1)}</span>
        </p>
        <figcaption id={`${id}-names`} className={`${styles["names"]} ${legendClass}`}>
          {series.map(({ name, tone, values }) => (
            <LegendEntry key={name} tone={tone}>
              {name}
              {at !== null && <strong> {valueText(values[at], format)}</strong>}
            </LegendEntry>
          ))}
          {limit && (
            <LegendEntry tone={limit.tone} line>
              {limit.name}
            </LegendEntry>
          )}
          {at !== null && <span className="quiet">{moments[at]}</span>}
        </figcaption>
      </figure>
      <ChartTable
        caption={label}
        columns={[
          { title: of, cell: (index: number) => moments[index] },
          ...series.map(({ name, values }) => ({
            title: name,
            number: true,
            cell: (index: number) => valueText(values[index], format),
          })),
        ]}
        rows={moments.map((_, index) => index)}
        rowKey={(index) => index}
      />
    </div>
  );
}

const valueText = (value: number | null | undefined, format: (value: number) => string) =>
  value === null || value === undefined ? say("none") : format(value);
