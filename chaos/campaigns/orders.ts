import { memoryFolder } from "../../scripts/memory-folder.ts";
import { seededRandom } from "../random.ts";
import { parts, shares } from "../tally.ts";
import { type Campaign, count, FROM, seed, TESTS_ITSELF } from "./campaign.ts";
import { onOwnDatabase } from "./own-database.ts";
import { figures, seconds, showBroken, showCounts, showFaults, showFigures, showOutcomes } from "./show.ts";

const RACES_PER_STAGE = 10_000;
const STORIES_PER_STAGE = 2_000;
const SDK_ORDERS_PER_STAGE = 500;
const SHOWN_EVERY = 1_000;
/** Within so many stories the campaign must catch a rule that it broke itself. */
const BROKEN_STORIES = 2_000;
/** Orders enough to notice most defects that the campaign seeded itself. */
const BROKEN_RACES = 400;
/** A defect that shows only in a race may need several runs. */
const BROKEN_RUNS = 5;

/** Campaigns about orders and what they take. */
export const orderCampaigns: Record<string, Campaign> = {
  races: {
    about: "50 clients of two processes order the same units, shelves and idempotency keys: no unit may be sold twice",
    options: {
      count: count(100_000, "orders"),
      kills: { about: "kills of a process during the run", initial: [0] },
      seed,
    },
    async run({ count, kills, seed, inStages }) {
      const { race } = await import("../races.ts");
      const { seededBugs } = await import("../invariants/seeded-bugs.ts");
      const sizes = parts(count, RACES_PER_STAGE);
      const killed = shares(kills, sizes);
      const stages = sizes.map(
        (size, stage) => (random: () => number) =>
          onOwnDatabase((own) => race({ ...own, from: FROM, random, count: size, kills: killed[stage]! })),
      );
      const tally = await inStages(stages, ({ submissions }) => console.log(`${submissions} orders`));
      showCounts(tally.found.answers);
      let well = showFigures(tally);
      for (const bug of well && TESTS_ITSELF ? seededBugs : []) {
        const given = { from: FROM, count: BROKEN_RACES, kills: 0, bug } as const;
        const found = new Set<string>();
        for (let run = 0; run < BROKEN_RUNS && found.size === 0; run++) {
          const random = seededRandom(seed + run);
          const { faults } = await onOwnDatabase((own) => race({ ...own, ...given, random }), memoryFolder());
          for (const fault of faults) found.add(fault);
        }
        well = showBroken(bug.bug, [...found].join("; ") || undefined) && well;
      }
      return well;
    },
  },
  lifecycle: {
    about: "random commands of partners, staff, carriers and clocks on orders: the service must agree with a model",
    options: { count: count(50_000, "sequences of commands"), seed },
    async run({ count, seed, inStages }) {
      const { playLifecycles } = await import("../lifecycle/lifecycle.ts");
      const stages = parts(count, STORIES_PER_STAGE).map(
        (size) => (_: () => number, stage: number) =>
          onOwnDatabase((own) =>
            playLifecycles({ ...own, count: size, seed: storySeed(seed, stage), onProgress: showStories }),
          ),
      );
      const tally = await inStages(stages);
      showOutcomes(tally.found.outcomes);
      return showFigures(tally);
    },
  },
  safety: {
    about:
      "random commands of partners, prescribers and staff on risky orders: nothing may ship that an auditor forbids",
    options: { count: count(50_000, "sequences of commands"), seed },
    async run({ count, seed, inStages }) {
      const { CONNECTIONS, playSafety } = await import("../safety/safety.ts");
      const { brokenRules } = await import("../safety/safety-broken.ts");
      const { openWorld } = await import("../lifecycle/lifecycle-world.ts");
      type World = Awaited<ReturnType<typeof openWorld>>;
      const inWorld = <Result>(play: (world: World) => Promise<Result>) =>
        onOwnDatabase(async (own) => {
          const world = await openWorld({ ...own, pool_size: CONNECTIONS });
          return play(world).finally(() => world.close());
        });
      const stages = parts(count, STORIES_PER_STAGE).map(
        (size) => (_: () => number, stage: number) =>
          inWorld((world) => playSafety(world, { count: size, seed: storySeed(seed, stage), onProgress: showStories })),
      );
      const tally = await inStages(stages);
      showOutcomes(tally.found.outcomes);
      for (const [what, times] of Object.entries(tally.found.seen).sort())
        console.log(`${what.padEnd(50)}${String(times).padStart(8)}`);
      const well = showFigures(tally);
      if (!well || !TESTS_ITSELF) return well;
      return inWorld(async (world) => {
        let caught = true;
        for (const [rule, breakRule] of Object.entries(brokenRules)) {
          const broken = { count: BROKEN_STORIES, seed: storySeed(seed, 0), first_fault: true, breakRule };
          const { stories, faults } = await playSafety(world, broken);
          caught = showBroken(rule, faults[0] && `after ${stories} stories: ${faults[0]}`) && caught;
        }
        return caught;
      });
    },
  },
  sdk: {
    about: "orders through the SDK and a proxy that drops, delays, doubles and resets: each order must exist once",
    options: { count: count(1_000, "orders"), seed },
    async run({ count, inStages }) {
      const { campaignSdk } = await import("../sdk.ts");
      const stages = parts(count, SDK_ORDERS_PER_STAGE).map(
        (size) => (random: () => number) =>
          onOwnDatabase((own) => campaignSdk({ ...own, from: FROM, count: size, random })),
      );
      const { found, took_ms } = await inStages(stages, ({ placed }) => console.log(`${placed} orders`));
      showCounts(found.network);
      console.log(`took ${seconds(took_ms)}${figures(found)}  faults ${found.faults.length}`);
      return showFaults(found.faults);
    },
  },
};

/** Each stage tells other stories. The lanes of a stage take the seeds above its own. */
const storySeed = (seed: number, stage: number) => (seed + stage * 1_000) % 2 ** 31;

const showStories = (told: number) => {
  if (told % SHOWN_EVERY === 0) console.log(`${told} stories`);
};
