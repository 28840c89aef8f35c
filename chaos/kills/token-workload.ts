import { setTimeout as delay } from "node:timers/promises";
import { insist } from "../ask.ts";
import { issue, move, partnerToken, tokenOf } from "../client.ts";
import { checkMovesAddUp, checkWrites, type Ledger } from "./ledger.ts";
import { type OpenWorkload, runWriters, type Site } from "./workload.ts";

/**
 * Below the rate limits of a credential (token server 20 a second, sandbox 25). Otherwise the campaign would measure
 * those.
 */
const TOKEN_EVERY_MS = 70;
const MOVE_EVERY_MS = 100;
const MOVERS = 2;
const ISSUERS = [1, 2];
/** Statuses that a request may get while a process or the database is down. */
const PASSING = new Set([409, 429, 503]);
const ANSWER_DEADLINE_MS = 60_000;

/**
 * Keeps issuing tokens and moving a sandbox clock. Drops a token request without an answer, and repeats a move with
 * the same key until it has one.
 */
export const openTokenWorkload: OpenWorkload = ({ unexpected }) => {
  const ledger: Ledger = { tokens: [], moves: [], unexpected };
  let looked = { tokens: 0, moves: 0 };
  let token = "";

  const issuing = (site: Site, partner: number) => async (isStopping: () => boolean) => {
    for (; !isStopping(); await delay(TOKEN_EVERY_MS)) {
      const demo = site();
      const reply = demo && (await issue(demo, demo.partners[partner]!));
      if (reply === undefined || PASSING.has(reply.status)) continue;
      if (reply.status === 200) ledger.tokens.push({ partner, access_token: tokenOf(reply) });
      else unexpected.push(`a token request got ${reply.status}`);
    }
  };
  const moving = (site: Site, mover: number) => async (isStopping: () => boolean) => {
    for (let number = 0; !isStopping(); number++) {
      const sent_at_ms = Date.now();
      const key = `mover-${mover}-${sent_at_ms}-${number}`;
      const send = async () => {
        const demo = site();
        return demo && move(demo, token, key);
      };
      const reply = await insist(send, ANSWER_DEADLINE_MS);
      if (reply.status === 202) ledger.moves.push({ key, sent_at_ms, text: reply.text });
      else unexpected.push(`a clock move got ${reply.status}`);
      await delay(MOVE_EVERY_MS);
    }
  };

  return {
    async enter(demo) {
      token = await partnerToken(demo);
    },
    write: (site) =>
      runWriters([
        ...ISSUERS.map((partner) => issuing(site, partner)),
        ...Array.from({ length: MOVERS }, (_, mover) => moving(site, mover)),
      ]),
    async check(demo) {
      const fresh = { tokens: ledger.tokens.slice(looked.tokens), moves: ledger.moves.slice(looked.moves) };
      looked = { tokens: ledger.tokens.length, moves: ledger.moves.length };
      return checkWrites(demo, token, fresh, unexpected);
    },
    async checkAll(demo) {
      const { lost } = await checkWrites(demo, token, ledger, unexpected);
      const sum = await checkMovesAddUp(demo, token, ledger.moves);
      return { lost: lost + sum.lost, doubled: sum.doubled };
    },
    seen: () => ({}),
  };
};
