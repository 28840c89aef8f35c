import { StatusRefusal } from "../domain/values/refusals.ts";

/**
 * Limits how many requests of one environment run at once. The others wait in line, in turn by party: an account, a partner's
 * people, a network that asks for tokens. So a party with many requests delays itself more than the others, and a flood of
 * one environment costs the other neither memory nor its turn.
 */
export type Admission = {
  /** Nothing if there is room, so that a free service does not wait a tick; else a promise. Throws if the line is full. */
  enter(party: string): void | Promise<void>;
  /** For each `enter` that did not throw or reject. */
  leave(party: string): void;
  /**
   * Adjusts the places of a party to the part of its time that this process has just computed. While it has no time left, more
   * requests at once only wait for each other, and for every other party's.
   */
  pace(busy: number): void;
  /** How many run and how many wait, of all or of one party. */
  load(party?: string): { running: number; waiting: number };
};

type Waiting = { begin(): void; refuse(error: Error): void };

/** Waiting requests per running one. At a few milliseconds each, the last one in line still answers within a second. */
const LINE_FACTOR = 32;
const RETRY_AFTER_S = 1;
/**
 * The parts of its time that a process computes. Above `FULL`, a party gets fewer places, and up to `ROOM` more, so that some time
 * is left for the others. A party that is alone keeps all places: its requests share statements and commits.
 */
const [FULL, ROOM] = [0.9, 0.8];
/** Calls of `pace` for which a party counts after its last request. */
const SEVERAL_FOR = 100;

/** `share`: the percentage of the places that one party can have. */
export function createAdmission(most_running: number, share = 100): Admission {
  const most_of_party = Math.max(1, Math.ceil((most_running * share) / 100));
  let of_party = most_of_party;
  let newest = "";
  let alone_for = SEVERAL_FOR;
  const most_waiting = most_running * LINE_FACTOR;
  const places = new Map<string, number>();
  /** Parties with waiting requests, in the order of their turns. */
  const lines = new Map<string, Waiting[]>();
  let [running, waiting] = [0, 0];

  const hasRoom = (party: string) => (places.get(party) ?? 0) < of_party;
  const take = (party: string) => {
    if (party !== newest) alone_for = 0;
    newest = party;
    running += 1;
    places.set(party, (places.get(party) ?? 0) + 1);
  };
  /** If there is a place left, every waiting party has all that it can have. */
  const beginNext = () => {
    if (running >= most_running) return;
    for (const [party, line] of lines) {
      if (!hasRoom(party)) continue;
      lines.delete(party);
      const next = line.shift()!;
      // To the end of the turns.
      if (line.length > 0) lines.set(party, line);
      waiting -= 1;
      take(party);
      return next.begin();
    }
  };
  /** Refuses the newest request of the party that has most of them in line, which may be the caller's own. */
  const makeRoom = (party: string) => {
    let [longest, length] = [party, (lines.get(party)?.length ?? 0) + 1];
    for (const [other, line] of lines) if (line.length > length) [longest, length] = [other, line.length];
    const refusal = new StatusRefusal(503, RETRY_AFTER_S);
    if (longest === party) throw refusal;
    const line = lines.get(longest)!;
    waiting -= 1;
    line.pop()!.refuse(refusal);
    if (line.length === 0) lines.delete(longest);
  };

  return {
    enter(party) {
      if (running < most_running && hasRoom(party)) return take(party);
      if (waiting >= most_waiting) makeRoom(party);
      return new Promise((begin, refuse) => {
        const line = lines.get(party);
        waiting += 1;
        if (line === undefined) lines.set(party, [{ begin, refuse }]);
        else line.push({ begin, refuse });
      });
    },
    leave(party) {
      running -= 1;
      const left = (places.get(party) ?? 0) - 1;
      if (left > 0) places.set(party, left);
      else places.delete(party);
      beginNext();
    },
    pace(busy) {
      const alone = alone_for++ >= SEVERAL_FOR;
      // Without a line, the requests wait for something else: a database, a provider.
      if (!alone && busy > FULL && waiting > 0) of_party = Math.max(1, Math.floor(of_party / 2));
      if (of_party === most_of_party || (!alone && busy > ROOM)) return;
      of_party += 1;
      // One more place for each party that waits.
      for (let turns = lines.size; turns > 0; turns--) beginNext();
    },
    load: (party) =>
      party === undefined
        ? { running, waiting }
        : { running: places.get(party) ?? 0, waiting: lines.get(party)?.length ?? 0 },
  };
}
