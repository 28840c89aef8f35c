import type { Mutations } from "../mutations.ts";
import type { AttackTally } from "../siege/attacks.ts";
import type { Victim } from "../siege/siege.ts";
import { parts } from "../tally.ts";
import { type Campaign, count, FROM, seed } from "./campaign.ts";
import { mebibytes, milliseconds, percent, showCounts, showFaults, showFigures } from "./show.ts";

const MUTATIONS_SENT = 2_000;
const MUTATIONS_PER_STAGE = 20_000;
const READ_WITHIN_MS = 200;
/** Enough for several of the largest pages. */
const SANDBOX_EVENTS = 400;
/** Production may be slower than this only for another reason than the attack. */
const SLOWER_LIMIT = 1.2;
const GROWTH_LIMIT = 0.01;

/** Campaigns that judge answers and times. */
export const answerCampaigns: Record<string, Campaign> = {
  mutations: {
    about: `read damaged e-prescriptions directly and over HTTP: no crash, no 500, none slower than ${READ_WITHIN_MS} ms`,
    options: {
      count: count(200_000, `messages to read; the campaign sends at most ${MUTATIONS_SENT} of them over HTTP`),
      seed,
    },
    async run({ count, seed, inStages }) {
      // Leaves room for `count` seeds above the first.
      const first = seed % 2 ** 30;
      const reads = parts(count, MUTATIONS_PER_STAGE).map(
        (size, stage) => () => readDamaged({ first: first + stage * MUTATIONS_PER_STAGE, count: size }),
      );
      const send = () => sendDamaged({ first, count: Math.min(count, MUTATIONS_SENT) });
      const tally = await inStages([...reads, send]);
      showCounts(tally.found.outcomes);
      return showFigures(tally);
    },
  },
  contract: {
    about: "valid and invalid requests built from the OpenAPI document: every answer must match the document",
    options: { count: count(500, "requests to each operation"), seed },
    async run({ count, seed, inStages }) {
      const { holdToContract, onOwnService } = await import("../contract/contract.ts");
      const tally = await inStages([
        () => onOwnService(FROM, (demo) => holdToContract({ demo, count, seed: seed % 2 ** 30 })),
      ]);
      for (const [operation, statuses] of Object.entries(tally.found.answers)) {
        const counts = Object.entries(statuses).map(([status, times]) => `${status}: ${times}`);
        console.log(`${operation.padEnd(30)}${counts.join("  ")}`);
      }
      return showFigures(tally);
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
    async run({ rounds, seconds, flags, inStages }) {
      const { campaignNeighbors } = await import("../siege/neighbors.ts");
      const fairness = flags["fairness"] ?? false;
      const events = fairness ? 0 : SANDBOX_EVENTS;
      const size = { from: FROM, strength: 1, events, rounds, round_ms: seconds * 1000, fairness } as const;
      const { found } = await inStages([() => campaignNeighbors(size)]);
      const { attacks, beside_p99_ms, flooded_p99_ms, ratio, faults } = found;
      showAttacks(attacks);
      for (const { beside, flooded, stolen } of found.rounds) {
        console.log(
          `beside ${milliseconds(beside.p99_ms)}  flooded ${milliseconds(flooded.p99_ms)}  ${stolenTime(stolen)}`,
        );
      }
      console.log(
        `production p99: ${milliseconds(beside_p99_ms)} while a bare server takes the flood, ` +
          `${milliseconds(flooded_p99_ms)} while the service does: ${percent(ratio)} (limit ${percent(SLOWER_LIMIT)})  ` +
          `faults ${faults.length}`,
      );
      return showFaults(faults) && ratio <= SLOWER_LIMIT;
    },
  },
  hostile: {
    about: "every attack at once from this machine: production stays fast, memory stays flat, no unannounced 5xx",
    options: { minutes: count(30, "length of the attacks") },
    async run({ minutes, inStages }) {
      const { campaignHostile } = await import("../siege/hostile.ts");
      const size = { from: FROM, strength: 1, events: SANDBOX_EVENTS, duration_ms: minutes * 60_000 } as const;
      const { found } = await inStages([() => campaignHostile(size)]);
      const { quiet, rounds, after, beside_p99_ms, during_p99_ms, ratio, memory, attacks, faults } = found;
      showAttacks(attacks);
      const show = (when: string, { count, p50_ms, p99_ms }: Victim, more = "") =>
        console.log(
          `production ${when.padEnd(8)} ${count} requests  p50 ${milliseconds(p50_ms)}  p99 ${milliseconds(p99_ms)}${more}`,
        );
      show("quiet", quiet);
      for (const { beside, during, stolen } of rounds) {
        show("beside", beside);
        show("during", during, `  ${stolenTime(stolen)}`);
      }
      show("after", after);
      console.log(
        `p99 ${milliseconds(during_p99_ms)} after ${milliseconds(beside_p99_ms)} beside a bare server, in the median round: ` +
          `${percent(ratio)} (limit ${percent(SLOWER_LIMIT)})  ` +
          `memory ${mebibytes(memory.first_bytes)} to ${mebibytes(memory.last_bytes)}, growth over the last two thirds ` +
          `${(memory.growth * 100).toFixed(2)} % (limit ${GROWTH_LIMIT * 100} %)  faults ${faults.length}`,
      );
      return showFaults(faults) && ratio <= SLOWER_LIMIT && memory.growth < GROWTH_LIMIT;
    },
  },
};

/** Production is slower by the time that other machines on the same host take, and not by the attack. */
const stolenTime = (part: number | null) => (part === null ? "" : `${percent(part)} of the processor time stolen`);

/** What reading and sending damaged messages have in common. */
type Damaged = {
  outcomes: Record<string, number>;
  read: number;
  sent: number;
  slowest_read_ms: number;
  faults: string[];
};

async function readDamaged(mutations: Mutations): Promise<Damaged> {
  const { readMutations } = await import("../mutations.ts");
  const { outcomes, crashes, slowest, hangs } = await readMutations(mutations);
  const faults = [
    ...crashes.map(({ seed, fault }) => `message ${seed}: ${fault}`),
    ...hangs.map((seed) => `message ${seed} never finishes reading`),
  ];
  if (slowest.took_ms >= READ_WITHIN_MS)
    faults.push(`message ${slowest.seed} takes ${milliseconds(slowest.took_ms)} to read`);
  return { outcomes, read: mutations.count, sent: 0, slowest_read_ms: slowest.took_ms, faults };
}

async function sendDamaged(mutations: Mutations): Promise<Damaged> {
  const { sendMutations } = await import("../mutations.ts");
  const { statuses, unexpected } = await sendMutations(mutations, FROM);
  const outcomes = Object.fromEntries(Object.entries(statuses).map(([status, times]) => [`answered ${status}`, times]));
  return { outcomes, read: 0, sent: mutations.count, slowest_read_ms: 0, faults: unexpected };
}

function showAttacks(attacks: Record<string, AttackTally>): void {
  for (const [name, { sent, answers }] of Object.entries(attacks)) {
    const counts = Object.entries(answers).map(([answer, count]) => `${answer}: ${count}`);
    console.log(`${name.padEnd(20)}${String(sent).padStart(8)}  ${counts.join("  ")}`);
  }
}
