const MAX_NAME_CHARACTERS = 40;

/**
 * A first or last name: letters of any script with their marks, spaces, apostrophes, hyphens and periods, 1 to 40
 * characters after trimming. Rejects digits and control characters.
 */
export function isPersonName(value: unknown): value is string {
  // Counts code points. A character has at most two units, so a long text is rejected without reading it.
  if (typeof value !== "string" || value.length > 2 * MAX_NAME_CHARACTERS + 20) return false;
  return (
    [...value.trim()].length <= MAX_NAME_CHARACTERS &&
    /^[\p{L}\p{M} '\u2019.\u2010-]+$/u.test(value) &&
    /\p{L}/u.test(value)
  );
}
