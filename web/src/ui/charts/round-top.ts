/** Rounds up to 2, 4, 10, 20, 40, 100…, so that half the scale is a whole number too. */
export function roundTop(value: number): number {
  if (value <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 10].map((factor) => factor * power).find((one) => one >= value) ?? value;
}

/** The same for shares: 10%, 20%, 50% or all. */
export const roundShare = (share: number): number => [0.1, 0.2, 0.5].find((one) => one >= share) ?? 1;
