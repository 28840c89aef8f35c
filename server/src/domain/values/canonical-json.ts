/** The same value gives the same text, whatever the order of its keys. Depth was bounded when it was read. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
