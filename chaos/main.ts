import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openEmbeddedPostgres } from "../server/src/db/embedded/embedded.ts";
import { type ContractTally, holdToContract, onOwnService } from "./contract.ts";
import { openIntakeWorkload } from "./intake-workload.ts";
import { killFirstStarts, killWhileRunning, type RunningKind, type Tally } from "./kills.ts";
import { type LifecycleTally, playLifecycles } from "./lifecycle.ts";
import { type Mutations, readMutations, sendMutations } from "./mutations.ts";
import { type RaceTally, race } from "./races.ts";
import { seededRandom } from "./random.ts";
import { campaignSdk, type SdkTally } from "./sdk.ts";
import { removeDataDir } from "./server-process.ts";
import { askSpecmatic, hasJava, type SpecmaticTally } from "./specmatic.ts";
import { openTokenWorkload } from "./token-workload.ts";
import { hostility } from "./webhook-receivers.ts";
import { campaignWebhooks } from "./webhooks.ts";
import type { OpenWorkload } from "./workload.ts";

type Options = { count: number | undefined; kills: number | undefined; seed: number };
type Campaign = { about: string; run(options: Options): Promise<boolean> };

const KILLS_OF_EACH_KIND = 50;
const FIRST_STARTS_PER_KILL = 0.4;
const MUTATIONS = 200_000;
const MUTATIONS_SENT = 2_000;
const READ_WITHIN_MS = 200;
const RACES = 100_000;
const LIFECYCLES = 50_000;
const SHOWN_EVERY = 1_000;
const DELIVERIES = 100_000;
const ENDPOINTS = 20;
const KILLS_OF_DELIVERIES = 20;
const SDK_ORDERS = 1_000;
const REQUESTS_OF_EACH = 500;

/** Every campaign: `npm run campaign -- NAME [--count N] [--kills N] [--seed S]`. Each says whether all was well. */
const campaigns: Record<string, Campaign> = {
  kills: {
    about: `kill -9 of the service, its database, both, and during a first start; nothing acknowledged may be lost (${KILLS_OF_EACH_KIND} of each)`,
    async run({ count = KILLS_OF_EACH_KIND, seed }) {
      const random = seededRandom(seed);
      const well = await killEachKind(openTokenWorkload, count, random);
      const first_starts = Math.ceil(count * FIRST_STARTS_PER_KILL);
      return show(await killFirstStarts({ random, from: "built", count: first_starts })) && well;
    },
  },
  intake: {
    about: `kill -9 of the service, its database and both while e-prescriptions come in; each acknowledged one is there once (${KILLS_OF_EACH_KIND} of each)`,
    run: ({ count = KILLS_OF_EACH_KIND, seed }) => killEachKind(openIntakeWorkload, count, seededRandom(seed)),
  },
  mutations: {
    about: `mutated e-prescriptions through the readers (${MUTATIONS}) and over HTTP (${MUTATIONS_SENT}): no crash, none over ${READ_WITHIN_MS} ms, no 500`,
    async run({ count = MUTATIONS, seed }) {
      // Far enough from the end of the numbers that a seed can be.
      const first = seed % 2 ** 30;
      const well = await showReading({ first, count });
      return (await showSending({ first, count: Math.min(count, MUTATIONS_SENT) })) && well;
    },
  },
  races: {
    about: `orders of 50 clients at two processes for the same units, shelves and keys (${RACES}); with --kills N a process is killed N times meanwhile`,
    run: ({ count = RACES, kills = 0, seed }) =>
      onOwnDatabase(async (own) => {
        const begin_ms = Date.now();
        const tally = await race({ ...own, from: "built", count, kills, random: seededRandom(seed) });
        return showRace(tally, Date.now() - begin_ms);
      }),
  },
  lifecycle: {
    about: `random commands of partners, people, carriers and clocks on orders, beside a model that must come out the same (${LIFECYCLES} stories)`,
    run: ({ count = LIFECYCLES, seed }) =>
      onOwnDatabase(async (own) => {
        const begin_ms = Date.now();
        const onProgress = (told: number) => {
          if (told % SHOWN_EVERY === 0) console.log(`${told} stories in ${seconds(Date.now() - begin_ms)}`);
        };
        const tally = await playLifecycles({ ...own, count, seed: seed % 2 ** 31, onProgress });
        return showLifecycles(tally, Date.now() - begin_ms);
      }),
  },
  webhooks: {
    about: `deliveries (${DELIVERIES}) to ${ENDPOINTS} endpoints, three of them hostile, with processes and database killed meanwhile (--kills, ${KILLS_OF_DELIVERIES}); the receivers tell`,
    async run({ count = DELIVERIES, kills = KILLS_OF_DELIVERIES, seed }) {
      const hostile = Object.keys(hostility) as (keyof typeof hostility)[];
      const begin_ms = Date.now();
      const given = { from: "built", deliveries: count, endpoints: ENDPOINTS, hostile, kills } as const;
      const { faults, ...tally } = await campaignWebhooks({ ...given, random: seededRandom(seed) });
      const counts = Object.entries(tally).map(([name, value]) => `  ${name.replaceAll("_", " ")} ${value}`);
      console.log(`took ${((Date.now() - begin_ms) / 1000).toFixed(1)} s${counts.join("")}  faults ${faults.length}`);
      for (const fault of [...new Set(faults)].slice(0, 20)) console.log(`             ${fault}`);
      return faults.length === 0;
    },
  },
  sdk: {
    about: `orders (${SDK_ORDERS}) placed by the SDK through a proxy that drops, delays, doubles and resets; each is there once`,
    run: ({ count = SDK_ORDERS, seed }) =>
      onOwnDatabase(async (own) => {
        const begin_ms = Date.now();
        const tally = await campaignSdk({ ...own, from: "built", count, random: seededRandom(seed) });
        return showSdk(tally, Date.now() - begin_ms);
      }),
  },
  contract: {
    about: `requests made from the OpenAPI document, good and bad, to every operation (${REQUESTS_OF_EACH} to each); every answer must be as it says; then Specmatic, where there is Java`,
    async run({ count = REQUESTS_OF_EACH, seed }) {
      const begin_ms = Date.now();
      const tally = await onOwnService("built", (demo) => holdToContract({ demo, count, seed: seed % 2 ** 30 }));
      const well = showContract(tally, Date.now() - begin_ms);
      if (!hasJava()) console.log("Specmatic was not asked, for want of Java");
      else
        return showSpecmatic(await onOwnService("built", (demo) => askSpecmatic({ demo, every_query: true }))) && well;
      return well;
    },
  },
};

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

