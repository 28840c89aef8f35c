/** An endpoint with deliveries that are due. */
export type Asking = {
  /** How many it could be sent at once. */
  room: number;
  /** How many are under way already. */
  in_flight: number;
};

/**
 * Shares out the attempts that may begin now: in turns, beginning with whoever has the fewest under way, so that nobody's
 * backlog keeps another waiting. The shares stand in the order of who asked.
 */
export function shareSlots(asking: readonly Asking[], slots: number): number[] {
  const shares = asking.map(() => 0);
  const turns = asking.map((_, index) => index).sort((a, b) => asking[a]!.in_flight - asking[b]!.in_flight);
  let left = slots;
  let open = turns.filter((index) => asking[index]!.room > 0);
  while (left > 0 && open.length > 0) {
    // As many whole rounds at once as everybody still has room for.
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
