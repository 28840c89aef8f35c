import { setTimeout as delay } from "node:timers/promises";
import type { Grant } from "../db/accounts/tokens.ts";
import { isConflict } from "../db/conflict.ts";
import type { Database, Tx } from "../db/db.ts";
import {
  answerPlace,
  claimKey,
  type IdempotencyClaim,
  type KeptAnswer,
  keepAnswer,
  loadKeptAnswer,
  replaceAnswer,
} from "../db/idempotency.ts";
import { insertAudit } from "../db/operations/audit.ts";
import { tracedDatabase } from "../db/traced-database.ts";
import type { Deps } from "../deps.ts";
import { within } from "../domain/operations/span.ts";
import { Conflict, OutOfReach, refuse, StatusRefusal } from "../domain/values/refusals.ts";
import { type Vault, withKeysOfNow } from "../vault/vault.ts";
import { type AuditNote, withPatientIndexes } from "./operations/audit-note.ts";
import type { RequestBy } from "./operations/audit-partner.ts";

/**
 * One write, from the request to the answer. The order is fixed: `prepare`, then `attempt` until it is saved, then
 * `settle`. Nothing else in the service retries a lost race or a lost connection.
 */
export type Write<Prepared, Done> = {
  /** Reads the request and calls other systems (an address validator, a carrier). Never inside a transaction. */
  prepare?: () => Prepared | Promise<Prepared>;
  /** Work after the commit, such as charging a card; returns the result to send instead, or undefined for none. */
  settle?: (done: Done, prepared: Prepared) => Promise<Done> | undefined;
} & (
  | {
      transaction?: "always";
      /** Loads, decides and saves. It runs again after a lost race, so all its effects must roll back. */
      attempt: (tx: Tx, prepared: Prepared, retried: boolean) => Promise<Done>;
    }
  | {
      /**
       * `on_retry`: the attempt saves with one guarded statement, so only a retry, which locks, needs a transaction.
       * `never`: the attempt calls other systems between its load and its save.
       */
      transaction: "on_retry" | "never";
      attempt: (db: Database, prepared: Prepared, retried: boolean) => Promise<Done>;
    }
);

/** A partner's request: the account comes from the token alone. */
export type PartnerCall = {
  grant: Grant;
  key: IdempotencyClaim | undefined;
  now: Date;
  /** For the audit log. */
  by: RequestBy;
};

/** An answer as it is stored and sent: status and body bytes. */
export type FinishedAnswer = { status: number; body: string; replayed?: boolean };

/** `vault`: for attempts that seal or open values; a key rotation in the meantime causes a retry. */
type WriteDeps = { db: Database; vault?: Vault };

/** A request that repeats an Idempotency-Key within this time receives the stored answer. */
export const KEPT_FOR_MS = 24 * 3600 * 1000;
const MOST_TRIES = 10;
/** Pauses before each try on another connection: the first is often one of many that broke at the same moment. */
const AFTER_LOST_CONNECTION_MS = [0, 250];

/** Other requests won every race for the same rows. The caller receives 503 and may try again. */
export class LostRaces extends StatusRefusal {
  constructor() {
    super(503, 1);
  }
}

/** Saves a change and returns what the attempt, or the settlement after the commit, returned. */
export async function write<Done, Prepared = void>(deps: WriteDeps, plan: Write<Prepared, Done>): Promise<Done> {
  const prepared = (await plan.prepare?.()) as Prepared;
  const done = await untilSaved(deps, plan, prepared);
  return (await settled(deps.db, plan.settle?.(done, prepared))) ?? done;
}

/** A write with an attempt only. */
export const transact = <Done>(deps: WriteDeps, attempt: (tx: Tx) => Promise<Done>): Promise<Done> =>
  write(deps, { attempt });

/**
 * The same for a partner's request: runs once per Idempotency-Key. The answer is stored in the change's own
 * transaction, so a retry receives the same bytes and nothing happens twice; a refused change rolls back and leaves the
 * key free. The stored answer is encrypted because it can identify the patient.
 */
export async function writeAnswer<Done, Prepared = void>(
  deps: Pick<Deps, "db" | "vault" | "now">,
  key: IdempotencyClaim | undefined,
  status: number,
  /**
   * `answer`: the body to send, if it is not all that the attempt returns. `audit`: the audit entry, written in the
   * attempt's transaction; absent if the attempt's own statement writes it.
   */
  { answer: bodyOf = (done) => done, audit, ...asked }: PartnerWrite<Prepared, Done>,
): Promise<FinishedAnswer> {
  const finished = (done: Done): FinishedAnswer => {
    const body = bodyOf(done);
    return { status, body: body === undefined ? "" : JSON.stringify(body) };
  };
  const plan = audit === undefined ? asked : audited(deps.vault, asked, audit);
  if (key === undefined) return finished(await write(deps, plan));
  // Look up the key before refusing: a known key is replayed, or refused because its body differs.
  const prepared = await Promise.resolve(plan.prepare?.()).then(
    (value) => () => value as Prepared,
    (refusal: unknown) => (): Prepared => {
      throw refusal;
    },
  );
  const kept: Write<void, FinishedAnswer & { done?: Done }> = {
    attempt: async (tx, _, retried) => {
      const stored = await claimOrReplay(deps, tx, key);
      if (stored !== undefined) return stored;
      const done = await plan.attempt(tx, prepared(), retried);
      const answer = finished(done);
      await keepAnswer(tx, key, { status, body_sealed: sealed(deps, key, answer) }, deps.now());
      return { ...answer, done };
    },
  };
  const saved = await untilSaved(deps, kept, undefined, { keyed: true });
  if (!("done" in saved)) return saved;
  const { done, ...answer } = saved;
  const settlement = plan.settle?.(done as Done, prepared());
  if (settlement === undefined) return answer;
  // If the process ends here, the earlier answer stays stored and a job settles the rest.
  const after = finished(await settled(deps.db, settlement));
  await withKeysOfNow(deps, () => replaceAnswer(deps.db, key, sealed(deps, key, after)));
  return after;
}

