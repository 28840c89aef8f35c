/**
 * A limit on wrong tries: `free` of them cost nothing, and each further one doubles the wait, from `first_s` to
 * `longest_s`. One try is forgotten for every `forget_s` without another one.
 */
export type TryLimit = { free: number; first_s: number; longest_s: number; forget_s: number };
export type Tries = { level: number; at_ms: number; blocked_until_ms: number };

export const tryLimits = {
  /** One name from one network: a person who mistypes. */
  name_from_network: { free: 10, first_s: 30, longest_s: 900, forget_s: 900 },
  /** One name from anywhere: a guess that comes from many addresses. */
  name: { free: 30, first_s: 30, longest_s: 900, forget_s: 900 },
  /** Letters to one address. */
  letters: { free: 4, first_s: 300, longest_s: 3600, forget_s: 3600 },
  /** Tokens for one person at the API reference: each lasts ten minutes. */
  reference_tokens: { free: 12, first_s: 300, longest_s: 1800, forget_s: 600 },
  /** All names from one network: many people can work behind one address. */
  network: { free: 50, first_s: 30, longest_s: 900, forget_s: 18 },
} as const satisfies Record<string, TryLimit>;

export const noTries = (now_ms: number): Tries => ({ level: 0, at_ms: now_ms, blocked_until_ms: 0 });

/** Counts a try in place, before it is known whether it is right. Returns the seconds to wait, 0 if it is allowed. */
export function takeTry(tries: Tries, limit: TryLimit, now_ms: number): number {
  if (tries.blocked_until_ms > now_ms) return Math.ceil((tries.blocked_until_ms - now_ms) / 1000);
  const forgotten = Math.floor(Math.max(0, now_ms - tries.at_ms) / 1000 / limit.forget_s);
  tries.level = Math.max(0, tries.level - forgotten) + 1;
  tries.at_ms = now_ms;
  const past = tries.level - limit.free;
  tries.blocked_until_ms = past < 0 ? 0 : now_ms + Math.min(limit.longest_s, limit.first_s * 2 ** past) * 1000;
  return 0;
}

/** Takes back a try that was right. */
export function takeBackTry(tries: Tries, limit: TryLimit): void {
  tries.level = Math.max(0, tries.level - 1);
  if (tries.level < limit.free) tries.blocked_until_ms = 0;
}