async function onOwnDatabase(
  run: (own: { database_url: string; master_key: string }) => Promise<boolean>,
): Promise<boolean> {
  const data_dir = mkdtempSync(join(tmpdir(), "pestle-campaign-"));
  const postgres = await openEmbeddedPostgres({ data_dir });
  try {
    const { user, database, host, port } = postgres.connection;
    const database_url = `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
    return await run({ database_url, master_key: "0".repeat(64) });
  } finally {
    await postgres.stopIfUnused();
    await removeDataDir(data_dir);
  }
}

function showContract({ operations, requests, answers, faults }: ContractTally, took_ms: number): boolean {
  for (const [operation, statuses] of Object.entries(answers)) {
    const counts = Object.entries(statuses).map(([status, times]) => `${status}: ${times}`);
    console.log(`${operation.padEnd(30)}${counts.join("  ")}`);
  }
  console.log(`${requests} requests to ${operations} operations in ${seconds(took_ms)}  faults ${faults.length}`);
  for (const fault of faults.slice(0, 20)) console.log(`             ${fault}`);
  return faults.length === 0;
}

function showSpecmatic({ operations, tests, refused_by_rule, faults }: SpecmaticTally): boolean {
  console.log(
    `Specmatic made ${tests} tests of ${operations} operations  refused by a rule ${refused_by_rule}  faults ${faults.length}`,
  );
  for (const fault of faults.slice(0, 20)) console.log(`             ${fault}`);
  return faults.length === 0;
}

/** A line a command: how often it was done, and why not how often. */
function showLifecycles({ stories, orders, outcomes, faults }: LifecycleTally, took_ms: number): boolean {
  for (const [command, counts] of Object.entries(outcomes).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { done = 0, ...refusals } = counts;
    const told = Object.entries(refusals).sort(([, a], [, b]) => b - a);
    const why = told.map(([refusal, times]) => `${refusal}: ${times}`).join("  ");
    console.log(`${command.padEnd(30)}${String(done).padStart(8)}  ${why}`);
  }
  console.log(`told ${stories} stories of ${orders} orders in ${seconds(took_ms)}  faults ${faults.length}`);
  for (const fault of faults) console.log(`             ${fault}`);
  return faults.length === 0;
}

function showRace({ answers, faults, ...tally }: RaceTally, took_ms: number): boolean {
  for (const [answer, times] of Object.entries(answers).sort(([, a], [, b]) => b - a)) {
    console.log(`${answer.padEnd(30)}${String(times).padStart(8)}`);
  }
  const counts = Object.entries(tally).map(([name, value]) => `  ${name.replaceAll("_", " ")} ${value}`);
  console.log(`raced for ${(took_ms / 1000).toFixed(1)} s${counts.join("")}  faults ${faults.length}`);
  for (const fault of [...new Set(faults)].slice(0, 20)) console.log(`             ${fault}`);
  return faults.length === 0;
}

function showSdk({ network, faults, ...tally }: SdkTally, took_ms: number): boolean {
  for (const [fault, times] of Object.entries(network)) console.log(`${fault.padEnd(30)}${String(times).padStart(8)}`);
  const counts = Object.entries(tally).map(([name, value]) => `  ${name.replaceAll("_", " ")} ${value}`);
  console.log(`took ${seconds(took_ms)}${counts.join("")}  faults ${faults.length}`);
  for (const fault of faults.slice(0, 20)) console.log(`             ${fault}`);
  return faults.length === 0;
}

async function showReading(mutations: Mutations): Promise<boolean> {
  const begin_ms = Date.now();
  const { outcomes, crashes, slowest, hangs } = await readMutations(mutations);
  for (const [outcome, times] of Object.entries(outcomes).sort(([, a], [, b]) => b - a)) {
    console.log(`${outcome.padEnd(30)}${String(times).padStart(8)}`);
  }
  console.log(
    `read ${mutations.count} in ${((Date.now() - begin_ms) / 1000).toFixed(1)} s  crashes ${crashes.length}  ` +
      `hangs ${hangs.length}  slowest ${slowest.took_ms.toFixed(1)} ms (message ${slowest.seed})`,
  );
  for (const { seed, fault } of crashes.slice(0, 20)) console.log(`             message ${seed}: ${fault}`);
  for (const seed of hangs) console.log(`             message ${seed} is read for ever`);
  return crashes.length === 0 && hangs.length === 0 && slowest.took_ms < READ_WITHIN_MS;
}

async function showSending(mutations: Mutations): Promise<boolean> {
  const begin_ms = Date.now();
  const { statuses, unexpected } = await sendMutations(mutations, "built");
  const counts = Object.entries(statuses).map(([status, times]) => `  ${status}: ${times}`);
  console.log(
    `sent ${mutations.count} in ${((Date.now() - begin_ms) / 1000).toFixed(1)} s${counts.join("")}  ` +
      `unexpected answers ${unexpected.length}`,
  );
  for (const line of unexpected.slice(0, 20)) console.log(`             ${line}`);
  return unexpected.length === 0;
}

async function killEachKind(open: OpenWorkload, count: number, random: () => number): Promise<boolean> {
  const kinds: RunningKind[] = ["server", "database", "both"];
  let well = true;
  for (const kind of kinds) well = show(await killWhileRunning(kind, open, { count, random, from: "built" })) && well;
  return well;
}

function show({ kind, kills, checked, lost, doubled, unexpected, slowest_recovery_ms, seen }: Tally): boolean {
  const more = Object.entries(seen).map(([name, value]) => `  ${name.replaceAll("_", " ")} ${value}`);
  console.log(
    `${kind.padEnd(12)} kills ${kills}  acknowledged writes checked ${checked}  lost ${lost}  doubled ${doubled}  ` +
      `unexpected answers ${unexpected.length}  slowest recovery ${slowest_recovery_ms} ms${more.join("")}`,
  );
  for (const line of new Set(unexpected)) console.log(`             ${line}`);
  return lost === 0 && doubled === 0 && unexpected.length === 0;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: "string" }, kills: { type: "string" }, seed: { type: "string" } },
});
const [name] = positionals;
const campaign = name === undefined ? undefined : campaigns[name];
if (campaign === undefined) {
  console.log("npm run campaign -- NAME [--count N] [--kills N] [--seed S]");
  for (const [known, { about }] of Object.entries(campaigns)) console.log(`  ${known.padEnd(10)} ${about}`);
  process.exit(name === undefined ? 0 : 1);
}
const [count, kills] = [values.count, values.kills].map((text) => (text === undefined ? undefined : Number(text)));
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
if (![count ?? 1, kills ?? 0, seed].every((number) => Number.isInteger(number) && number >= 0)) {
  console.error("--count, --kills and --seed are whole numbers.");
  process.exit(1);
}
// What is attacked is what an operator runs, so it must not be stale.
const built = spawnSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" });
if (built.status !== 0) process.exit(1);
console.log(`campaign ${name}, seed ${seed}`);
process.exit((await campaign.run({ count, kills, seed })) ? 0 : 1);
