/** An endpoint with deliveries that are due. */
export type Asking = {
  /** How many attempts it can take now. */
  room: number;
  /** How many attempts are in progress. */
  in_flight: number;
};

/**
 * Distributes the free slots round-robin, starting with the endpoint that has the fewest attempts in progress, so that
 * one backlog does not delay others. Returns the shares in the order of `asking`.
 */
export function shareSlots(asking: readonly Asking[], slots: number): number[] {
  const shares = asking.map(() => 0);
  const turns = asking.map((_, index) => index).sort((a, b) => asking[a]!.in_flight - asking[b]!.in_flight);
  let left = slots;
  let open = turns.filter((index) => asking[index]!.room > 0);
  while (left > 0 && open.length > 0) {
    // Assigns as many whole rounds at once as all still have room for.
    const narrowest = Math.min(...open.map((index) => asking[index]!.room - shares[index]!));
    const rounds = Math.max(1, Math.min(narrowest, Math.floor(left / open.length)));
    for (const index of open) {
      const given = Math.min(rounds, left);
      shares[index]! += given;
      left -= given;
    }
    open = open.filter((index) => shares[index]! < asking[index]!.room);
  }
  return shares;
}
