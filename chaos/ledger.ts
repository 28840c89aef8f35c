import type { Demo } from "../server/src/seed/demo.ts";
import { insist, type Reply } from "./ask.ts";
import { move, positionOf, read } from "./client.ts";

/** What the service acknowledged: whatever is done to it afterwards, this must be there, and once. */
export type Ledger = {
  tokens: { partner: number; access_token: string }[];
  moves: { key: string; sent_at_ms: number; text: string }[];
  /** Answers that nobody should get, however the service is treated. */
  unexpected: string[];
};

const ANSWER_DEADLINE_MS = 60_000;

/** Asks for each acknowledged write again and counts those that are gone. */
export async function checkWrites(
  demo: Demo,
  token: string,
  writes: Pick<Ledger, "tokens" | "moves">,
  unexpected: string[],
): Promise<{ checked: number; lost: number }> {
  let lost = 0;
  const judge = (what: string, reply: Reply, isThere: boolean, isGone: boolean) => {
    if (isGone) lost++;
    else if (!isThere) unexpected.push(`${what} answered ${reply.status}`);
  };
  const checkTokens = async (partner: number) => {
    for (const { access_token } of writes.tokens.filter((issued) => issued.partner === partner)) {
      const reply = await insist(() => read(demo, access_token), ANSWER_DEADLINE_MS);
      judge("an acknowledged token", reply, reply.status === 200, reply.status === 401);
    }
  };
  const checkMoves = async () => {
    for (const { key, text } of writes.moves) {
      const reply = await insist(() => move(demo, token, key), ANSWER_DEADLINE_MS);
      const replayed = reply.headers.get("idempotent-replayed") === "true" && reply.text === text;
      judge("an acknowledged move", reply, replayed, reply.status === 202 && !replayed);
    }
  };
  // Each credential has a rate limit of its own, so they need not wait for one another.
  await Promise.all([...demo.partners.keys()].map(checkTokens).concat(checkMoves()));
  return { checked: writes.tokens.length + writes.moves.length, lost };
}

/** Moves the clock once more and holds the place of every acknowledged move against the sum. */
export async function checkMovesAddUp(demo: Demo, token: string, moves: Ledger["moves"]) {
  const sent_at_ms = Date.now();
  const { text } = await insist(() => move(demo, token, `last-${sent_at_ms}`), ANSWER_DEADLINE_MS);
  const positions = [...moves, { sent_at_ms, text }].map((made) => positionOf(made.text, made.sent_at_ms));
  return countMoves(positions);
}

/**
 * Each move has a place of its own, from 1 without a gap. Two with the same place: the first was lost. A place that
 * nobody was told of: a move was made twice.
 */
export function countMoves(positions: readonly number[]): { lost: number; doubled: number } {
  const places = new Set(positions);
  return { lost: positions.length - places.size, doubled: Math.max(0, ...positions) - places.size };
}
