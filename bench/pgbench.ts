import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SystemPostgres } from "../scripts/system-postgres.ts";
import { insertTokenText } from "../server/src/db/tokens.ts";

const CLIENTS = 16;
const THREADS = 2;
/** Credentials made for pgbench are numbered, because its variables are numbers; eight digits, as an id has. */
export const FIRST_NUMBERED_CREDENTIAL = 10_000_000;

/** Statements a second with the service's own statement for a new token, sent by PostgreSQL's own benchmark. */
export function runPgbench(
  postgres: SystemPostgres,
  given: { database: string; account_id: string; credentials: number; duration_s: number },
): number {
  const folder = mkdtempSync(join(tmpdir(), "pestle-pgbench-"));
  const script = join(folder, "token.sql");
  const last = FIRST_NUMBERED_CREDENTIAL + given.credentials - 1;
  writeFileSync(script, `\\set credential_id random(${FIRST_NUMBERED_CREDENTIAL}, ${last})\n${tokenStatement()}\n`);
  const now = new Date();
  const variables = {
    account_id: given.account_id,
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + 12 * 3600 * 1000).toISOString(),
  };
  try {
    const output = execFileSync(
      join(postgres.bin_dir, "pgbench"),
      [
        ...["--no-vacuum", "--protocol=prepared", `--client=${CLIENTS}`, `--jobs=${THREADS}`],
        ...[`--time=${given.duration_s}`, `--file=${script}`],
        ...Object.entries(variables).map(([name, value]) => `--define=${name}=${value}`),
        ...["--host", postgres.socket_dir, "--username", "pestle", given.database],
      ],
      { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
    );
    const [, failed] = /number of failed transactions: (\d+)/.exec(output) ?? [];
    const [, per_second] = /^tps = ([\d.]+)/m.exec(output) ?? [];
    if (per_second === undefined || (failed ?? "0") !== "0") throw new Error(`pgbench: ${output}`);
    return Number(per_second);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The service's statement with pgbench's variables for its parameters; the hash is drawn by the database. */
function tokenStatement(): string {
  const values = [
    ":account_id",
    "decode(md5(random()::text) || md5(random()::text), 'hex')",
    ":credential_id",
    "1",
    "'{partners}'::text[]",
    ":created_at",
    ":expires_at",
  ];
  const text = insertTokenText.replaceAll(/^\s*--.*\n/gm, "").trim();
  return `${text.replaceAll(/\$(\d)/g, (_all, number) => values[Number(number) - 1]!)};`;
}
