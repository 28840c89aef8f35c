/** Bytes inside JSON, in PostgreSQL's hexadecimal format. */
export type Bytes = `\\x${string}`;
export const bytes = (value: Buffer): Bytes => `\\x${value.toString("hex")}`;

/** A time inside JSON: a Date serializes as `toISOString`. */
export type Instant = Date | string;
