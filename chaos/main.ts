import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chosenRun, type RunOption } from "../scripts/chosen-run.ts";
import { memoryFolder } from "../scripts/memory-folder.ts";
import type { ContractTally } from "./contract/contract.ts";
import type { DayTally } from "./day/day.ts";
import type { RecoveryTally } from "./failover/recovery.ts";
import type { Tally as FailoverStages } from "./failover/stages.ts";
import type { RunningKind, Tally } from "./kills/kills.ts";
import type { OpenWorkload } from "./kills/workload.ts";
import type { LifecycleTally } from "./lifecycle/lifecycle.ts";
import type { MoneyStages } from "./money/money-stages.ts";
import type { Mutations } from "./mutations.ts";
import type { RaceTally } from "./races.ts";
import { seededRandom } from "./random.ts";
import type { RollingTally } from "./rolling/rolling.ts";
import type { VersionsTally } from "./rolling/versions.ts";
import type { SafetyTally } from "./safety/safety-audit.ts";
import type { SdkTally } from "./sdk.ts";
import type { AttackTally } from "./siege/attacks.ts";
import type { HostileTally } from "./siege/hostile.ts";
import type { NeighborsTally } from "./siege/neighbors.ts";
import { readTally, tallyFile, writeTally } from "./tally.ts";
import type { YearTally } from "./year/year.ts";

// A campaign loads its modules when it runs, so that help and mistakes are answered at once.
type Asked = {
  count: number;
  orders: number;
  kills: number;
  restarts: number;
  seed: number;
  rounds: number;
  seconds: number;
  minutes: number;
  failovers: number;
  requests: number;
  /** The earlier version: its checkout, or its commit. */
  old: string;
  from: string;
  /** The flood comes from a production partner. */
  fairness: boolean;
  /** The file that keeps what a campaign found so far. */
  tally: string;
};
type Campaign = { about: string; options: Record<string, RunOption>; run(asked: Asked): Promise<boolean> };

const FIRST_STARTS_PER_KILL = 0.4;
const MUTATIONS_SENT = 2_000;
const READ_WITHIN_MS = 200;
const SHOWN_EVERY = 1_000;
const DAY_SHOWN_EVERY = 10;
/** Each stage has its own database and is judged at its end. */
const ORDERS_PER_STAGE = 2_000;
/** The campaign starts a new cluster and checks everything after so many. */
const FAILOVERS_PER_STAGE = 3;
const RESTARTS_SHOWN_EVERY = 10;
const ENDPOINTS = 20;
/** Within so many stories the campaign must catch a rule that it broke itself. */
const BROKEN_STORIES = 2_000;
/** Enough to notice each rule of the year that the campaign broke itself. Another seed may need more patients. */
const BROKEN_YEAR = { count: 6, seed: 1, days: 150 };
/** Orders enough to notice each defect that the campaign seeded itself. */
const BROKEN_RACES = 400;
/** Enough to notice each rule about money that the campaign broke itself. */
const BROKEN_MONEY = { orders: 60, kills: 1 };
/** Enough for several of the largest pages. */
const SANDBOX_EVENTS = 400;
/** The longest that a year of the sandbox may take. */
const YEAR_LIMIT_MS = 120_000;
/** Production may be slower than this only for another reason than the attack. */
const SLOWER_LIMIT = 1.2;
const GROWTH_LIMIT = 0.01;

const seed: RunOption = {
  about: "repeats the random choices of a run",
  initial: [Math.floor(Math.random() * 2 ** 32)],
  shown: "random",
};
const count = (initial: number, about: string): RunOption => ({ about, initial: [initial], least: 1 });

