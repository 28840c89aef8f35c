/** Number formats for charts and tiles. A dash means no data. */

export const percent = (share: number | null) =>
  share === null ? "–" : `${(share * 100).toLocaleString(undefined, { maximumFractionDigits: 1 })}%`;

export const milliseconds = (value: number | null) =>
  value === null ? "–" : `${Math.round(value).toLocaleString()} ms`;

export const hourText = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "2-digit", minute: "2-digit" });
