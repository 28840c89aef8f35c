const DAY_MS = 24 * 3600 * 1000;
/** The day after a day, for lists that end before an instant. Other text stays as it is. */
export function dayAfter(day: string | undefined): string | undefined {
  const next_ms = Date.parse(`${day}T00:00:00Z`) + DAY_MS;
  return Number.isNaN(next_ms) ? day : new Date(next_ms).toISOString().slice(0, 10);
}
