import type { Measured } from "./load.ts";

export type Round = { token: Measured; read: Measured; bare_route: Measured; pgbench_per_second: number };
export type Report = { text: string; json: Record<string, number | boolean | string>; reached: boolean };

const AIMS = { read_per_bare_route: 0.6, token_per_pgbench: 0.4 };

/** The median of the rounds as a table, the ratios with their aims, and all of it as one JSON object. */
export function report(rounds: Round[], statements: { token: number; read: number }): Report {
  const http = (name: "token" | "read" | "bare_route") => ({
    per_second: Math.round(median(rounds.map((round) => round[name].per_second))),
    p50_ms: rounded(median(rounds.map((round) => round[name].p50_ms))),
    p99_ms: rounded(median(rounds.map((round) => round[name].p99_ms))),
  });
  const [token, read, bare_route] = [http("token"), http("read"), http("bare_route")];
  const pgbench_per_second = Math.round(median(rounds.map((round) => round.pgbench_per_second)));
  const ratio = (pick: (round: Round) => number) => rounded(median(rounds.map(pick)));
  const ratios = {
    token_per_pgbench: ratio((round) => round.token.per_second / round.pgbench_per_second),
    token_per_bare_route: ratio((round) => round.token.per_second / round.bare_route.per_second),
    read_per_bare_route: ratio((round) => round.read.per_second / round.bare_route.per_second),
  };
  const reached =
    ratios.read_per_bare_route >= AIMS.read_per_bare_route && ratios.token_per_pgbench >= AIMS.token_per_pgbench;
  const line = (name: string, { per_second, p50_ms, p99_ms }: ReturnType<typeof http>) =>
    `${name.padEnd(36)}${String(per_second).padStart(8)} /s   p50 ${p50_ms.toFixed(2)} ms   p99 ${p99_ms.toFixed(2)} ms`;
  const text = [
    line("POST /oauth/token", token),
    line("GET /shipping_methods, authenticated", read),
    line("bare Fastify route, same body", bare_route),
    `${"pgbench, the token's statement".padEnd(36)}${String(pgbench_per_second).padStart(8)} /s`,
    "",
    `token / pgbench      ${ratios.token_per_pgbench.toFixed(2)}   (aim ${AIMS.token_per_pgbench})`,
    `token / bare route   ${ratios.token_per_bare_route.toFixed(2)}`,
    `read / bare route    ${ratios.read_per_bare_route.toFixed(2)}   (aim ${AIMS.read_per_bare_route})`,
    `statements           token ${statements.token.toFixed(2)}   read ${statements.read.toFixed(2)}`,
  ].join("\n");
  const json = {
    bench: "token",
    rounds: rounds.length,
    token_per_second: token.per_second,
    token_p50_ms: token.p50_ms,
    token_p99_ms: token.p99_ms,
    read_per_second: read.per_second,
    read_p50_ms: read.p50_ms,
    read_p99_ms: read.p99_ms,
    bare_route_per_second: bare_route.per_second,
    bare_route_p50_ms: bare_route.p50_ms,
    bare_route_p99_ms: bare_route.p99_ms,
    pgbench_per_second,
    ...ratios,
    token_statements: rounded(statements.token),
    read_statements: rounded(statements.read),
    reached,
  };
  return { text, json, reached };
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

const rounded = (value: number) => Math.round(value * 100) / 100;
