import type { Measured } from "./load.ts";
import { httpFigures, httpJson, httpLine, median, type Report, rateLine, rounded } from "./report.ts";

export type TokenRound = { token: Measured; read: Measured; bare_route: Measured; pgbench_per_second: number };

const AIMS = { read_per_bare_route: 0.6, token_per_pgbench: 0.4 };

/** The median of the rounds as a table, the ratios with their targets, and everything as one JSON object. */
export function tokenReport(rounds: TokenRound[], statements: { token: number; read: number }): Report {
  const token = httpFigures(rounds.map((round) => round.token));
  const read = httpFigures(rounds.map((round) => round.read));
  const bare_route = httpFigures(rounds.map((round) => round.bare_route));
  const pgbench_per_second = Math.round(median(rounds.map((round) => round.pgbench_per_second)));
  const ratio = (pick: (round: TokenRound) => number) => rounded(median(rounds.map(pick)));
  const ratios = {
    token_per_pgbench: ratio((round) => round.token.per_second / round.pgbench_per_second),
    token_per_bare_route: ratio((round) => round.token.per_second / round.bare_route.per_second),
    read_per_bare_route: ratio((round) => round.read.per_second / round.bare_route.per_second),
  };
  const reached =
    ratios.read_per_bare_route >= AIMS.read_per_bare_route && ratios.token_per_pgbench >= AIMS.token_per_pgbench;
  const text = [
    httpLine("POST /oauth/token", token),
    httpLine("GET /shipping_methods, authenticated", read),
    httpLine("bare Fastify route, same body", bare_route),
    rateLine("pgbench, the token's statement", pgbench_per_second),
    "",
    `token / pgbench      ${ratios.token_per_pgbench.toFixed(2)}   (target ${AIMS.token_per_pgbench})`,
    `token / bare route   ${ratios.token_per_bare_route.toFixed(2)}`,
    `read / bare route    ${ratios.read_per_bare_route.toFixed(2)}   (target ${AIMS.read_per_bare_route})`,
    `statements           token ${statements.token.toFixed(2)}   read ${statements.read.toFixed(2)}`,
  ].join("\n");
  const json = {
    bench: "token",
    rounds: rounds.length,
    ...httpJson("token", token),
    ...httpJson("read", read),
    ...httpJson("bare_route", bare_route),
    pgbench_per_second,
    ...ratios,
    token_statements: rounded(statements.token),
    read_statements: rounded(statements.read),
    reached,
  };
  return { text, json, reached };
}
