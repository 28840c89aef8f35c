/** The ten digits of a North American number, with any punctuation, or null if it is not one. */
export function northAmericanPhone(value: string): string | null {
  if (value.length > 30 || !/^\+?[\d\s().-]+$/.test(value)) return null;
  const digits = value.replaceAll(/\D/g, "").replace(/^1(?=\d{10}$)/, "");
  // Neither area nor exchange begins with 0 or 1, and N11 are service codes.
  return /^(?!.11)[2-9]\d{2}(?!.11)[2-9]\d{6}$/.test(digits) ? digits : null;
}
