type Place = { account_id: string; review_id: number };

let list: { back: string; entries: readonly Place[] } = { back: "/reviews", entries: [] };

/** The list a review was opened from. Closing a review moves to the next one. */
export function setReviewList(next: typeof list): void {
  list = next;
}

export function placeInReviewList({ account_id, review_id }: Place) {
  const at = list.entries.findIndex((one) => one.account_id === account_id && one.review_id === review_id);
  const { back, entries } = list;
  if (at === -1) return { back, at, length: 0, previous: undefined, next: undefined };
  return { back, at, length: entries.length, previous: entries[at - 1], next: entries[at + 1] };
}

/** Removes a closed review from previous/next navigation. */
export function leaveReviewList({ account_id, review_id }: Place): void {
  const entries = list.entries.filter((one) => one.account_id !== account_id || one.review_id !== review_id);
  list = { ...list, entries };
}
