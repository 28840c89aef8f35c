import type { Deps } from "../../deps.ts";
import type { Limit } from "../../domain/accounts/rate-limit.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";

/** Ten wrong tries, then one every 90 s. */
export const FEW_TRIES: Limit = { rate_per_second: 10 / 900, burst: 10 };

type Try = readonly [whose: string, what: string, limit: Limit];

/**
 * Takes a try from each limit before comparing anything, so that parallel requests get no extra tries. Refuses with 429
 * if a limit is used up. Call the returned function after a correct try to give the tries back.
 */
export function takeTries({ strangers }: Pick<Deps, "strangers">, now: Date, tries: readonly Try[]): () => void {
  const taken: Try[] = [];
  const giveBack = () => {
    for (const one of taken) strangers.giveBack(...one);
  };
  for (const one of tries) {
    const { allowed, retry_after_s } = strangers.spend(...one, now.getTime());
    if (!allowed) {
      giveBack();
      throw new StatusRefusal(429, retry_after_s);
    }
    taken.push(one);
  }
  return giveBack;
}
