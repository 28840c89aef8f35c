import type { ErrorEntry } from "@pestle/sdk";
import { CommanderError } from "commander";
import { WrongSetting } from "./settings.ts";

/** The kinds of failure with their exit codes. The help, `--json` and docs/cli.md read this table. */
export const failureKinds = {
  failed: { exit_code: 1, meaning: "the command failed, or it found a problem" },
  usage: { exit_code: 2, meaning: "an invalid argument or setting" },
  refused: { exit_code: 3, meaning: "the service refused the request" },
  unauthorized: { exit_code: 4, meaning: "the service refused the credential" },
  not_found: { exit_code: 5, meaning: "the account has no such record" },
  unreachable: { exit_code: 6, meaning: "the service did not answer or is too busy; try again later" },
} as const;
export type FailureKind = keyof typeof failureKinds;

/** A command cannot do what was asked. The message is one line that says why. */
export class CommandRefusal extends Error {}

/** Invalid or conflicting arguments. */
export class WrongUsage extends Error {}

type ServiceFacts = {
  request_id?: string | undefined;
  doc_url?: string | undefined;
  errors?: readonly ErrorEntry[] | undefined;
};

/** A running service refused what a command asked. */
export class ServiceRefusal extends CommandRefusal {
  readonly kind: FailureKind;
  readonly facts: ServiceFacts;

  constructor(kind: FailureKind, message: string, facts: ServiceFacts = {}) {
    super(message);
    this.kind = kind;
    this.facts = facts;
  }
}

/** The kind of failure that an HTTP status means. */
export function kindOfStatus(status: number): FailureKind {
  if (status === 401) return "unauthorized";
  if (status === 404) return "not_found";
  return status === 429 || status >= 500 ? "unreachable" : "refused";
}

/** A failure as `--json` prints it. */
export type Failure = {
  error: FailureKind;
  message: string;
  exit_code: number;
  /** Of the service's answer, if there was one. */
  request_id: string | null;
  doc_url?: string;
  errors?: readonly ErrorEntry[];
};

/** One line for any error, its kind and its exit code. An empty message: Commander has already printed the help. */
export function explain(error: unknown): Failure {
  const { kind, message } = judged(error);
  const { request_id = null, doc_url, errors = [] } = error instanceof ServiceRefusal ? error.facts : {};
  return {
    error: kind,
    message,
    exit_code: failureKinds[kind].exit_code,
    request_id,
    ...(doc_url !== undefined && { doc_url }),
    ...(errors.length > 0 && { errors }),
  };
}

function judged(error: unknown): { kind: FailureKind; message: string } {
  if (error instanceof CommanderError) {
    // `commander.help`: a group without a verb.
    const message = error.code === "commander.help" ? "" : oneLine(error.message.replace(/^error: /, ""));
    return { kind: "usage", message };
  }
  if (error instanceof WrongUsage || error instanceof WrongSetting) {
    return { kind: "usage", message: oneLine(error.message) };
  }
  if (error instanceof ServiceRefusal) return { kind: error.kind, message: oneLine(error.message) };
  return { kind: "failed", message: reason(error) };
}

/** Some Node errors have a code but no message. */
export function reason(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return oneLine(message || code || "unknown error");
}

const oneLine = (text: string) => text.trim().replace(/\s*\n\s*/g, " ");
