import { WrongUsage } from "@pestle/cli/errors";
import { progress } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { type Config, readConfig } from "../../config.ts";
import { atHost, connectionTo, hostPortOf } from "../../db/connection.ts";
import { openDb } from "../../db/db.ts";
import { migrate, migrationState } from "../../db/migrate.ts";
import type { Host } from "../../db/operations/distribution.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { isolate, rebalance } from "../../usecases/operations/servers/move-accounts.ts";
import { describeSpread, gather, type OpenWorker, spread } from "../../usecases/operations/servers/spread.ts";
import { auditCommand } from "../audit-command.ts";
import { type OwnerSession, withOwner } from "../session.ts";

type Options = {
  worker?: string[];
  coordinator?: string;
  shards?: string;
  undo?: true;
  status?: true;
  isolate?: string;
  rebalance?: true;
};

const MOST_SHARDS = 1024;

export const distributeCommand: CommandRow = {
  name: "distribute",
  summary: "spread the accounts over several PostgreSQL servers with the extension Citus, and back (experiment)",
  options: [
    ["--worker <host:port...>", "the servers that take the accounts; with --rebalance, servers to add"],
    ["--coordinator <host:port>", "this database as the workers reach it (default: the host of the setting)"],
    ["--shards <count>", "parts of each table, at most 1024 (default: 32)"],
    ["--undo", "bring all tables back to this server"],
    ["--status", "only show how far it is"],
    ["--isolate <account>", "give a big account parts of its own; the service can keep running"],
    ["--rebalance", "move parts until the servers hold equally much; the service can keep running"],
  ],
  examples: [
    "distribute --worker db2.internal:5432 db3.internal:5432",
    "distribute --status",
    "distribute --rebalance --worker db4.internal:5432",
    "distribute --isolate 3f9k2m8x1q7z",
    "distribute --undo",
  ],
  async run(given, _argument, env) {
    const options = given as Options;
    const chosen = (["undo", "status", "isolate", "rebalance"] as const).filter((name) => options[name] !== undefined);
    if (chosen.length > 1) throw new WrongUsage(`Give --${chosen[0]} or --${chosen[1]}, not both.`);
    const workers = (options.worker ?? []).map((text) => parseHost("--worker", text));
    const coordinator = options.coordinator === undefined ? undefined : parseHost("--coordinator", options.coordinator);
    const shards = options.shards === undefined ? undefined : parseShards(options.shards);
    const config = readConfig(env);
    if (config.DATABASE_URL === "")
      throw new AdminRefusal(
        "The embedded database stays on one machine. Restore a backup into a PostgreSQL with Citus, and set DATABASE_URL.",
      );
    const url = config.DATABASE_OWNER_URL || config.DATABASE_URL;
    const bar = progress();
    const show = (step: string, done: number, of: number) => bar.show(`${step}: ${done} of ${of}`);
    const work = async () => {
      if (options.status) return withOwner(config, ({ db }) => describeSpread(db));
      if (options.isolate !== undefined) {
        const account_id = options.isolate;
        return withOwner(
          config,
          recorded(({ db }) => isolate(db, account_id)),
        );
      }
      const openWorker = workersOf(config, url);
      if (options.rebalance)
        return withOwner(
          config,
          recorded(({ db }) => rebalance(db, workers, openWorker, show)),
        );
      const wanted = { coordinator: coordinator ?? hostPortOf(url), workers, shards };
      const move = async ({ db, now }: OwnerSession) => {
        // An older database has no place for the entry, and is refused.
        if ((await migrationState(db)).pending.length === 0) await auditCommand(db, now);
        return options.undo ? gather(db, show) : spread(db, wanted, openWorker, show);
      };
      await withOwner(config, move, { rotates: true });
      // The rights and policies of the roles differ in some words.
      return withOwner(config, async ({ db, roles }) => {
        await migrate(db, { roles: await roles() });
        return describeSpread(db);
      });
    };
    const data = await work().finally(bar.done);
    return { data, text: textOf(data) };
  },
};

/** With an entry in the audit log. */
const recorded =
  <Result>(work: (session: OwnerSession) => Promise<Result>) =>
  async (session: OwnerSession): Promise<Result> => {
    await auditCommand(session.db, session.now);
    return work(session);
  };

type Outcome =
  | Awaited<ReturnType<typeof describeSpread>>
  | Awaited<ReturnType<typeof isolate>>
  | Awaited<ReturnType<typeof rebalance>>;

function textOf(data: Outcome): string {
  if ("account_id" in data) return `Account ${data.account_id} shares no part of a table with another account.`;
  if ("moved" in data)
    return data.moved === 0
      ? "The servers hold equally much. Nothing moved."
      : `Moved ${data.moved} groups of parts${data.mode === "block_writes" ? " (set wal_level = logical on all servers to write meanwhile)" : ""}.`;
  const { state, workers, tables_placed, tables, rules_off } = data;
  const over = workers.join(", ");
  if (state === "none") return "All tables are on one server.";
  if (state === "spread") return `The tables of the accounts are spread over ${over}.`;
  const again = state === "spreading" ? "distribute` with the same servers" : "distribute --undo`";
  return `An interrupted run left ${tables_placed} of ${tables} tables spread and ${rules_off} rules to put back. The service cannot start. Run \`pestle ${again} again.`;
}

const workersOf =
  (config: Config, url: string): OpenWorker =>
  (host) => {
    const ssl = { mode: config.PGSSLMODE, root_certificate_file: config.PGSSLROOTCERT };
    return openDb({
      connection: connectionTo(atHost(url, host), ssl),
      pool_size: 1,
      named_statements: false,
      fence: null,
    });
  };

function parseHost(option: string, text: string): Host {
  const [, host, port] = /^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535)
    throw new WrongUsage(`${option} takes HOST:PORT, such as db2.internal:5432.`);
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

function parseShards(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > MOST_SHARDS)
    throw new WrongUsage(`--shards takes a whole number from 1 to ${MOST_SHARDS}.`);
  return count;
}
