/** An account's own time: real time plus the seconds its sandbox clock was moved forward. */
export const accountNow = (now: Date, clock_offset_s: number) => new Date(now.getTime() + clock_offset_s * 1000);
