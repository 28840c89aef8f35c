/** For lists whose gaps are left out. */
export const isPresent = <Value>(value: Value | null | undefined): value is Value => value != null;
