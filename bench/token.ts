import type { BareRoute } from "./bare-route.ts";
import { startChild } from "./child.ts";
import type { Load } from "./load.ts";
import { type Prepared, prepareAccount } from "./prepare-account.ts";
import type { Report } from "./report.ts";
import { type Effort, onStage, WARM_UP_MS } from "./stage.ts";
import { tokenPgbench } from "./token-pgbench.ts";
import { tokenReport } from "./token-report.ts";

/** Each client id may request 20 tokens a second, so this many exceed what the machine can do. */
const CREDENTIALS = 1_000;

/**
 * Tokens and authenticated reads a second, compared with the web framework and the database alone. The figures vary
 * between machines, the ratios hardly.
 */
export function benchToken({ rounds: count, round_ms }: Effort): Promise<Report> {
  return onStage(async (stage) => {
    const bare = startChild("./bare-route.ts");
    stage.onClose(bare.end);
    const prepared = await prepareAccount(stage, CREDENTIALS);
    const routes: BareRoute[] = [{ method: "GET", path: "/shipping_methods", status: 200, body: prepared.read_body }];
    const { url: bare_url } = await bare.ask(routes);
    const loads = httpLoads(stage.demo, prepared, String(bare_url));
    const measure = (name: keyof typeof loads, duration_ms: number) =>
      stage.measure(name, { ...loads[name], duration_ms });
    const statement = tokenPgbench({ account_id: prepared.account_id, credentials: CREDENTIALS });
    const pgbench = (duration_ms: number) => stage.pgbench({ ...statement, duration_ms });

    for (const name of ["token", "read", "bare"] as const) await measure(name, WARM_UP_MS);
    pgbench(WARM_UP_MS);
    const rounds = [];
    for (let round = 1; round <= count; round++) {
      // Measured close together, so that anything that slows the machine slows all four.
      const token = await measure("token", round_ms);
      const read = await measure("read", round_ms);
      const bare_route = await measure("bare", round_ms);
      rounds.push({ token, read, bare_route, pgbench_per_second: pgbench(round_ms) });
    }
    const token = await stage.statementsPer(() => measure("token", WARM_UP_MS));
    const read = await stage.statementsPer(() => measure("read", WARM_UP_MS));
    return tokenReport(rounds, { token, read });
  });
}

function httpLoads(
  demo: { base_url: string; auth_url: string },
  { clients, access_token }: Prepared,
  bare_url: string,
): Record<"token" | "read" | "bare", Pick<Load, "url" | "requests">> {
  const tokenRequest = ({ client_id, client_secret }: Prepared["clients"][number]) => {
    const body = `grant_type=client_credentials&scope=partners&client_id=${client_id}&client_secret=${client_secret}`;
    return [
      "POST /oauth/token HTTP/1.1",
      "host: localhost",
      "content-type: application/x-www-form-urlencoded",
      `content-length: ${body.length}`,
      "",
      body,
    ].join("\r\n");
  };
  const readRequest = [
    "GET /shipping_methods HTTP/1.1",
    "host: localhost",
    "accept: application/json",
    `authorization: Bearer ${access_token}`,
    "",
    "",
  ].join("\r\n");
  return {
    token: { url: demo.auth_url, requests: clients.map(tokenRequest) },
    read: { url: demo.base_url, requests: [readRequest] },
    bare: { url: bare_url, requests: [readRequest] },
  };
}