/** Each campaign returns whether everything held. */
const campaigns: Record<string, Campaign> = {
  kills: {
    about: "kill -9 the service, its database, both, and a first start: no acknowledged write may be lost",
    options: { count: count(50, "kills of each kind"), seed },
    async run({ count, seed }) {
      const { openTokenWorkload } = await import("./kills/token-workload.ts");
      const { killFirstStarts } = await import("./kills/kills.ts");
      const random = seededRandom(seed);
      const well = await killEachKind(openTokenWorkload, count, random);
      const first_starts = Math.ceil(count * FIRST_STARTS_PER_KILL);
      return show(await killFirstStarts({ random, from: "built", count: first_starts })) && well;
    },
  },
  intake: {
    about:
      "kill -9 the service, its database and both while e-prescriptions arrive: each acknowledged one must exist once",
    options: { count: count(50, "kills of each kind"), seed },
    run: async ({ count, seed }) => {
      const { openIntakeWorkload } = await import("./kills/intake-workload.ts");
      return killEachKind(openIntakeWorkload, count, seededRandom(seed));
    },
  },
  mutations: {
    about: `read damaged e-prescriptions directly and over HTTP: no crash, no 500, none slower than ${READ_WITHIN_MS} ms`,
    options: {
      count: count(200_000, `messages to read; the campaign sends at most ${MUTATIONS_SENT} of them over HTTP`),
      seed,
    },
    async run({ count, seed }) {
      // Leaves room for `count` seeds above the first.
      const first = seed % 2 ** 30;
      const well = await showReading({ first, count });
      return (await showSending({ first, count: Math.min(count, MUTATIONS_SENT) })) && well;
    },
  },
  races: {
    about: "50 clients of two processes order the same units, shelves and idempotency keys: no unit may be sold twice",
    options: {
      count: count(100_000, "orders"),
      kills: { about: "kills of a process during the run", initial: [0] },
      seed,
    },
    async run({ count, kills, seed }) {
      const { race } = await import("./races.ts");
      const { seededBugs } = await import("./invariants/seeded-bugs.ts");
      const given = { from: "built", random: seededRandom(seed) } as const;
      let well = await onOwnDatabase(async (own) => {
        const begin_ms = Date.now();
        return showRace(await race({ ...own, ...given, count, kills }), Date.now() - begin_ms);
      });
      for (const bug of seededBugs) {
        const caught = await onOwnDatabase(async (own) => {
          const { faults } = await race({ ...own, ...given, count: BROKEN_RACES, kills: 0, bug });
          const by =
            faults[0] === undefined ? "NOT caught" : `caught: ${[...new Set(faults)].join("; ").slice(0, 200)}`;
          console.log(`broken on purpose: ${bug.bug}: ${by}`);
          return faults.length > 0;
        }, memoryFolder());
        well = caught && well;
      }
      return well;
    },
  },
  lifecycle: {
    about: "random commands of partners, staff, carriers and clocks on orders: the service must agree with a model",
    options: { count: count(50_000, "sequences of commands"), seed },
    run: ({ count, seed }) =>
      onOwnDatabase(async (own) => {
        const { playLifecycles } = await import("./lifecycle/lifecycle.ts");
        const begin_ms = Date.now();
        const onProgress = (told: number) => {
          if (told % SHOWN_EVERY === 0) console.log(`${told} stories in ${seconds(Date.now() - begin_ms)}`);
        };
        const tally = await playLifecycles({ ...own, count, seed: seed % 2 ** 31, onProgress });
        return showLifecycles(tally, Date.now() - begin_ms);
      }),
  },
  safety: {
    about:
      "random commands of partners, prescribers and staff on risky orders: nothing may ship that an auditor forbids",
    options: { count: count(50_000, "sequences of commands"), seed },
    run: ({ count, seed }) =>
      onOwnDatabase(async (own) => {
        const { CONNECTIONS, playSafety } = await import("./safety/safety.ts");
        const { brokenRules } = await import("./safety/safety-broken.ts");
        const { openWorld } = await import("./lifecycle/lifecycle-world.ts");
        const world = await openWorld({ ...own, pool_size: CONNECTIONS });
        const begin_ms = Date.now();
        const onProgress = (told: number) => {
          if (told % SHOWN_EVERY === 0) console.log(`${told} stories in ${seconds(Date.now() - begin_ms)}`);
        };
        const run = { count, seed: seed % 2 ** 31 };
        let well = showSafety(await playSafety(world, { ...run, onProgress }), Date.now() - begin_ms);
        for (const [rule, breakRule] of Object.entries(brokenRules)) {
          const broken = { ...run, count: BROKEN_STORIES, first_fault: true, breakRule };
          well = showBroken(rule, await playSafety(world, broken)) && well;
        }
        await world.close();
        return well;
      }),
  },
  year: {
    about:
      "a year of refills in the sandbox: statements, ledger and payments agree, no event is missing, nobody runs out",
    options: { count: count(200, "patients"), seed },
    run: ({ count, seed }) =>
      onOwnDatabase(async (own) => {
        const { playYear } = await import("./year/year.ts");
        const { brokenYears } = await import("./year/year-broken.ts");
        const { openYearHost } = await import("./year/year-host.ts");
        const host = await openYearHost(own);
        try {
          const run = { count, seed: seed % 2 ** 31 };
          const begin_ms = Date.now();
          let well = showYear(await playYear(host, run), Date.now() - begin_ms);
          for (const [rule, { breakRule, caught }] of Object.entries(brokenYears)) {
            well = showBrokenYear(rule, caught, await playYear(host, { ...BROKEN_YEAR, breakRule })) && well;
          }
          return well;
        } finally {
          await host.close();
        }
        // Small, and never killed, so memory is durable enough.
      }, memoryFolder()),
  },
  day: {
    about:
      "a day at the benches in a browser with a scanner: wrong packages are caught, a recall, returns; the ledgers add up",
    options: { orders: { about: "orders", initial: [200], least: 6 }, seed },
    run: ({ orders, seed }) =>
      onOwnDatabase(async (own) => {
        const { playDay } = await import("./day/day.ts");
        const { openYearHost } = await import("./year/year-host.ts");
        const { launchBrowser } = await import("../e2e/support/open-page.ts");
        const host = await openYearHost(own);
        const browser = await launchBrowser();
        try {
          const begin_ms = Date.now();
          const onProgress = (shipped: number) => {
            if (shipped % DAY_SHOWN_EVERY === 0)
              console.log(`${shipped} orders shipped in ${seconds(Date.now() - begin_ms)}`);
          };
          const tally = await playDay(host, browser, { orders, seed: seed % 2 ** 31, onProgress });
          return showDay(tally, Date.now() - begin_ms);
        } finally {
          await browser.close();
          await host.close();
        }
      }, memoryFolder()),
  },
  money: {
    about:
      "card payments at a provider that loses and doubles answers and events, under kills: charged equals shipped, to the cent",
    options: {
      orders: count(20_000, "production orders that patients pay"),
      kills: { about: "kills of the service", initial: [200] },
      tally: tallyFile("money"),
      seed,
    },
    async run({ orders, kills, tally: file, seed }) {
      const { campaignMoney } = await import("./money/money.ts");
      const { brokenMoneys } = await import("./money/money-messages.ts");
      const { addMoney, noMoney } = await import("./money/money-stages.ts");
      let tally = readTally(file, noMoney());
      if (tally.orders > 0) console.log(`continues after ${tally.orders} orders (${file})`);
      while (tally.orders < orders && tally.faults.length === 0) {
        const begin_ms = Date.now();
        const size = Math.min(ORDERS_PER_STAGE, orders - tally.orders);
        const random = seededRandom(seed + tally.stages);
        // The last stage has the kills that are left.
        const share = size === orders - tally.orders ? kills - tally.kills : Math.round((kills * size) / orders);
        const stage = await onOwnDatabase((own) => campaignMoney({ ...own, orders: size, kills: share, random }));
        tally = addMoney(tally, stage, Date.now() - begin_ms);
        writeTally(file, tally);
        console.log(`${tally.orders} orders in ${seconds(tally.took_ms)}, ${tally.faults.length} faults`);
      }
      writeTally(file, { ...tally, done: true });
      let well = showMoney(tally);
      for (const broken of brokenMoneys) {
        const caught = await onOwnDatabase(async (own) => {
          const { faults } = await campaignMoney({ ...own, ...BROKEN_MONEY, random: seededRandom(seed), broken });
          console.log(`broken on purpose: ${broken}  caught ${faults.length > 0 ? "yes" : "NO"}`);
          return faults.length > 0;
        });
        well = caught && well;
      }
      return well;
    },
  },
  webhooks: {
    about: `webhooks to ${ENDPOINTS} endpoints, three of them hostile, under kills: the receivers must get every event`,
    options: {
      count: count(100_000, "deliveries"),
      kills: { about: "kills of processes and of the database", initial: [20] },
      seed,
    },
    async run({ count, kills, seed }) {
      const { hostility } = await import("./webhook-receivers.ts");
      const { campaignWebhooks } = await import("./webhooks.ts");
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
  rolling: {
    about:
      "restart two processes in turn behind a load balancer, under load: no request may fail, no event arrive twice",
    options: { restarts: count(100, "restarts") },
    run: ({ restarts }) =>
      onOwnDatabase(async (own) => {
        const { DRAIN, rollingRestarts } = await import("./rolling/rolling.ts");
        const { startPair } = await import("./server-pair.ts");
        const { raiseLimits } = await import("./rolling/raise-limits.ts");
        const pair = await startPair({ ...own, from: "built", env: DRAIN });
        try {
          await raiseLimits(own.database_url);
          const begin_ms = Date.now();
          const onRestart = (done: number) => {
            if (done % RESTARTS_SHOWN_EVERY === 0) console.log(`${done} restarts in ${seconds(Date.now() - begin_ms)}`);
          };
          return showRolling(await rollingRestarts(pair, { restarts, onRestart }), Date.now() - begin_ms);
        } finally {
          await pair.stop();
        }
      }, memoryFolder()),
  },
  sdk: {
    about: "orders through the SDK and a proxy that drops, delays, doubles and resets: each order must exist once",
    options: { count: count(1_000, "orders"), seed },
    run: ({ count, seed }) =>
      onOwnDatabase(async (own) => {
        const { campaignSdk } = await import("./sdk.ts");
        const begin_ms = Date.now();
        const tally = await campaignSdk({ ...own, from: "built", count, random: seededRandom(seed) });
        return showSdk(tally, Date.now() - begin_ms);
      }),
  },
  failover: {
    about:
      "kill and pause the primary of three PostgreSQL servers with Patroni: no acknowledged write is lost, the feed never goes back",
    options: {
      failovers: count(100, "changes of the primary, each with another fault beside it"),
      tally: tallyFile("failover"),
      seed,
    },
    async run({ failovers, tally: file, seed }) {
      const { campaignFailover } = await import("./failover/failover.ts");
      const { addStage, NO_FAILOVER } = await import("./failover/stages.ts");
      const random = seededRandom(seed);
      let tally = readTally(file, NO_FAILOVER);
      if (tally.failovers > 0) console.log(`continues after ${tally.failovers} failovers (${file})`);
      while (tally.failovers < failovers && tally.faults.length === 0) {
        const begin_ms = Date.now();
        const size = Math.min(FAILOVERS_PER_STAGE, failovers - tally.failovers);
        const stage = await campaignFailover({
          from: "built",
          failovers: size,
          first: tally.failovers,
          random,
          onProgress: (line) => console.log(line),
        });
        tally = addStage(tally, stage, Date.now() - begin_ms);
        writeTally(file, tally);
      }
      writeTally(file, { ...tally, done: true });
      return showFailovers(tally);
    },
  },
  recovery: {
    about:
      "full and incremental backups with pgBackRest under load, and a restore to a moment: it has all before, nothing after",
    options: { orders: count(1_000, "writes before each backup, before the moment and after it"), seed },
    async run({ orders, seed }) {
      const { campaignRecovery } = await import("./failover/recovery.ts");
      const onProgress = (line: string) => console.log(line);
      return showRecovery(await campaignRecovery({ from: "built", orders, random: seededRandom(seed), onProgress }));
    },
  },
  versions: {
    about: "an earlier version serves on the schema of this one, and is replaced under load: no request may fail",
    options: {
      old: { about: "checkout of the earlier version, with its dependencies", text: "" },
      from: { about: "commit of the earlier version, of which the campaign makes a checkout", text: "" },
      requests: count(100_000, "requests"),
      seed,
    },
    run: ({ old, from, requests, seed }) =>
      onOwnDatabase(async (own) => {
        const { withCheckout } = await import("./rolling/old-checkout.ts");
        const { runTwoVersions } = await import("./rolling/versions.ts");
        const begin_ms = Date.now();
        const onProgress = (line: string) => console.log(line);
        return withCheckout({ old, from }, async (root) => {
          const given = { ...own, from: "built", old: root, requests, random: seededRandom(seed), onProgress } as const;
          return showVersions(await runTwoVersions(given), Date.now() - begin_ms);
        });
      }),
  },
  contract: {
    about: "valid and invalid requests built from the OpenAPI document: every answer must match the document",
    options: { count: count(500, "requests to each operation"), seed },
    async run({ count, seed }) {
      const { holdToContract, onOwnService } = await import("./contract/contract.ts");
      const begin_ms = Date.now();
      const tally = await onOwnService("built", (demo) => holdToContract({ demo, count, seed: seed % 2 ** 30 }));
      return showContract(tally, Date.now() - begin_ms);
    },
  },
  neighbors: {
    about: "a sandbox floods the service: production must be as fast as while the flood hits a bare server beside it",
    options: {
      rounds: count(5, "rounds, each with both floods"),
      seconds: count(20, "length of each flood"),
      fairness: {
        about: "a production partner floods instead of a sandbox, and another production partner is measured",
        flag: true,
      },
    },
    async run({ rounds, seconds, fairness }) {
      const { campaignNeighbors } = await import("./siege/neighbors.ts");
      const events = fairness ? 0 : SANDBOX_EVENTS;
      const size = { from: "built", strength: 1, events, rounds, round_ms: seconds * 1000, fairness } as const;
      return showNeighbors(await campaignNeighbors(size));
    },
  },
  hostile: {
    about: "every attack at once from this machine: production stays fast, memory stays flat, no unannounced 5xx",
    options: { minutes: count(30, "length of the attacks") },
    async run({ minutes }) {
      const { campaignHostile } = await import("./siege/hostile.ts");
      const size = { from: "built", strength: 1, events: SANDBOX_EVENTS, duration_ms: minutes * 60_000 } as const;
      return showHostile(await campaignHostile(size));
    },
  },
};

function showRolling({ faults, p50_ms, p99_ms, slowest_ms, ...counts }: RollingTally, took_ms: number): boolean {
  const named = Object.entries(counts).map(([name, value]) => `  ${name} ${value}`);
  console.log(`took ${seconds(took_ms)}${named.join("")}  faults ${faults.length}`);
  console.log(`p50 ${milliseconds(p50_ms)}  p99 ${milliseconds(p99_ms)}  slowest ${milliseconds(slowest_ms)}`);
  showFaults(faults);
  return faults.length === 0;
}

function showVersions({ faults, p50_ms, p99_ms, ...counts }: VersionsTally, took_ms: number): boolean {
  const named = Object.entries(counts).map(([name, value]) => `  ${name} ${value}`);
  console.log(`took ${seconds(took_ms)}${named.join("")}  faults ${faults.length}`);
  console.log(`p50 ${milliseconds(p50_ms)}  p99 ${milliseconds(p99_ms)}`);
  showFaults(faults);
  return faults.length === 0;
}

function showMoney({ faults, charged_cents, shipped_cents, took_ms, done: _, ...counts }: MoneyStages): boolean {
  const named = Object.entries(counts).map(([name, value]) => `  ${name.replaceAll("_", " ")} ${value}`);
  const dollars = (cents: number) => (cents / 100).toFixed(2);
  console.log(`took ${seconds(took_ms)}${named.join("")}`);
  console.log(`charged ${dollars(charged_cents)}  shipped ${dollars(shipped_cents)}  faults ${faults.length}`);
  showFaults(faults);
  return faults.length === 0 && charged_cents === shipped_cents;
}

function showFailovers({ kinds, longest_outage_ms, faults, took_ms, done: _, ...counts }: FailoverStages): boolean {
  for (const [kind, times] of Object.entries(kinds)) {
    console.log(
      `${kind.padEnd(20)}${String(times).padStart(6)}  no write for at most ${seconds(longest_outage_ms[kind]!)}`,
    );
  }
  const named = Object.entries(counts).map(([name, value]) => `  ${name} ${value}`);
  console.log(`took ${seconds(took_ms)}${named.join("")}  faults ${faults.length}`);
  showFaults(faults);
  return faults.length === 0;
}

function showRecovery({ restored_bytes, restore_ms, faults, ...counts }: RecoveryTally): boolean {
  const named = Object.entries(counts).map(([name, value]) => `  ${name.replaceAll("_", " ")} ${value}`);
  console.log(
    `restored ${mebibytes(restored_bytes)} in ${seconds(restore_ms)}${named.join("")}  faults ${faults.length}`,
  );
  showFaults(faults);
  return faults.length === 0;
}

const times = (ratio: number) => (Number.isFinite(ratio) ? `${(ratio * 100).toFixed(0)} %` : "no answer");
const milliseconds = (ms: number) => (Number.isFinite(ms) ? `${ms.toFixed(1)} ms` : "no answer");
const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

function showAttacks(attacks: Record<string, AttackTally>): void {
  for (const [name, { sent, answers }] of Object.entries(attacks)) {
    const counts = Object.entries(answers).map(([answer, count]) => `${answer}: ${count}`);
    console.log(`${name.padEnd(20)}${String(sent).padStart(8)}  ${counts.join("  ")}`);
  }
}

function showFaults(faults: readonly string[]): void {
  for (const fault of [...new Set(faults)].slice(0, 20)) console.log(`             ${fault}`);
}

function showNeighbors({ rounds, attacks, beside_p99_ms, flooded_p99_ms, ratio, faults }: NeighborsTally): boolean {
  showAttacks(attacks);
  for (const { beside, flooded } of rounds) {
    console.log(`beside ${milliseconds(beside.p99_ms)}  flooded ${milliseconds(flooded.p99_ms)}`);
  }
  console.log(
    `production p99: ${milliseconds(beside_p99_ms)} while a bare server takes the flood, ` +
      `${milliseconds(flooded_p99_ms)} while the service does: ${times(ratio)} (limit ${times(SLOWER_LIMIT)})  ` +
      `faults ${faults.length}`,
  );
  showFaults(faults);
  return ratio <= SLOWER_LIMIT && faults.length === 0;
}

function showHostile({ quiet, beside, during, after, ratio, memory, attacks, faults }: HostileTally): boolean {
  showAttacks(attacks);
  for (const [when, { count, p50_ms, p99_ms }] of Object.entries({ quiet, beside, during, after })) {
    console.log(
      `production ${when.padEnd(8)} ${count} requests  p50 ${milliseconds(p50_ms)}  p99 ${milliseconds(p99_ms)}`,
    );
  }
  console.log(
    `p99 ${times(ratio)} of the run beside a bare server (limit ${times(SLOWER_LIMIT)})  ` +
      `memory ${mebibytes(memory.first_bytes)} to ${mebibytes(memory.last_bytes)}, growth over the last two thirds ` +
      `${(memory.growth * 100).toFixed(2)} % (limit ${GROWTH_LIMIT * 100} %)  faults ${faults.length}`,
  );
  showFaults(faults);
  return ratio <= SLOWER_LIMIT && memory.growth < GROWTH_LIMIT && faults.length === 0;
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

async function onOwnDatabase<Result>(
  run: (own: { database_url: string; master_key: string }) => Promise<Result>,
  folder = tmpdir(),
): Promise<Result> {
  const { openEmbeddedPostgres } = await import("../server/src/db/embedded/embedded.ts");
  const { removeDataDir } = await import("./server-process.ts");
  const data_dir = mkdtempSync(join(folder, "pestle-campaign-"));
  const postgres = await openEmbeddedPostgres({ data_dir });
  try {
    const { user, password, database, host, port } = postgres.connection;
    const database_url = `postgresql://${user}:${encodeURIComponent(password)}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
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

function showLifecycles({ stories, orders, outcomes, faults }: LifecycleTally, took_ms: number): boolean {
  showOutcomes(outcomes);
  console.log(`played ${stories} stories of ${orders} orders in ${seconds(took_ms)}  faults ${faults.length}`);
  for (const fault of faults) console.log(`             ${fault}`);
  return faults.length === 0;
}

function showSafety({ stories, orders, seen, outcomes, faults }: SafetyTally, took_ms: number): boolean {
  showOutcomes(outcomes);
  for (const [what, times] of Object.entries(seen).sort())
    console.log(`${what.padEnd(50)}${String(times).padStart(8)}`);
  console.log(`played ${stories} stories of ${orders} orders in ${seconds(took_ms)}  violations ${faults.length}`);
  for (const fault of faults) console.log(`             ${fault}`);
  return faults.length === 0;
}

function showYear({ seen, faults, played_ms }: YearTally, took_ms: number): boolean {
  for (const [what, times] of Object.entries(seen).sort())
    console.log(`${what.padEnd(60)}${String(times).padStart(10)}`);
  console.log(
    `played a year in ${seconds(played_ms)}, checked it in ${seconds(took_ms - played_ms)}  faults ${faults.length}`,
  );
  showFaults(faults);
  return faults.length === 0 && played_ms < YEAR_LIMIT_MS;
}

function showDay({ seen, faults, unnoticed }: DayTally, took_ms: number): boolean {
  for (const [what, times] of Object.entries(seen).sort())
    console.log(`${what.padEnd(60)}${String(times).padStart(10)}`);
  console.log(`the day took ${seconds(took_ms)}  faults ${faults.length}`);
  showFaults(faults);
  for (const what of unnoticed) console.log(`broken on purpose: ${what}: NOT caught`);
  if (unnoticed.length === 0) console.log("broken on purpose: every number was caught");
  return faults.length === 0 && unnoticed.length === 0;
}

function showBrokenYear(rule: string, caught: RegExp, { faults }: YearTally): boolean {
  const fault = faults.find((one) => caught.test(one));
  console.log(`broken on purpose: ${rule}: ${fault === undefined ? "NOT caught" : `caught: ${fault}`}`);
  return fault !== undefined;
}

/** A broken rule must be caught. */
function showBroken(rule: string, { stories, faults }: SafetyTally): boolean {
  const caught =
    faults[0] === undefined ? "NOT caught" : `caught after ${stories} stories: ${faults[0].split("\n")[0]}`;
  console.log(`broken on purpose: ${rule}: ${caught}`);
  return faults.length > 0;
}

/** Prints one line per command: how often it succeeded, and how often it failed for which reason. */
function showOutcomes(outcomes: LifecycleTally["outcomes"]): void {
  for (const [command, counts] of Object.entries(outcomes).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { done = 0, ...refusals } = counts;
    const told = Object.entries(refusals).sort(([, a], [, b]) => b - a);
    const why = told.map(([refusal, times]) => `${refusal}: ${times}`).join("  ");
    console.log(`${command.padEnd(30)}${String(done).padStart(8)}  ${why}`);
  }
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
  const { readMutations } = await import("./mutations.ts");
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
  for (const seed of hangs) console.log(`             message ${seed} never finishes reading`);
  return crashes.length === 0 && hangs.length === 0 && slowest.took_ms < READ_WITHIN_MS;
}

async function showSending(mutations: Mutations): Promise<boolean> {
  const { sendMutations } = await import("./mutations.ts");
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
  const { killWhileRunning } = await import("./kills/kills.ts");
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

const { name, run: campaign, numbers, texts, flags } = chosenRun("campaign", campaigns);
const given = (option: keyof Asked) => numbers[option]?.[0] ?? 0;
// The campaign attacks the build that operators run, so the build must be current.
const built = spawnSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" });
if (built.status !== 0) process.exit(1);
console.log(numbers["seed"] === undefined ? `campaign ${name}` : `campaign ${name}, seed ${given("seed")}`);
const asked: Asked = {
  count: given("count"),
  orders: given("orders"),
  kills: given("kills"),
  restarts: given("restarts"),
  seed: given("seed"),
  rounds: given("rounds"),
  seconds: given("seconds"),
  minutes: given("minutes"),
  failovers: given("failovers"),
  requests: given("requests"),
  old: texts["old"]?.[0] ?? "",
  from: texts["from"]?.[0] ?? "",
  fairness: flags["fairness"] ?? false,
  tally: texts["tally"]?.[0] ?? "",
};
process.exit((await campaign.run(asked)) ? 0 : 1);
