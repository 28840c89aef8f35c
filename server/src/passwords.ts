import { availableParallelism } from "node:os";
import { isCommonPassword } from "./adapters/common-passwords.ts";
import { passwordProblem, passwordProblems } from "./domain/accounts/password-rules.ts";
import { StatusRefusal } from "./domain/values/refusals.ts";
import { hashPasswordAside, isCheaper, PASSWORD_COST, passwordMatches } from "./vault/password-hash.ts";

export type Passwords = {
  /** Why a person may not choose this password; null if they may. `own`: their name, their address, their company. */
  problem(password: string, own: readonly string[]): string | null;
  hash(password: string): Promise<string>;
  /** `cheap`: it matches, and its hash needs to be renewed. Takes as long for an unknown person (`kept` is null). */
  check(password: string, kept: string | null): Promise<"wrong" | "right" | "cheap">;
};

/** A hash takes 128 MiB and a core, so a flood of sign-ins must not start many at once, nor occupy every core. */
const AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1));
const MOST_WAITING = 40;
const RETRY_AFTER_S = 5;

export function createPasswords(cost: number = PASSWORD_COST): Passwords {
  const slot = createSlots(AT_ONCE, MOST_WAITING);
  const nothing = `scrypt$${2 ** cost}$8$1$${"A".repeat(22)}$${"A".repeat(43)}`;
  return {
    problem(password, own) {
      const problem = passwordProblem(password, isCommonPassword, own);
      return problem === null ? null : passwordProblems[problem];
    },
    hash: (password) => slot(() => hashPasswordAside(password, cost)),
    async check(password, kept) {
      const matches = await slot(() => passwordMatches(password, kept ?? nothing));
      if (kept === null || !isCheaper(kept, cost)) return matches && kept !== null ? "right" : "wrong";
      if (matches) return "cheap";
      // A wrong password of a person with an old hash must not be answered sooner than that of an unknown person.
      await slot(() => hashPasswordAside(password, cost));
      return "wrong";
    },
  };
}

/** Runs at most `at_once` tasks; the others wait, and past `most_waiting` of them callers get 503. */
function createSlots(at_once: number, most_waiting: number) {
  let free = at_once;
  const waiting: (() => void)[] = [];
  return async <Result>(task: () => Promise<Result>): Promise<Result> => {
    if (free > 0) free -= 1;
    else if (waiting.length >= most_waiting) throw new StatusRefusal(503, RETRY_AFTER_S);
    else await new Promise<void>((go) => waiting.push(go));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
