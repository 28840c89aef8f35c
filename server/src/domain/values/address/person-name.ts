const MAX_NAME_CHARACTERS = 40;

/**
 * A first or last name: letters of any script with their marks, spaces, apostrophes, hyphens and points, 1 to 40
 * characters after trimming. Digits and control characters are in nobody's name.
 */
export function isPersonName(value: unknown): value is string {
  // Counted in code points; no character takes more than two units, so a long text is refused unread.
  if (typeof value !== "string" || value.length > 2 * MAX_NAME_CHARACTERS + 20) return false;
  return (
    [...value.trim()].length <= MAX_NAME_CHARACTERS &&
    /^[\p{L}\p{M} '\u2019.\u2010-]+$/u.test(value) &&
    /\p{L}/u.test(value)
  );
}
