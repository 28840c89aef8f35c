/** An account's own time: real time plus the seconds its sandbox clock was moved forward. */
export const accountNow = (now: Date, clock_offset_s: number) => new Date(now.getTime() + clock_offset_s * 1000);

/** An account's time as real time, for a screen that shows how long ago it was. */
export const realTime = (account_time: Date, clock_offset_s: number) => accountNow(account_time, -clock_offset_s);
