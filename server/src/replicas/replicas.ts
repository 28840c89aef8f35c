import { performance } from "node:perf_hooks";
import type { ReplicaPools } from "../database.ts";
import type { Bus } from "../db/bus.ts";
import type { Queryable } from "../db/db.ts";
import { announceAhead, loadPosition, writeMark } from "../db/replica.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { inBatches } from "./in-batches.ts";
import { recentParties } from "./recent-parties.ts";
import { KNOWN_AFTER_MS, type Replica, watchReplica } from "./watch-replica.ts";

/**
 * Which server answers a party's reads. A party is an account or a person. It never sees less than it wrote, and its lists never
 * go back, at any process (ADR 0090).
 */
export type Replicas = {
  /** The replica for a read that may be a moment old; undefined for the primary. */
  choose(party: string): Replica | undefined | Promise<Replica | undefined>;
  /** After a write of the party. When it ends, all processes read what the party wrote. */
  written(party: string): void | Promise<void>;
  /** The primary answered a read that a replica had begun. */
  fellBack(party: string): void;
  /** What other processes announced. */
  learn(parties: readonly string[]): void;
  /** A process has joined that did not hear what this one announced. */
  announceAgain(): void;
  /** What is wrong with which replica. */
  problems(): string[];
  close(): Promise<void>;
};

/** So many beats of the bus fit into that time that a late one does no harm. */
export const BEAT_EVERY_MS = 50;
/** A read waits this long for a replica to catch up. */
const CATCH_UP_MS = 200;
/** After a replica kept a read waiting in vain, others do not wait for it this long. */
const NO_WAITING_MS = 1_000;
/** A replica that may be further behind answers nothing. */
const MOST_LAG_S = 5;
/** A process announces a party again after this time. */
const ANNOUNCED_FOR_MS = 20_000;
/** All processes remember it for longer than that, a slow statement and the lag of a replica take together. */
const AHEAD_FOR_MS = 60_000;
const MARK_EVERY_MS = 1_000;
/** Their notification stays below PostgreSQL's limit of 8,000 bytes. */
const PARTIES_AT_ONCE = 150;
const MOST_ANNOUNCED = 100_000;

export function openReplicas({
  hosts,
  primary,
  bus,
  metrics,
  onFault,
}: {
  hosts: readonly ReplicaPools[];
  primary: Queryable;
  bus: Pick<Bus, "fresh" | "primary">;
  metrics: Pick<Metrics, "countRead" | "setReplica">;
  onFault: (error: Error) => void;
}): Replicas {
  const now_ms = () => performance.now();
  const ahead = recentParties(AHEAD_FOR_MS, now_ms);
  /** When every process knows that a party is ahead. */
  let announced = new Map<string, number>();
  let announced_since_ms = now_ms();
  const no_waiting = new Map<Replica, number>();

  const usable = (replica: Replica) => {
    const lag_s = bus.fresh(KNOWN_AFTER_MS) ? replica.lag_s(bus.primary()) : undefined;
    return lag_s !== undefined && lag_s <= MOST_LAG_S;
  };
  const replicas = hosts.map((host): Replica => {
    const replica: Replica = watchReplica(host, {
      onLook: () => metrics.setReplica(host.name, usable(replica), replica.lag_s(bus.primary())),
      onFault,
    });
    return replica;
  });
  const marking = setInterval(() => void writeMark(primary).catch(() => {}), MARK_EVERY_MS);
  void writeMark(primary).catch(() => {});

  const newest = inBatches(Number.POSITIVE_INFINITY, () => loadPosition(primary));
  const announce = inBatches(PARTIES_AT_ONCE, (parties: string[]) => announceAhead(primary, [...new Set(parties)]));
  const announceAgain = () => {
    announced = new Map();
    announced_since_ms = now_ms();
  };
  const knownAt = (party: string) => {
    if (now_ms() - announced_since_ms > ANNOUNCED_FOR_MS || announced.size > MOST_ANNOUNCED) announceAgain();
    // Otherwise a process may have joined that does not know of the party.
    return bus.fresh(KNOWN_AFTER_MS) ? announced.get(party) : undefined;
  };
  /** Returns a position behind what the party has seen or written, and the time from which every process knows of it. */
  const announceNow = async (party: string) => {
    const before = announced;
    const position = await announce(party);
    const known_at_ms = now_ms() + KNOWN_AFTER_MS;
    // A process that joined meanwhile may not have heard it.
    if (announced === before) announced.set(party, known_at_ms);
    return { position, known_at_ms };
  };
  const settle = async (party: string, known_at_ms: number | undefined) => {
    try {
      const seen =
        known_at_ms === undefined ? await announceNow(party) : { position: await newest(undefined), known_at_ms };
      await Promise.all(replicas.map((replica) => replica.reaches(seen.position, seen.known_at_ms)));
    } catch (error) {
      // The write is saved. Without the primary, the other processes soon stop to use their replicas, too.
      onFault(error as Error);
    }
  };
  /** The party has seen what its replica may not show yet. Its own process knows at once, the others a moment later. */
  const goAhead = (party: string) => {
    ahead.add(party);
    if (knownAt(party) === undefined) announceNow(party).catch(() => {});
  };
  const caughtUp = async (replica: Replica): Promise<boolean> => {
    try {
      const position = await newest(undefined);
      const patient = now_ms() >= (no_waiting.get(replica) ?? 0);
      if (await replica.reaches(position, patient ? now_ms() + CATCH_UP_MS : 0)) return true;
      if (patient) no_waiting.set(replica, now_ms() + NO_WAITING_MS);
    } catch {
      // The read itself reports a primary that is out of reach.
    }
    return false;
  };

  return {
    choose(party) {
      // The same replica each time, at every process, because one replica never goes back.
      const home = replicas[placeOf(party, replicas.length)]!;
      const home_usable = usable(home);
      if (home_usable && !ahead.has(party)) {
        metrics.countRead("replica");
        return home;
      }
      const replica = home_usable ? home : replicas.find(usable);
      if (replica === undefined) {
        metrics.countRead("out_of_reach");
        goAhead(party);
        return undefined;
      }
      return caughtUp(replica).then((caught_up) => {
        metrics.countRead(caught_up ? "replica" : "behind");
        if (!caught_up || replica !== home) goAhead(party);
        return caught_up ? replica : undefined;
      });
    },
    written(party) {
      ahead.add(party);
      const known_at_ms = knownAt(party);
      if (known_at_ms !== undefined && now_ms() >= known_at_ms) return undefined;
      return settle(party, known_at_ms);
    },
    fellBack(party) {
      metrics.countRead("failed");
      goAhead(party);
    },
    learn(parties) {
      for (const party of parties) ahead.add(party);
    },
    announceAgain,
    problems: () =>
      replicas
        .filter((replica) => !usable(replica))
        .map(({ name }) => `the replica ${name} is out of reach or too far behind, so the primary answers its reads`),
    async close() {
      clearInterval(marking);
      await Promise.all(replicas.map((replica) => replica.close()));
    },
  };
}

function placeOf(party: string, count: number): number {
  let sum = 0;
  for (let at = 0; at < party.length; at++) sum = (sum * 31 + party.charCodeAt(at)) % 1_000_003;
  return sum % count;
}
