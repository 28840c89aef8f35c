import type { ProcessRole } from "./process-roles.ts";

/** What a process knows about itself. */
export type ProcessFacts = {
  /** Its start has finished. */
  started: boolean;
  /** It finishes its requests and takes no new work. */
  stopping: boolean;
  /** It receives every change of the database. */
  fresh: boolean;
  /** Whether the sandbox's process serves; undefined if there is none. */
  sandbox_up: boolean | undefined;
  /** Whether orders can be checked. Otherwise they are held. */
  safety_fit: boolean;
  /** Webhook attempts at once. */
  attempts: number;
  /** What is wrong with which replica. */
  replicas: readonly string[];
};

export type Readiness = {
  ready: boolean;
  /** By role: whether it works, and what is wrong. A ready role can have a problem too. */
  roles: Partial<Record<ProcessRole, { ready: boolean; problems: string[] }>>;
};

const SANDBOX = "the sandbox's process is down";

/** What can be wrong with a role that is ready. */
const smaller: Readonly<Record<ProcessRole, (facts: ProcessFacts) => (string | false)[]>> = {
  api: ({ sandbox_up, safety_fit, replicas }) => [
    ...replicas,
    sandbox_up === false && SANDBOX,
    !safety_fit && "the safety tables are unfit, so orders are held",
  ],
  token: ({ sandbox_up }) => [sandbox_up === false && SANDBOX],
  courier: ({ sandbox_up, attempts }) => [
    sandbox_up === false && SANDBOX,
    attempts === 0 && "WEBHOOK_CONCURRENCY is 0",
  ],
  jobs: ({ sandbox_up }) => [sandbox_up === false && SANDBOX],
  web: ({ replicas }) => [...replicas],
};

export function readinessOf(roles: readonly ProcessRole[], facts: ProcessFacts): Readiness {
  const blocks = [
    !facts.started && "the start has not finished",
    facts.stopping && "the process is stopping",
    !facts.fresh && "the database has not answered for a second",
  ].filter((one) => one !== false);
  const ready = blocks.length === 0;
  const state = (role: ProcessRole) => ({
    ready,
    problems: [...blocks, ...smaller[role](facts).filter((one) => one !== false)],
  });
  return { ready, roles: Object.fromEntries(roles.map((role) => [role, state(role)])) };
}
