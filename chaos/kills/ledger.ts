import type { Demo } from "../../server/src/seed/demo-file.ts";
import { insist, type Reply } from "../ask.ts";
import { move, positionOf, read } from "../client.ts";

/** Writes that the service acknowledged. Each must exist exactly once, regardless of later kills. */
export type Ledger = {
  tokens: { partner: number; access_token: string }[];
  moves: { key: string; sent_at_ms: number; text: string }[];
  /** Answers that no client should get, even during kills. */
  unexpected: string[];
};

const ANSWER_DEADLINE_MS = 60_000;

/** Reads each acknowledged write back and counts those that are missing. */
export async function checkWrites(
  demo: Demo,
  token: string,
  writes: Pick<Ledger, "tokens" | "moves">,
  unexpected: string[],
): Promise<{ checked: number; lost: number }> {
  let lost = 0;
  const judge = (what: string, reply: Reply, isThere: boolean, isGone: boolean) => {
    if (isGone) lost++;
    else if (!isThere) unexpected.push(`${what} got ${reply.status}`);
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
      judge("an acknowledged clock move", reply, replayed, reply.status === 202 && !replayed);
    }
  };
  // Each credential has its own rate limit, so the requests run concurrently.
  await Promise.all([...demo.partners.keys()].map(checkTokens).concat(checkMoves()));
  return { checked: writes.tokens.length + writes.moves.length, lost };
}

/** Moves the clock once more and compares the position of every acknowledged move with the total. */
export async function checkMovesAddUp(demo: Demo, token: string, moves: Ledger["moves"]) {
  const sent_at_ms = Date.now();
  const { text } = await insist(() => move(demo, token, `last-${sent_at_ms}`), ANSWER_DEADLINE_MS);
  const positions = [...moves, { sent_at_ms, text }].map((made) => positionOf(made.text, made.sent_at_ms));
  return countMoves(positions);
}

/**
 * Positions run from 1 without a gap. If two moves share a position, the first was lost. If no client knows a
 * position, the service made a move twice.
 */
export function countMoves(positions: readonly number[]): { lost: number; doubled: number } {
  const places = new Set(positions);
  return { lost: positions.length - places.size, doubled: Math.max(0, ...positions) - places.size };
}
