/** The SVG path of a line with gaps for missing values. A single value between two gaps becomes a short dash. */
export function linePath(
  values: readonly (number | null)[],
  xOf: (index: number) => number,
  yOf: (value: number) => number,
  step: number,
): string {
  return values
    .map((value, index) => {
      if (value === null) return "";
      const [x, y] = [xOf(index), yOf(value).toFixed(2)];
      if ((values[index - 1] ?? null) !== null) return `L${x} ${y}`;
      return (values[index + 1] ?? null) === null ? `M${x - step / 3} ${y}H${x + step / 3}` : `M${x} ${y}`;
    })
    .join("");
}
