import { statSync } from "node:fs";
import { progress } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { readConfig } from "../../config.ts";
import { migrate, migrationState } from "../../db/migrate.ts";
import { recordBackup } from "../../db/operations/measures.ts";
import { backUp } from "../../usecases/operations/back-up.ts";
import { restore, verifyBackup } from "../../usecases/operations/restore.ts";
import { keptMasterKeys } from "../../vault/master-key.ts";
import { auditCommand } from "../audit-command.ts";
import { type OwnerSession, withOwner } from "../session.ts";

export const backupCommands: readonly CommandRow[] = [
  {
    name: "backup",
    summary: "back up the whole database to an encrypted file, without the master key; the service can keep running",
    argument: ["file", "the file to write; an existing file is replaced when the new one is complete"],
    examples: ["backup pestle.backup", "backup /var/backups/pestle-$(date +%F).backup"],
    async run(_options, file, env) {
      const bar = progress();
      const config = readConfig(env);
      const { header, rows, size_bytes } = await withOwner(config, async ({ db, now }) => {
        // A database of an older version has no place for the entries; its backup is still worth taking.
        const current = (await migrationState(db)).pending.length === 0;
        if (current) await auditCommand(db, now);
        const taken = await backUp(db, file, keptMasterKeys(config), now, (table, count) =>
          bar.show(`${table} ${count}`),
        );
        const size_bytes = statSync(file).size;
        if (current) await recordBackup(db, new Date(), size_bytes);
        return { ...taken, size_bytes };
      }).finally(bar.done);
      const { created_at, schema_version, master_key_fingerprint } = header;
      const text = [
        `Wrote ${sum(rows)} rows from ${Object.keys(rows).length} tables (${size_bytes} bytes).`,
        `Keep the master key with fingerprint ${master_key_fingerprint} in a separate place: without it, the file cannot be decrypted.`,
      ].join("\n");
      return { data: { file, created_at, schema_version, master_key_fingerprint, size_bytes, rows }, text };
    },
  },
  {
    name: "restore",
    summary: "restore a backup into an empty database, all or nothing",
    argument: ["file", "a file that `pestle backup` wrote"],
    examples: ["restore pestle.backup", "DATA_DIR=/srv/pestle pestle restore pestle.backup"],
    async run(_options, file, env) {
      const bar = progress();
      const config = readConfig(env);
      // Verify before opening, and possibly creating, a database.
      const backup = await verifyBackup(file, keptMasterKeys(config));
      const fill = async ({ db, now, roles }: OwnerSession) => {
        const rows = await restore(db, backup, (table, count) => bar.show(`${table} ${count}`));
        // The rights of the other roles fit the newest schema. An older backup gets them with its migrations.
        const { pending } = await migrationState(db);
        if (pending.length === 0) {
          await migrate(db, { roles: await roles() });
          await auditCommand(db, now);
        }
        return { rows, pending };
      };
      const { rows, pending } = await withOwner(config, fill, { create: true }).finally(bar.done);
      const { header } = backup;
      const lines = [`Restored ${sum(rows)} rows in ${Object.keys(rows).length} tables, as of ${header.created_at}.`];
      if (pending.length > 0) lines.push(`The next start will apply ${pending.length} newer migrations.`);
      const { created_at, schema_version } = header;
      return { data: { file, created_at, schema_version, rows, pending }, text: lines.join("\n") };
    },
  },
];

const sum = (rows: Record<string, number>) => Object.values(rows).reduce((total, count) => total + count, 0);