type PartnerWrite<Prepared, Done> = Write<Prepared, Done> & {
  answer?: (done: Done) => unknown;
  audit?: (done: Done) => AuditNote;
};

/** Writes the entry with the change: both commit, or neither. */
function audited<Prepared, Done>(
  vault: Vault,
  plan: Write<Prepared, Done>,
  audit: (done: Done) => AuditNote,
): Write<Prepared, Done> {
  const { transaction: _, attempt, ...rest } = plan;
  return {
    ...rest,
    attempt: async (tx, prepared, retried) => {
      const done = await attempt(tx, prepared, retried);
      await insertAudit(tx, withPatientIndexes(vault, audit(done)));
      return done;
    },
  };
}

/** Work after the commit, in a span of its own. */
const settled = <Work extends Promise<unknown> | undefined>({ span }: Database, work: Work): Work =>
  span === undefined || work === undefined ? work : within(span, "settle", () => work);

/** `savedNow`, with a span around it if the request is traced. */
function untilSaved<Prepared, Done>(
  deps: WriteDeps,
  plan: Write<Prepared, Done>,
  prepared: Prepared,
  options: { keyed?: boolean } = {},
): Promise<Done> {
  const { span } = deps.db;
  if (span === undefined || deps.db.in_transaction) return savedNow(deps, plan, prepared, options);
  return within(span, "write", (own) =>
    savedNow({ ...deps, db: tracedDatabase(deps.db, own!) }, plan, prepared, options),
  );
}

/**
 * Tries again after a lost race, and after a lost connection if that is safe: if nothing was saved, or if the plan claims an
 * idempotency key in the transaction (`keyed`), because it then finds what it saved.
 */
async function savedNow<Prepared, Done>(
  { db, vault }: WriteDeps,
  plan: Write<Prepared, Done>,
  prepared: Prepared,
  { keyed = false } = {},
): Promise<Done> {
  let races = 0;
  let lost = 0;
  /** Set while it is unknown whether an earlier try was saved. */
  let unsure: OutOfReach | undefined;
  for (;;) {
    const retried = races + lost > 0;
    if (retried) db.span?.set({ "pestle.lost_races": races, "pestle.lost_connections": lost });
    const once = () =>
      plan.transaction === "never" || (plan.transaction === "on_retry" && !retried)
        ? plan.attempt(db, prepared, retried)
        : db.transaction((tx) => plan.attempt(tx, prepared, retried));
    try {
      return await (vault === undefined ? once() : withKeysOfNow({ db, vault }, once));
    } catch (error) {
      // A conflict aborts a joined transaction, so only the caller that opened it can retry.
      if (db.in_transaction) throw error;
      // The server has not ended the earlier try yet, which still holds the key.
      if (unsure !== undefined && error instanceof Conflict) throw unsure;
      if (error instanceof OutOfReach) {
        const pause_ms = AFTER_LOST_CONNECTION_MS[lost++];
        // An attempt outside a transaction may have called another system.
        const safe = error.saved === "nothing" ? plan.transaction !== "never" : keyed;
        if (!safe || pause_ms === undefined) throw error;
        if (error.saved === "unknown") unsure = error;
        await delay(pause_ms);
        continue;
      }
      if (!isConflict(error)) throw error;
      if (++races === MOST_TRIES) throw new LostRaces();
    }
  }
}

async function claimOrReplay(
  deps: Pick<Deps, "vault" | "now">,
  tx: Tx,
  key: IdempotencyClaim,
): Promise<FinishedAnswer | undefined> {
  const since = new Date(deps.now().getTime() - KEPT_FOR_MS);
  const first = await claimKey(tx, key, since);
  // Read again after the claim: another request may have finished between the two.
  const kept = first.body_sealed !== null ? first : await loadKeptAnswer(tx, key, since);
  if (kept === undefined) {
    if (first.claimed !== true) throw new Conflict();
    return undefined;
  }
  return opened(deps, key, kept);
}

/** The answer that an earlier request with the same key received, if it succeeded. */
export const keptAnswer = (
  deps: Pick<Deps, "db" | "vault" | "now">,
  key: IdempotencyClaim,
): Promise<FinishedAnswer | undefined> =>
  withKeysOfNow(deps, async () => {
    const kept = await loadKeptAnswer(deps.db, key, new Date(deps.now().getTime() - KEPT_FOR_MS));
    return kept && opened(deps, key, kept);
  });

function opened(deps: Pick<Deps, "vault">, key: IdempotencyClaim, kept: KeptAnswer): FinishedAnswer {
  if (!kept.fingerprint.equals(key.fingerprint)) refuse(42299, "Idempotency-Key");
  const body = deps.vault.open(kept.body_sealed, answerPlace(key)).toString("utf8");
  return { status: kept.status, body, replayed: true };
}

const sealed = (deps: Pick<Deps, "vault">, key: IdempotencyClaim, { body }: FinishedAnswer) =>
  deps.vault.seal(Buffer.from(body), answerPlace(key));
