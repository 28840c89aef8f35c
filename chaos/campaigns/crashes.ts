import { memoryFolder } from "../../scripts/memory-folder.ts";
import type { KillTally } from "../kills/kills.ts";
import type { OpenWorkload } from "../kills/workload.ts";
import type { Stage } from "../tally.ts";
import { parts, shares } from "../tally.ts";
import { type Campaign, count, FROM, kinds, seed } from "./campaign.ts";
import { onOwnDatabase, withOwnPostgres } from "./own-database.ts";
import { figures, milliseconds, percent, seconds, showCounts, showFaults, showFigures } from "./show.ts";

const FIRST_STARTS_PER_KILL = 0.4;
const KILLS_PER_STAGE = 25;
const RESTARTS_PER_STAGE = 20;
const ROLLING_PER_STAGE = 25;
const FAULTS_PER_STAGE = 20;
const DELIVERIES_PER_STAGE = 20_000;
const ENDPOINTS = 20;

/** Processes that the campaign kills while it writes tokens and clock moves, and checks after each kill. */
const EMBEDDED_KINDS = ["server", "database", "both", "first_start"] as const;
/** Kinds of processes that the campaign kills under journeys. */
const PROCESS_KINDS = ["api", "token", "courier", "jobs", "web", "postgres", "worker", "supervisor", "sandbox"];
const LINKS = ["database", "receivers", "provider", "sandbox"] as const;

