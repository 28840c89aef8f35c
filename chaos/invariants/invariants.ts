import type { Campaign } from "./campaigns.ts";
import { databaseInvariants } from "./in-database.ts";

/**
 * A rule that a campaign judges by its own ledger, because the database alone cannot show it: what a client was promised,
 * and what a receiver got. `faults` are texts that the file reports.
 */
type JudgedInvariant = { promise: string; judged: Partial<Record<Campaign, Judge | readonly Judge[]>> };
type Judge = { file: string; faults: readonly string[] };

const RACES = "chaos/race-ledger.ts";
const WEBHOOKS = "chaos/webhook-ledger.ts";
const FEED = "chaos/failover/feed-reader.ts";
const JOURNEYS = "chaos/failover/journey-ledger.ts";

/** A rule of the journeys under load, which several campaigns share. */
const busy = (file: string, ...faults: string[]) => {
  const judge: Judge = { file, faults };
  return { restarts: judge, network: judge, failover: judge };
};
const missing: Judge = { file: JOURNEYS, faults: ["an acknowledged order is missing"] };
const twice: Judge = { file: JOURNEYS, faults: ["a patient has two orders"] };

export const judgedInvariants = {
  acknowledged_writes_exist: {
    promise: "A write that the service acknowledged exists after every fault.",
    judged: {
      kills: [
        { file: "chaos/kills/ledger.ts", faults: ["an acknowledged clock move", "an acknowledged token"] },
        missing,
      ],
      intake: { file: "chaos/kills/intake-ledger.ts", faults: ["lost: acknowledged"] },
      races: { file: RACES, faults: ["an acknowledged order is not there"] },
      sdk: { file: "chaos/sdk.ts", faults: ["is not there"] },
      ...busy(JOURNEYS, "an acknowledged order is missing"),
      recovery: missing,
      versions: missing,
    },
  },
  no_write_twice: {
    promise: "A request that a client repeats until it is answered takes effect once.",
    judged: {
      kills: [{ file: "chaos/kills/kills.ts", faults: ["a write was made twice"] }, twice],
      intake: { file: "chaos/kills/intake-ledger.ts", faults: ["doubled: kept"] },
      races: { file: RACES, faults: ["one body made two orders", "one body was answered with two new orders"] },
      sdk: { file: "chaos/sdk.ts", faults: [" times`"] },
      ...busy(JOURNEYS, "a patient has two orders"),
      versions: twice,
    },
  },
  no_unknown_order: {
    promise: "Each order comes from a request whose client has its number, or whose answer was lost.",
    judged: {
      races: { file: RACES, faults: ["an order that nobody asked for", "an order that no client knows"] },
      sdk: { file: "chaos/sdk.ts", faults: ["was never told"] },
      lifecycle: { file: "chaos/lifecycle/lifecycle-check.ts", faults: ["an order without a request"] },
    },
  },
  replays_are_identical: {
    promise: "A key and its body have one answer, byte for byte.",
    judged: {
      kills: { file: "chaos/kills/ledger.ts", faults: ["reply.text === text"] },
      races: {
        file: RACES,
        faults: ["a replay differs from the first answer", "a replay of an answer that nobody got"],
      },
    },
  },
  refusals_are_true: {
    promise: "An order is refused for missing units only if they are missing.",
    judged: { races: { file: RACES, faults: ["and there is enough"] } },
  },
  every_event_arrives: {
    promise: "Each event arrives at each healthy endpoint.",
    judged: {
      webhooks: { file: WEBHOOKS, faults: ["a prescription that an endpoint got no event for", "of an order told as"] },
      kills: { file: WEBHOOKS, faults: ["a prescription that an endpoint got no event for", "of an order told as"] },
      ...busy(WEBHOOKS, "a prescription that an endpoint got no event for", "of an order told as"),
    },
  },
  same_bytes_everywhere: {
    promise: "An event has the same bytes at each endpoint and in each repetition, and its signatures verify.",
    judged: {
      webhooks: { file: WEBHOOKS, faults: ["an event with other bytes than elsewhere"] },
      kills: { file: WEBHOOKS, faults: ["an event with other bytes than elsewhere"] },
      ...busy(WEBHOOKS, "an event with other bytes than elsewhere"),
    },
  },
  changes_in_order: {
    promise:
      "The changes of an order arrive in their sequence, without gaps. Only a retry may arrive after a newer change.",
    judged: {
      webhooks: { file: WEBHOOKS, faults: ["changes out of order", "a change that was not made"] },
      year: { file: "chaos/year/year-events.ts", faults: ["the sequence of an order goes from"] },
      kills: { file: WEBHOOKS, faults: ["changes out of order", "a change that was not made"] },
      ...busy(WEBHOOKS, "changes out of order", "a change that was not made"),
    },
  },
  no_invented_event: {
    promise: "An endpoint receives only events that are in the feed.",
    judged: {
      webhooks: { file: WEBHOOKS, faults: ["an event that is not in the feed"] },
      kills: { file: WEBHOOKS, faults: ["an event that is not in the feed"] },
      ...busy(WEBHOOKS, "an event that is not in the feed"),
    },
  },
  feed_never_goes_back: {
    promise: "A reader that follows the feed gets each event once, in the order in which the feed replays it.",
    judged: {
      year: { file: "chaos/year/year-events.ts", faults: ["in another order than the replay"] },
      kills: { file: FEED, faults: ["an event was added below a cursor", "an event is in the feed twice"] },
      ...busy(FEED, "an event was added below a cursor", "an event is in the feed twice"),
      recovery: { file: FEED, faults: ["an event was added below a cursor"] },
    },
  },
  one_history: {
    promise: "After a failover all servers have the same rows: no server kept a write that the others do not have.",
    judged: { failover: { file: "chaos/failover/cluster-check.ts", faults: ["has other rows than the primary"] } },
  },
  writes_return: {
    promise: "Writes succeed again within 30 seconds of a fault.",
    judged: { failover: { file: "chaos/busy/busy-service.ts", faults: ["no write succeeded for"] } },
  },
  outages_end: {
    promise: "Writes succeed again within 90 seconds of a fault of the network, even if a connection dies in silence.",
    judged: { network: { file: "chaos/busy/busy-service.ts", faults: ["no write succeeded for"] } },
  },
  issued_tokens_work: {
    promise: "A token that the token server issued is accepted at once, and again after every fault.",
    judged: {
      kills: { file: "chaos/busy/token-loop.ts", faults: ["an acknowledged token was answered with"] },
      ...busy("chaos/busy/token-loop.ts", "an acknowledged token was answered with"),
    },
  },
  nothing_outlives_its_supervisor: {
    promise: "Workers and the sandbox's process end by themselves when the process that started them is killed.",
    judged: { kills: { file: "chaos/kills/deployments.ts", faults: ["processes outlive their supervisor"] } },
  },
  use_is_flat: {
    promise: "Memory and open files of each process grow by less than 1 % over the last two thirds of a long run.",
    judged: { soak: { file: "chaos/soak/soak-judge.ts", faults: ["over the last two thirds"] } },
  },
  every_answer_is_right: {
    promise: "A service that nobody injures answers every request of a long run with the right status.",
    judged: { soak: { file: "chaos/soak/soak.ts", faults: ["} got $"] } },
  },
  recovered_to_the_moment: {
    promise: "A restore to a moment has every write that was acknowledged before it, and none that began after it.",
    judged: { recovery: { file: "chaos/failover/journey-ledger.ts", faults: ["an order from after the moment"] } },
  },
  matches_the_model: {
    promise: "An order's status, stage, exceptions, history and events equal those of a simple model.",
    judged: { lifecycle: { file: "chaos/lifecycle/lifecycle-check.ts", faults: [", expected $"] } },
  },
  nothing_forbidden_ships: {
    promise: "Nothing ships that the law, the prescription or an unresolved finding forbids.",
    judged: { safety: { file: "chaos/safety/safety-audit.ts", faults: ["shipmentFaults", "without a pharmacist"] } },
  },
  books_agree: {
    promise: "Statements, ledger, payments and the card processor's own book agree to the cent.",
    judged: {
      year: { file: "chaos/year/year-money.ts", faults: ["and its lines add up to", "and their cards paid"] },
      money: { file: "chaos/money/money-books.ts", faults: ["charged only", "does not exist"] },
    },
  },
  lots_add_up: {
    promise: "The received units of a lot are on the shelf, in quarantine, dispensed, destroyed, or came back.",
    judged: { day: { file: "chaos/day/day-ledger.ts", faults: ["are accounted for"] } },
  },
} as const satisfies Record<string, JudgedInvariant>;

export const judgesOf = (judged: JudgedInvariant["judged"]): readonly Judge[] =>
  Object.values(judged).flatMap((judge) => judge as Judge | readonly Judge[]);

/** Every invariant with the campaigns that check it. */
export const invariants: readonly {
  name: string;
  promise: string;
  campaigns: readonly string[];
  checked_in: string;
}[] = [
  ...Object.entries(databaseInvariants).map(([name, { promise, campaigns }]) => ({
    name,
    promise,
    campaigns,
    checked_in: "chaos/invariants/in-database.ts",
  })),
  ...Object.entries<JudgedInvariant>(judgedInvariants).map(([name, { promise, judged }]) => ({
    name,
    promise,
    campaigns: Object.keys(judged),
    checked_in: [...new Set(judgesOf(judged).map(({ file }) => file))].join(", "),
  })),
];
