/** Bytes inside JSON, in the hexadecimal form that PostgreSQL reads. */
export type Bytes = `\\x${string}`;
export const bytes = (value: Buffer): Bytes => `\\x${value.toString("hex")}`;

/** A time inside JSON: a Date becomes the same text as its `toISOString`. */
export type Instant = Date | string;
