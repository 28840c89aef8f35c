import { setTimeout as delay } from "node:timers/promises";
import { type CertifyReport, certifyRandom, signReport } from "@pestle/contract";
import { partnerAccount } from "../../accounts/partner-account.ts";
import { wholeNumber } from "../../arguments.ts";
import { CommandRefusal, WrongUsage } from "../../errors.ts";
import { writePrivate } from "../../files.ts";
import { progress } from "../../output.ts";
import { type PartnerApi, partnerApiOf } from "../../partner-api.ts";
import type { CommandRow } from "../../program.ts";
import { type SandboxOptions, sandboxOptions } from "../../sandbox/simulate-request.ts";
import { ownEnvironment, readSettings } from "../../settings.ts";
import { certifyKey } from "../certify-key.ts";
import { ownVersion } from "../own-version.ts";
import { type PartnerSystem, startPartnerSystem } from "../partner-system.ts";
import { orderReportText } from "../report-text.ts";
import type { Day } from "./day.ts";
import { forwardFeed } from "./forward-feed.ts";
import { isCertified, judgeDay } from "./judge-day.ts";
import { playDay } from "./play-day.ts";
import { type DayProxy, openProxy } from "./proxy.ts";
import { sandboxOver } from "./sandbox-api.ts";

type OrderOptions = SandboxOptions & {
  command?: string;
  forwardTo?: string;
  port?: string;
  name?: string;
  limit?: string;
  out?: string;
};

const REPORT = "certify-orders-report.json";
const LIMIT_S = 90;
const WATCH_MS = 3_000;
const RETRY_AFTER_S = 2;
/** How long a system that needs no webhook endpoint has for its first request. */
const SETTLE_MS = 5_000;

export const certifyOrdersCommand: CommandRow = {
  name: "certify orders",
  summary: "play a scripted day to a system that places orders, and score it; exit code 1 if it fails",
  options: [
    ["--command <command>", "starts your system, with the addresses of the day in its environment"],
    ["--forward-to <url>", "your webhook receiver, if your system does not register it and does not read the feed"],
    ["--port <port>", "where the day listens on this machine (default: a free port)"],
    ["--name <text>", "what the report calls your system (default: the command)"],
    ["--limit <seconds>", `how long each part of the day waits for your system (default: ${LIMIT_S})`],
    ["--out <file>", `where to write the signed report (default: ${REPORT})`],
    ...sandboxOptions,
  ],
  examples: [
    'certify orders --command "node my-system.mjs"',
    'certify orders --command "python3 my_system.py" --forward-to http://127.0.0.1:3000/hook',
    "certify orders --port 9100 --limit 300 --json",
  ],
  async run(options: OrderOptions, _argument, env) {
    const { out = REPORT, forwardTo } = options;
    if (forwardTo !== undefined && !/^https?:\/\/\S+$/.test(forwardTo)) {
      throw new WrongUsage("--forward-to takes a URL that begins with http:// or https://.");
    }
    const limit_s = wholeNumber(options.limit ?? String(LIMIT_S), "--limit");
    const account = await partnerAccount(options, env, "sandbox");
    if (account.client_secret === "") {
      throw new CommandRefusal("The system signs in with a client secret. Log in with one, or give --client-id.");
    }
    const api = partnerApiOf(account, readSettings(env));
    const { report, day } = await certified(api, { ...options, limit_s }, env);
    writePrivate(out, `${JSON.stringify(report, null, 2)}\n`);
    const text = `${orderReportText(report, day.calls)}\nSigned report: ${out}`;
    return { data: report, text, failed: !report.passed };
  },
};

async function certified(
  api: PartnerApi,
  options: OrderOptions & { limit_s: number },
  env: NodeJS.ProcessEnv | undefined,
): Promise<{ report: CertifyReport; day: Day }> {
  const { command, forwardTo, limit_s, name = command ?? "order integration" } = options;
  const { base_url, client } = api;
  const { client_id, client_secret, auth_url } = client;
  const keys = certifyKey(env);
  const proxy = await openProxy(
    { base_url, auth_url, fetch: globalThis.fetch },
    {
      ...(options.port !== undefined && { port: wholeNumber(options.port, "--port") }),
      retry_after_s: RETRY_AFTER_S,
      client_secret,
    },
  );
  const stop = new AbortController();
  const bar = progress();
  let system: PartnerSystem | undefined;
  try {
    if (forwardTo !== undefined) await forwardFeed(api, forwardTo, stop.signal);
    if (command === undefined) tellAddress(proxy.url);
    else
      system = startPartnerSystem(
        command,
        { ...ownEnvironment(env), ...addressesOf(client_id, client_secret, proxy.url) },
        endedEarly,
      );
    const played = (async () => {
      await isReady(proxy, { limit_ms: limit_s * 1000, told: forwardTo !== undefined, started: command !== undefined });
      return playDay(
        proxy,
        sandboxOver((method, path, body) => api.request(method, path, { body })),
        {
          run_id: certifyRandom().run_id,
          retry_after_s: RETRY_AFTER_S,
          limit_ms: limit_s * 1000,
          watch_ms: WATCH_MS,
          onScene: (done, all) => bar.show(`${done} of ${all} prescriptions`),
        },
      );
    })();
    const day = await (system === undefined ? played : Promise.race([played, system.ended]));
    const checks = judgeDay(day);
    const facts = {
      form: 1,
      kind: "orders",
      subject: name,
      account_id: client_id.split("-")[0]!,
      environment: "sandbox",
      at: new Date().toISOString(),
      run_by: "developer",
      effects_checked: true,
      passed: isCertified(checks),
      checks,
      pestle_version: ownVersion(),
    } as const;
    return { report: signReport(facts, keys), day };
  } finally {
    bar.done();
    stop.abort();
    await system?.stop();
    await proxy.close();
  }
}

const endedEarly = (code: number | null) =>
  new CommandRefusal(
    `The command ended with ${code === null ? "a signal" : `exit code ${code}`} before the day was over.`,
  );

/** Under the names of our examples and of the Python SDK. */
function addressesOf(client_id: string, client_secret: string, url: string): Record<string, string> {
  const own = { CLIENT_ID: client_id, CLIENT_SECRET: client_secret, BASE_URL: url, AUTH_URL: url };
  return { ...own, ...Object.fromEntries(Object.entries(own).map(([name, value]) => [`PESTLE_${name}`, value])) };
}

const tellAddress = (url: string) =>
  process.stderr.write(`Start your system now, with ${url} as the address of the API and of the token server.\n`);

type Readiness = { limit_ms: number; told: boolean; started: boolean };

/** The first prescription must not come before the system listens. */
async function isReady(proxy: DayProxy, { limit_ms, told, started }: Readiness): Promise<void> {
  // The forwarder waits for the receiver by itself.
  if (told) return;
  const listens = () =>
    proxy.calls.some(
      ({ path, status }) => /^\/webhook_(endpoints|events)/.test(path) && status !== null && status < 300,
    );
  const signal = AbortSignal.timeout(limit_ms);
  while (!listens() && !signal.aborted) {
    const soon = AbortSignal.any([signal, AbortSignal.timeout(SETTLE_MS)]);
    const before = proxy.calls.length;
    await proxy.changed(soon);
    // It has an endpoint already, and calls nothing until an event comes.
    if (started && proxy.calls.length === before && soon.aborted) break;
  }
  if (!started && proxy.calls.length === 0)
    throw new CommandRefusal(`No request came within ${limit_ms / 1000} seconds.`);
  await delay(0);
}
