/** A page of a list has at most this many bytes, and at least one record. */
export const MOST_PAGE_BYTES = 1024 * 1024;
