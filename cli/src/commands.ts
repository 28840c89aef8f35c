import type { CommandRow } from "./program.ts";

/** A file of commands: the first words of their names, and how to load them. */
export type CommandFile = readonly [words: readonly string[], load: () => Promise<CommandRow | readonly CommandRow[]>];

/**
 * The commands of a partner's developer, in help order. They call a service over its API. A command line loads only the
 * files with its first word.
 */
export const partnerCommandFiles: readonly CommandFile[] = [
  [["login", "logout", "whoami"], async () => (await import("./accounts/login.ts")).loginCommands],
  [["token"], async () => (await import("./accounts/token.ts")).tokenCommand],
  [["prescriptions"], async () => (await import("./prescribers/prescriptions.ts")).prescriptionCommands],
  [["orders"], async () => (await import("./orders/orders.ts")).orderReadCommands],
  [["orders"], async () => (await import("./orders/orders-create.ts")).orderCreateCommands],
  [["orders"], async () => (await import("./orders/orders-act.ts")).orderActCommands],
  [["orders"], async () => (await import("./orders/orders-messages.ts")).orderMessageCommands],
  [["orders"], async () => (await import("./orders/orders-watch.ts")).orderWatchCommand],
  [["continuity"], async () => (await import("./orders/continuity.ts")).continuityCommand],
  [["schedules"], async () => (await import("./schedules/schedules.ts")).scheduleCommands],
  [["statements"], async () => (await import("./statements/statements.ts")).statementCommands],
  [["simulate"], async () => (await import("./sandbox/simulate.ts")).simulateCommands()],
  [["webhooks"], async () => (await import("./webhooks/webhooks.ts")).webhookCommands],
  [["events"], async () => (await import("./webhooks/events.ts")).eventCommands],
  [["trigger"], async () => (await import("./webhooks/trigger.ts")).triggerCommand],
  [["fixtures"], async () => (await import("./webhooks/fixtures.ts")).fixtureCommands],
  [["verify"], async () => (await import("./webhooks/verify.ts")).verifyCommand],
  [["listen"], async () => (await import("./webhooks/listen.ts")).listenCommand],
  [["certify"], async () => (await import("./certify/certify.ts")).certifyCommands],
  [["logs"], async () => (await import("./requests/logs.ts")).logCommands()],
  [["open"], async () => (await import("./accounts/open.ts")).openCommand],
  [["samples"], async () => (await import("./samples/samples.ts")).sampleCommands],
];

/** The meaning of each group of commands. */
export const partnerGroups = {
  orders: "a partner's orders, over the API: list, create, act on, watch",
  prescriptions: "ask prescribers for renewals",
  schedules: "refill schedules",
  statements: "a partner's monthly statements, over the API: list, show, export",
  simulate: "the sandbox: prescriptions, orders, events, the clock",
  webhooks: "webhook endpoints: add, test, statistics",
  events: "an account's events and their deliveries",
  fixtures: "sample webhook bodies for your own tests",
  certify: "test a webhook receiver or an order integration, and verify its report",
  samples: "small projects to start from",
  logs: "an account's API requests",
} as const;

/** The first words of the commands under each heading of the help. */
export const partnerHeadings = {
  Account: ["login", "logout", "whoami", "token", "logs", "open"],
  "Orders and prescriptions": ["orders", "prescriptions", "schedules", "continuity", "statements"],
  Webhooks: ["webhooks", "events", "trigger", "fixtures", "listen", "verify", "certify"],
  Sandbox: ["simulate", "samples"],
} as const;

/** The files with the commands that a command line can mean. If its first word starts none, those are all, for the help. */
export function filesFor(files: readonly CommandFile[], first_word: string | undefined): readonly CommandFile[] {
  const own = files.filter(([words]) => words.some((word) => word === first_word));
  return own.length > 0 ? own : files;
}

export const commandsOf = async (files: readonly CommandFile[]): Promise<CommandRow[]> =>
  (await Promise.all(files.map(([, load]) => load()))).flat();
