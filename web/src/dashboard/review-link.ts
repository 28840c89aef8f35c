/** Path of the review screen. */
export const reviewPath = ({ account_id, review_id }: { account_id: string; review_id: number }): string =>
  `/reviews/${encodeURIComponent(account_id)}/${review_id}`;
