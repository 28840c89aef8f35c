import { existsSync, readFileSync } from "node:fs";
import { type CommandFile, commandsOf, filesFor, partnerCommandFiles } from "@pestle/cli/commands";
import type { CommandRow } from "@pestle/cli/program";
import { recorded } from "./audit-command.ts";
import { groups } from "./groups.ts";

/** Partner's commands to which the service's tables and database add an option. */
const EXTENDED = ["simulate", "logs"];

/**
 * Every file of commands, in help order. A command line loads only the files with its first word: loading them all,
 * and with them the whole service, takes ten times as long.
 */
export const commandFiles: readonly CommandFile[] = [
  [["start"], async () => (await import("./operations/start.ts")).startCommand],
  [["providers"], async () => (await import("./operations/providers.ts")).providerCommands],
  [["doctor"], async () => (await import("./operations/doctor.ts")).doctorCommand],
  [["config"], async () => (await import("./operations/config.ts")).configCommand],
  [["migrate"], async () => (await import("./operations/migrate.ts")).migrateCommand],
  [["partner"], async () => (await import("./accounts/partner.ts")).partnerCommands],
  [["credential"], async () => (await import("./accounts/credential.ts")).credentialCommands],
  [["credential"], async () => (await import("./accounts/credential-limits.ts")).credentialLimitCommands],
  [["user"], async () => (await import("./accounts/user.ts")).userCommands],
  [["sso"], async () => (await import("./accounts/sso.ts")).ssoCommands],
  ...partnerCommandFiles.filter(([words]) => !words.some((word) => EXTENDED.includes(word))),
  [["simulate"], async () => (await import("./sandbox/seeded-prescription.ts")).simulateCommands],
  [["rx"], async () => (await import("./intake/rx-send.ts")).rxSendCommand],
  [["rx"], async () => (await import("./intake/rx-lint.ts")).rxLintCommand],
  [["rx"], async () => (await import("./intake/rx-review.ts")).rxReviewCommands],
  [["rx"], async () => (await import("./prescribers/rx-ask.ts")).rxAskCommands],
  [["rx"], async () => (await import("./fulfillment/partial-fill.ts")).partialFillCommands],
  [["order"], async () => (await import("./fulfillment/order.ts")).orderCommands],
  [["recall"], async () => (await import("./fulfillment/recall.ts")).recallCommand],
  [["report"], async () => (await import("./fulfillment/report.ts")).reportCommands],
  [["report"], async () => (await import("./fulfillment/inspection.ts")).inspectionCommands],
  [["report"], async () => (await import("./statements/report-payments.ts")).reportPaymentsCommand],
  [["ledger"], async () => (await import("./statements/ledger.ts")).ledgerCommands],
  [["logs"], async () => (await import("./operations/logs.ts")).logCommands],
  [["mcp"], async () => (await import("./mcp/mcp.ts")).mcpCommand(commandsFor)],
  [["catalogue"], async () => (await import("./catalogue/catalogue.ts")).catalogueCommands],
  [["stock"], async () => (await import("./catalogue/stock.ts")).stockCommands],
  [["safety"], async () => (await import("./safety/safety.ts")).safetyCommands],
  [["backup", "restore"], async () => (await import("./operations/backup.ts")).backupCommands],
  [["database"], async () => (await import("./operations/database.ts")).databaseCommands],
  [["distribute"], async () => (await import("./operations/distribute.ts")).distributeCommand],
  [["audit"], async () => (await import("./operations/audit.ts")).auditCommands],
  [["keys"], async () => (await import("./operations/keys.ts")).keysCommands],
  [["completion"], async () => (await import("@pestle/cli/completion")).completionCommand(loadCommands, groups)],
];

/** Every command, in help order. */
export const loadCommands = (): Promise<CommandRow[]> => loaded(commandFiles);

/** The commands that a command line can mean. If its first word starts none, those are all, for the help. */
export async function commandsFor(first_word: string | undefined): Promise<CommandRow[]> {
  if (first_word === "--version" || first_word === "-V") return [];
  const own = filesFor(commandFiles, first_word);
  return own === commandFiles ? (listedCommands() ?? loadCommands()) : loaded(own);
}

/** `scripts/bundle.mjs` writes it: every command without its code. */
const LIST = new URL("../program/commands.json", import.meta.url);

/** Every command as data, for the help. Undefined if the program runs from source. */
function listedCommands(): CommandRow[] | undefined {
  if (!existsSync(LIST)) return undefined;
  const rows = JSON.parse(readFileSync(LIST, "utf8")) as Omit<CommandRow, "run">[];
  const run = () => Promise.reject(new Error("this command is only listed"));
  return rows.map((row) => ({ ...row, run }));
}

const loaded = async (files: readonly CommandFile[]): Promise<CommandRow[]> => (await commandsOf(files)).map(recorded);