/** Campaigns that end processes and connections. */
export const crashCampaigns: Record<string, Campaign> = {
  kills: {
    about: "kill -9 every kind of process, and a first start, under load: no acknowledged write may be lost or doubled",
    options: {
      count: count(50, "kills of each kind"),
      kinds: kinds([...EMBEDDED_KINDS, ...PROCESS_KINDS], "kinds of processes; all if none is named"),
      seed,
    },
    async run({ count, texts, inStages }) {
      const { openTokenWorkload } = await import("../kills/token-workload.ts");
      const { killFirstStarts } = await import("../kills/kills.ts");
      const { killProcesses } = await import("../kills/role-kills.ts");
      const chosen = chosenOf(texts["kinds"], [...EMBEDDED_KINDS, ...PROCESS_KINDS]);
      const running = (["server", "database", "both"] as const).filter((kind) => chosen.includes(kind));
      const first_starts = chosen.includes("first_start") ? Math.ceil(count * FIRST_STARTS_PER_KILL) : 0;
      const stages: Stage<KillTally>[] = [
        ...killStages(openTokenWorkload, running, count),
        ...parts(first_starts, KILLS_PER_STAGE).map(
          (size) => (random: () => number) => killFirstStarts({ random, from: FROM, count: size }),
        ),
        ...PROCESS_KINDS.filter((kind) => chosen.includes(kind)).flatMap((kind) =>
          parts(count, KILLS_PER_STAGE).map((size) => async (random: () => number): Promise<KillTally> => {
            const kills = Array.from({ length: size }, () => kind);
            const {
              faults,
              longest_outage_ms,
              kinds: _,
              ...seen
            } = await withOwnPostgres((own) => killProcesses(own, { from: FROM, kills, random }));
            const slowest_recovery_ms = longest_outage_ms[kind] ?? 0;
            return { kinds: { [kind]: { kills: size, slowest_recovery_ms, ...seen } }, faults };
          }),
        ),
      ];
      return showKills(await inStages(stages, ({ kinds }) => console.log(`killed ${Object.keys(kinds).at(-1)}`)));
    },
  },
  intake: {
    about:
      "kill -9 the service, its database and both while e-prescriptions arrive: each acknowledged one must exist once",
    options: { count: count(50, "kills of each kind"), seed },
    async run({ count, inStages }) {
      const { openIntakeWorkload } = await import("../kills/intake-workload.ts");
      return showKills(await inStages(killStages(openIntakeWorkload, ["server", "database", "both"], count)));
    },
  },
  restarts: {
    about: "stop PostgreSQL in every way that it knows, and start it, under load: nothing is lost, doubled or missed",
    options: { restarts: count(150, "restarts of the database: smart, fast and immediate in turn"), seed },
    async run({ restarts, inStages }) {
      const { restartDatabase } = await import("../restarts/restarts.ts");
      const stages = parts(restarts, RESTARTS_PER_STAGE).map(
        (size, stage) => (random: () => number) =>
          withOwnPostgres((own) =>
            restartDatabase(own, { from: FROM, restarts: size, first: stage * RESTARTS_PER_STAGE, random }),
          ),
      );
      const tally = await inStages(stages, ({ orders }) => console.log(`${orders} orders`));
      return showOutages(tally.found) && showFigures(tally);
    },
  },
  network: {
    about:
      "resets, half-open connections, delays, partitions and truncated answers between the service and all that it talks to",
    options: {
      faults: count(300, "faults, of each link and kind in turn"),
      links: kinds(LINKS, "connections to injure; all if none is named"),
      seed,
    },
    async run({ faults, texts, inStages }) {
      const { injureNetwork } = await import("../network/network.ts");
      const only = chosenOf(texts["links"], LINKS) as (typeof LINKS)[number][];
      const onFault = (what: string, outage_ms: number) =>
        console.log(`${what.padEnd(24)} no write for ${seconds(outage_ms)}`);
      const stages = parts(faults, FAULTS_PER_STAGE).map(
        (size, stage) => (random: () => number) =>
          withOwnPostgres((own) =>
            injureNetwork(own, {
              ...{ from: FROM, faults: size, first: stage * FAULTS_PER_STAGE, only, random, onFault },
            }),
          ),
      );
      const tally = await inStages(stages);
      return showOutages(tally.found) && showFigures(tally);
    },
  },
  webhooks: {
    about: `webhooks to ${ENDPOINTS} endpoints, three of them hostile, under kills: the receivers must get every event`,
    options: {
      count: count(100_000, "deliveries"),
      kills: { about: "kills of processes and of the database", initial: [20] },
      seed,
    },
    async run({ count, kills, inStages }) {
      const { hostility } = await import("../webhook-receivers.ts");
      const { campaignWebhooks } = await import("../webhooks.ts");
      const hostile = Object.keys(hostility) as (keyof typeof hostility)[];
      const sizes = parts(count, DELIVERIES_PER_STAGE);
      const killed = shares(kills, sizes);
      const stages = sizes.map(
        (deliveries, stage) => (random: () => number) =>
          campaignWebhooks({
            ...{ from: FROM, deliveries, endpoints: ENDPOINTS, hostile, kills: killed[stage]!, random },
          }),
      );
      return showFigures(await inStages(stages, ({ arrived }) => console.log(`${arrived} arrived`)));
    },
  },
  rolling: {
    about:
      "restart two processes in turn behind a load balancer, under load: no request may fail, no event arrive twice",
    options: { restarts: count(100, "restarts") },
    async run({ restarts, inStages }) {
      const { DRAIN, rollingRestarts } = await import("../rolling/rolling.ts");
      const { startPair } = await import("../server-pair.ts");
      const { raiseLimits } = await import("../rolling/raise-limits.ts");
      const stages = parts(restarts, ROLLING_PER_STAGE).map(
        (size) => () =>
          onOwnDatabase(async (own) => {
            const pair = await startPair({ ...own, from: FROM, env: DRAIN });
            try {
              await raiseLimits(own.database_url);
              const { p50_ms, p99_ms, slowest_ms, ...told } = await rollingRestarts(pair, { restarts: size });
              return { ...told, worst_p50_ms: p50_ms, worst_p99_ms: p99_ms, slowest_ms };
            } finally {
              await pair.stop();
            }
          }, memoryFolder()),
      );
      const { found, took_ms } = await inStages(stages, (so_far) => console.log(`${so_far.restarts} restarts`));
      const { restarts: done, reads, events, worst_p50_ms, worst_p99_ms, slowest_ms, faults } = found;
      console.log(`took ${seconds(took_ms)}${figures({ restarts: done, reads, events })}  faults ${faults.length}`);
      const times = [`p50 ${milliseconds(worst_p50_ms)}`, `p99 ${milliseconds(worst_p99_ms)}`];
      console.log(`the slowest stage: ${times.join("  ")}  slowest request ${milliseconds(slowest_ms)}`);
      return showFaults(faults);
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
    async run({ requests, texts, inStages }) {
      const { withCheckout } = await import("../rolling/old-checkout.ts");
      const { runTwoVersions } = await import("../rolling/versions.ts");
      const onProgress = (line: string) => console.log(line);
      const checkout = { old: texts["old"]?.[0] ?? "", from: texts["from"]?.[0] ?? "" };
      const stage = (random: () => number) =>
        withCheckout(checkout, (old) =>
          onOwnDatabase((own) => runTwoVersions({ ...own, from: FROM, old, requests, random, onProgress })),
        );
      return showFigures(await inStages([stage]));
    },
  },
  soak: {
    about:
      "reads, writes, tokens and webhooks at a fixed concurrency for hours: memory and open files stay flat, every answer is right",
    options: {
      requests: count(5_000_000, "requests"),
      connections: count(16, "requests at once"),
      seed,
    },
    async run({ requests, connections, inStages }) {
      const { openSoak } = await import("../soak/soak.ts");
      const { judgeTrends, trendsOf } = await import("../soak/soak-judge.ts");
      const { tally, samples } = await withOwnPostgres(async (own) => {
        type Soak = Awaited<ReturnType<typeof openSoak>>;
        let soak: Soak | undefined;
        // Enough parts for a trend.
        const size = Math.max(1, Math.min(50_000, Math.ceil(requests / 30)));
        const stages = parts(requests, size).map((part) => async (random: () => number) => {
          soak ??= await openSoak(own, { from: FROM, connections });
          return soak.send(part, random);
        });
        const onStage = ({
          requests: sent,
          samples: [...taken],
        }: {
          requests: number;
          samples: { p99_ms: number }[];
        }) => console.log(`${sent} requests  p99 ${milliseconds(taken.at(-1)!.p99_ms)}`);
        const told = await inStages(stages, onStage).finally(() => soak?.close());
        return { tally: told, samples: told.found.samples };
      });
      showCounts(tally.found.kinds);
      const trends = trendsOf(samples);
      for (const { process, what, first, last, growth, judged } of trends) {
        const told = judged ? "" : " (too short to judge)";
        console.log(`${process} ${what}: ${first} to ${last}, ${(growth * 100).toFixed(2)} %${told}`);
      }
      const [early, late] = [samples[Math.floor(samples.length / 3)]!, samples.at(-1)!];
      console.log(
        `p99 ${milliseconds(early.p99_ms)} after a third, ${milliseconds(late.p99_ms)} at the end: ${percent(late.p99_ms / early.p99_ms)}`,
      );
      const grown = judgeTrends(trends);
      return showFigures({ ...tally, found: { ...tally.found, faults: [...tally.found.faults, ...grown] } });
    },
  },
};

const chosenOf = (named: readonly string[] | undefined, all: readonly string[]): readonly string[] =>
  named === undefined || named.length === 0 ? all : named;

function killStages(
  open: OpenWorkload,
  running: readonly ("server" | "database" | "both")[],
  count: number,
): Stage<KillTally>[] {
  return running.flatMap((kind) =>
    parts(count, KILLS_PER_STAGE).map((size) => async (random: () => number) => {
      const { killWhileRunning } = await import("../kills/kills.ts");
      return killWhileRunning(kind, open, { count: size, random, from: FROM });
    }),
  );
}

function showKills({ found }: { found: KillTally }): boolean {
  for (const [kind, seen] of Object.entries(found.kinds)) console.log(`${kind.padEnd(12)}${figures(seen)}`);
  console.log(`faults ${found.faults.length}`);
  return showFaults(found.faults);
}

function showOutages({
  kinds: times,
  longest_outage_ms,
}: {
  kinds: Record<string, number>;
  longest_outage_ms: Record<string, number>;
}): true {
  for (const [kind, count] of Object.entries(times)) {
    const longest = seconds(longest_outage_ms[kind] ?? 0);
    console.log(`${kind.padEnd(24)}${String(count).padStart(6)}  no write for at most ${longest}`);
  }
  return true;
}
