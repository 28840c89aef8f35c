import { randomBytes } from "node:crypto";
import { table } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { readConfig } from "../../config.ts";
import { closeLoss, listLosses } from "../../db/operations/database-runs.ts";
import { createRolesText, loadRole } from "../../db/roles.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { shown } from "../../usecases/operations/losses/watch-runs.ts";
import { withOwner, withSchema } from "../session.ts";

const INSUFFICIENT_PRIVILEGE = "42501";
const DUPLICATE_OBJECT = "42710";

export const databaseCommands: readonly CommandRow[] = [
  {
    name: "database roles",
    summary: "print the SQL and the settings that give the service its own database roles; with --apply, run the SQL",
    options: [["--apply", "run the SQL as the current role, which needs CREATEROLE"]],
    examples: ["database roles", "database roles --apply", "database roles --json"],
    async run({ apply }, _argument, env) {
      const config = readConfig(env);
      if (config.DATABASE_URL === "")
        throw new AdminRefusal("The embedded database has its roles already. This command is for DATABASE_URL.");
      const owner_url = config.DATABASE_OWNER_URL || config.DATABASE_URL;
      const none = { DATABASE_OWNER_URL: "", DATABASE_JOBS_URL: "", DATABASE_DIRECT_URL: "" };
      const one_role = { ...config, ...none, DATABASE_URL: owner_url };
      const data = await withOwner(one_role, async ({ db }) => {
        const owner = await loadRole(db);
        const roles = { service: `${owner}_service`, jobs: `${owner}_jobs` };
        const passwords = { service: password(), jobs: password() };
        const sql = createRolesText(roles, passwords);
        if (apply === true) {
          for (const text of sql) await db.raw(text).catch(explainRefusal);
        }
        return {
          sql,
          applied: apply === true,
          settings: {
            DATABASE_URL: asRole(owner_url, roles.service, passwords.service),
            DATABASE_JOBS_URL: asRole(owner_url, roles.jobs, passwords.jobs),
            DATABASE_OWNER_URL: owner_url,
          },
        };
      });
      const lines = [
        data.applied ? "Created the roles:" : "Run this as an administrator of the database:",
        "",
        ...data.sql.map((text) => `${text};`),
        "",
        "Then change these settings and start the service. The start gives the roles their rights.",
        "",
        ...Object.entries(data.settings).map(([name, value]) => `${name}=${value}`),
      ];
      return { data, text: lines.join("\n") };
    },
  },
  {
    name: "database losses",
    summary: "list failovers and restores that may have lost acknowledged writes; with --close, settle one",
    options: [["--close <number>", "you have compared the time with the partners"]],
    examples: ["database losses", "database losses --close 1"],
    run: ({ close }, _argument, env) =>
      withSchema(readConfig(env), async ({ db, now }) => {
        if (close !== undefined && (await closeLoss(db, Number(close) || 0, now)) === 0)
          throw new AdminRefusal(`There is no open loss ${close}. Run \`pestle database losses\` for their numbers.`);
        const data = (await listLosses(db)).map(({ noticed_at, closed_at, loss_id, ...loss }) => ({
          loss_id,
          ...shown(loss),
          noticed_at: noticed_at.toISOString(),
          closed_at: closed_at?.toISOString() ?? null,
        }));
        const rows = data.map(({ loss_id, lost_from, lost_until, lost_bytes, closed_at }) => [
          String(loss_id),
          lost_from,
          lost_until,
          lost_bytes === null ? "unknown" : `at least ${lost_bytes}`,
          closed_at === null ? "open" : `closed ${closed_at}`,
        ]);
        const text =
          rows.length === 0
            ? "No failover or restore lost acknowledged writes."
            : table(["number", "from", "until", "bytes of the log", "state"], rows);
        return { data, text };
      }),
  },
];

const password = () => randomBytes(24).toString("base64url");

const asRole = (url: string, role: string, secret: string) =>
  url.replace(/^(\w+:\/\/)(?:[^/?#]*@)?/, (_, scheme: string) => `${scheme}${encodeURIComponent(role)}:${secret}@`);

function explainRefusal(error: unknown): never {
  const { code } = error as { code?: string };
  if (code === INSUFFICIENT_PRIVILEGE)
    throw new AdminRefusal("This role cannot create roles. Run the printed SQL as an administrator instead.");
  if (code === DUPLICATE_OBJECT)
    throw new AdminRefusal(
      "The roles exist already. Set their passwords with ALTER ROLE, and use those in the settings.",
    );
  throw error;
}
