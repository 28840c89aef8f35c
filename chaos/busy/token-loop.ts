import { setTimeout as delay } from "node:timers/promises";
import { insist } from "../ask.ts";
import { issue, read, tokenOf } from "../client.ts";
import type { Sites } from "../journeys.ts";

/** Below the rate limit of a credential at the token server. */
const EVERY_MS = 150;
const ANSWER_DEADLINE_MS = 120_000;
/** As many of the newest tokens are used once more at the end. */
const USED_AGAIN = 100;

export type TokenLoop = { issued(): number; stop(): Promise<string[]> };

/**
 * Partners that get a token, use it at once, and use it again at the end. A token that the service issued is never refused.
 * One partner is in the sandbox, one in production.
 */
export function runTokens(sites: Sites, partners: readonly number[]): TokenLoop {
  const faults: string[] = [];
  const tokens: string[] = [];
  let stopping = false;
  const anySite = () => sites().find((site) => site !== undefined);
  const use = async (token: string, when: string) => {
    const reply = await insist(async () => {
      const site = anySite();
      return site && read(site, token);
    }, ANSWER_DEADLINE_MS);
    if (reply.status !== 200) faults.push(`an acknowledged token was answered with ${reply.status} ${when}`);
  };
  const loop = async (partner: number) => {
    for (; !stopping; await delay(EVERY_MS)) {
      const site = anySite();
      const reply = site && (await issue(site, site.partners[partner]!));
      if (reply === undefined || reply.status === 503 || reply.status === 429) continue;
      if (reply.status !== 200) {
        faults.push(`a token request was answered with ${reply.status}`);
        continue;
      }
      const token = tokenOf(reply);
      tokens.push(token);
      await use(token, "at once");
    }
  };
  const running = Promise.all(partners.map(loop));
  // `stop` reports a failure. Until then an unhandled rejection would end the process.
  running.catch(() => {});
  return {
    issued: () => tokens.length,
    async stop() {
      stopping = true;
      await running;
      for (const token of tokens.slice(-USED_AGAIN)) await use(token, "at the end");
      return faults;
    },
  };
}
