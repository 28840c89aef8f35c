import { AsyncLocalStorage } from "node:async_hooks";
import { userInfo } from "node:os";
import type { CommandRow } from "@pestle/cli/program";
import { commandAuditOf } from "@pestle/contract";
import { sudoUser } from "../config.ts";
import type { Queryable } from "../db/db.ts";

type Running = { name: string; argument: string; is_patient: boolean; env: NodeJS.ProcessEnv | undefined };
const running = new AsyncLocalStorage<Running>();

/**
 * The command, so that the audit entry names it. Every command passes through here (commands.ts). The service does not
 * run in the storage: it makes every promise of the process slower, for as long as it is used.
 */
export const recorded = (row: CommandRow): CommandRow =>
  row.runs_on
    ? row
    : {
        ...row,
        run: (options, argument, env) =>
          running.run({ name: row.name, argument, is_patient: row.argument?.[0] === "patient_id", env }, () =>
            row.run(options, argument, env),
          ),
      };

/**
 * Ids of accounts, credentials, orders and prescriptions. Other arguments can hold names, so the log leaves them out. It
 * also leaves out a patient's id, which can be a clinic's record number.
 */
const ID = /^[A-Za-z0-9]{1,12}(-[A-Za-z0-9]{1,12})?$/;

/**
 * Writes the command's entry before its work: no change exists without one. A command that opens the database twice
 * writes one entry each time.
 */
export async function auditCommand(db: Queryable, at: Date): Promise<void> {
  const command = running.getStore();
  if (command === undefined) return;
  const rule = commandAuditOf(command.name);
  if (rule !== undefined && "not_audited" in rule) return;
  const subject =
    ID.test(command.argument) && !command.is_patient ? `${command.name} ${command.argument}` : command.name;
  const field_groups = rule?.groups ?? [];
  // Imported here because commands that use the API alone need no database driver.
  const { insertAudit } = await import("../db/operations/audit.ts");
  await insertAudit(db, { at, ...commandActor(), account_id: null, action: "command_run", subject, field_groups });
}

/** Who runs the command, for further entries. */
export const commandActor = () => ({
  person_id: null,
  role: "command line",
  os_user: osUser(running.getStore()?.env),
  request_id: null,
});

/** With `sudo`, also the user who ran it. */
function osUser(env: NodeJS.ProcessEnv | undefined): string {
  const sudo = sudoUser(env);
  try {
    const { username } = userInfo();
    return sudo === undefined || sudo === username ? username : `${username} (sudo by ${sudo})`;
  } catch {
    // No entry in the password file, as in some containers.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
