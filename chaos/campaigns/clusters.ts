import { parts } from "../tally.ts";
import { type Campaign, count, FROM, seed } from "./campaign.ts";
import { figures, mebibytes, seconds, showFaults, showFigures } from "./show.ts";

/** The campaign starts a new cluster and checks everything after so many. */
const FAILOVERS_PER_STAGE = 3;
const TEN_GB = 10_000_000_000;

/** Campaigns about PostgreSQL on several machines, and its backups. */
export const clusterCampaigns: Record<string, Campaign> = {
  failover: {
    about:
      "kill and pause the primary of three PostgreSQL servers with Patroni: no acknowledged write is lost, the feed never goes back",
    options: {
      failovers: count(100, "changes of the primary, each with another fault beside it"),
      replication: {
        about: "synchronous, or asynchronous: then what is lost must be bounded, noticed and told",
        text: "sync",
        valid: ["sync", "async"],
      },
      seed,
    },
    async run({ failovers, texts, inStages }) {
      const asynchronous = texts["replication"]?.[0] === "async";
      const onProgress = (line: string) => console.log(line);
      const sizes = parts(failovers, FAILOVERS_PER_STAGE);
      const given = (size: number, stage: number, random: () => number) =>
        ({ from: FROM, failovers: size, first: stage * FAILOVERS_PER_STAGE, random, onProgress }) as const;
      if (asynchronous) {
        const { loseWrites } = await import("../failover/lost-writes.ts");
        const stages = sizes.map((size, stage) => (random: () => number) => loseWrites(given(size, stage, random)));
        return showFigures(await inStages(stages));
      }
      const { campaignFailover } = await import("../failover/failover.ts");
      const { found, took_ms } = await inStages(
        sizes.map((size, stage) => (random: () => number) => campaignFailover(given(size, stage, random))),
      );
      for (const [kind, times] of Object.entries(found.kinds)) {
        const longest = seconds(found.longest_outage_ms[kind]!);
        console.log(`${kind.padEnd(20)}${String(times).padStart(6)}  no write for at most ${longest}`);
      }
      console.log(`took ${seconds(took_ms)}${figures(found)}  faults ${found.faults.length}`);
      return showFaults(found.faults);
    },
  },
  distribute: {
    about: "spread a filled database over two workers with Citus and bring it back: every row and every rule stays",
    options: { orders: count(100_000, "orders"), accounts: count(200, "accounts"), seed },
    needs_build: false,
    async run({ orders, accounts, seed, inStages }) {
      const { hasCitus, NO_CITUS, spreadThereAndBack } = await import("../spread/spread-there-and-back.ts");
      if (!hasCitus()) {
        console.error(NO_CITUS);
        return false;
      }
      const onProgress = (line: string) => console.log(line);
      return showFigures(await inStages([() => spreadThereAndBack({ orders, accounts, seed, onProgress })]));
    },
  },
  recovery: {
    about:
      "full and incremental backups with pgBackRest under load, and a restore to a moment: it has all before, nothing after",
    options: {
      orders: count(1_000, "writes before each backup, before the moment and after it"),
      megabytes: { about: "rows beside them, so that the time of a restore says something", initial: [0] },
      seed,
    },
    async run({ orders, megabytes, inStages }) {
      const { campaignRecovery } = await import("../failover/recovery.ts");
      const onProgress = (line: string) => console.log(line);
      const { found } = await inStages([
        (random) => campaignRecovery({ from: FROM, orders, megabytes, random, onProgress }),
      ]);
      const { restored_bytes, restore_ms, faults, ...counts } = found;
      const per_ten_gb = ((restore_ms / 60_000) * TEN_GB) / restored_bytes;
      console.log(
        `restored ${mebibytes(restored_bytes)} in ${seconds(restore_ms)}, ${per_ten_gb.toFixed(1)} minutes for each 10 GB${figures(counts)}  faults ${faults.length}`,
      );
      return showFaults(faults);
    },
  },
};
