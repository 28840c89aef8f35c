/** A line with something on it. Half of a surrogate pair is no character, and could not be given back as it came. */
export const isOneLine = (value: unknown, longest: number): value is string =>
  typeof value === "string" &&
  value.length <= longest &&
  value.trim() !== "" &&
  !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(value);
