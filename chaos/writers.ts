import { setTimeout as delay } from "node:timers/promises";
import type { Demo } from "../server/src/seed/demo.ts";
import { issue, move, tokenOf } from "./client.ts";
import type { Ledger } from "./ledger.ts";

/** Within the limits of a credential (token server 20 a second, sandbox 25), or the campaign would measure those. */
const TOKEN_EVERY_MS = 70;
const MOVE_EVERY_MS = 100;
const MOVERS = 2;
const ISSUERS = [1, 2];
/** What a request may be told while a process or the database is away. */
const PASSING = new Set([409, 429, 503]);

export type Writers = {
  /** Lets every move that was begun come to its answer, and ends. */
  stop(): Promise<void>;
};

/**
 * Keeps issuing tokens and moving a sandbox clock. `site` says where the service is, undefined while it is not there.
 * A token request without an answer is forgotten; a move is asked for with the same key until it is answered.
 */
export function startWriters(site: () => Demo | undefined, token: string, ledger: Ledger): Writers {
  let stopping = false;

  const issuing = async (partner: number) => {
    for (; !stopping; await delay(TOKEN_EVERY_MS)) {
      const demo = site();
      const reply = demo && (await issue(demo, demo.partners[partner]!));
      if (reply === undefined || PASSING.has(reply.status)) continue;
      if (reply.status === 200) ledger.tokens.push({ partner, access_token: tokenOf(reply) });
      else ledger.unexpected.push(`a token request answered ${reply.status}`);
    }
  };

  const moving = async (mover: number) => {
    for (let number = 0; !stopping; number++) {
      const sent_at_ms = Date.now();
      const key = `mover-${mover}-${sent_at_ms}-${number}`;
      for (let finished = false; !finished; await delay(MOVE_EVERY_MS)) {
        const demo = site();
        const reply = demo && (await move(demo, token, key));
        if (reply === undefined || PASSING.has(reply.status)) continue;
        finished = true;
        if (reply.status === 202) ledger.moves.push({ key, sent_at_ms, text: reply.text });
        else ledger.unexpected.push(`a move answered ${reply.status}`);
      }
    }
  };

  const running = Promise.all([...ISSUERS.map(issuing), ...Array.from({ length: MOVERS }, (_, n) => moving(n))]);
  return {
    async stop() {
      stopping = true;
      await running;
    },
  };
}
