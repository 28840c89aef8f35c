/** Where an entry that waits for a person is looked at and decided. */
export const reviewPath = ({ account_id, review_id }: { account_id: string; review_id: number }): string =>
  `/reviews/${encodeURIComponent(account_id)}/${review_id}`;
