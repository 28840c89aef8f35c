/** Every number of a tally, by its name. */
export function figuresOf(found: object): string {
  return Object.entries(found)
    .flatMap(([name, value]) => (typeof value === "number" ? [figure(name, value)] : []))
    .join(", ");
}

export function figure(name: string, value: number): string {
  const words = name.replaceAll("_", " ");
  if (name.endsWith("_ms")) return `${words.slice(0, -3)} ${duration(value)}`;
  return `${words} ${Math.round(value).toLocaleString("en-US")}`;
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${ms.toFixed(0)} ms`;
  if (ms < 120_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
