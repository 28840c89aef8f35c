import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SystemPostgres } from "../scripts/system-postgres.ts";
import { bytes } from "../server/src/db/values.ts";

/** pgbench scripts, chosen by weight. The variables are texts shared by all. */
export type PgbenchRun = {
  scripts: { text: string; weight: number }[];
  variables: Record<string, string>;
  duration_ms: number;
};

export const CLIENTS = 16;
const THREADS = 2;
/** PostgreSQL's limit of arguments for one function call. */
const MOST_ARGUMENTS = 100;

/** pgbench runs for whole seconds. */
export const pgbenchSeconds = (duration_ms: number): number => Math.ceil(duration_ms / 1000);

/** The scripts that ran and their rate, measured by PostgreSQL's own benchmark: what the database alone can do. */
export function runPgbench(
  postgres: SystemPostgres,
  database: string,
  { scripts, variables, duration_ms }: PgbenchRun,
): { per_second: number; count: number } {
  const folder = mkdtempSync(join(tmpdir(), "pestle-pgbench-"));
  try {
    const files = scripts.map(({ text, weight }, index) => {
      const file = join(folder, `${index}.sql`);
      writeFileSync(file, text);
      return `--file=${file}@${weight}`;
    });
    const output = execFileSync(
      join(postgres.bin_dir, "pgbench"),
      [
        ...["--no-vacuum", "--protocol=prepared", `--client=${CLIENTS}`, `--jobs=${THREADS}`],
        ...[`--time=${pgbenchSeconds(duration_ms)}`, ...files],
        ...Object.entries(variables).map(([name, value]) => `--define=${name}=${value}`),
        ...["--host", postgres.socket_dir, "--username", "pestle", database],
      ],
      // Uses the same plan mode as the service's statements (db.ts).
      {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, PGOPTIONS: "-c plan_cache_mode=force_generic_plan" },
      },
    );
    const [, failed] = /number of failed transactions: (\d+)/.exec(output) ?? [];
    const [, per_second] = /^tps = ([\d.]+)/m.exec(output) ?? [];
    const [, count] = /number of transactions actually processed: (\d+)/.exec(output) ?? [];
    if (per_second === undefined || (failed ?? "0") !== "0") throw new Error(`pgbench: ${output}`);
    return { per_second: Number(per_second), count: Number(count) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** An event id in the service's format: the time, then random digits. */
export const EVENT_ID_EXPRESSION =
  "to_hex(extract(epoch from clock_timestamp())::bigint) || substr(gen_random_uuid()::text, 9)";

/** A statement of the service, with expressions over pgbench's variables in place of its parameters. */
export function withValues(text: string, values: readonly string[]): string {
  const bare = text.replaceAll(/^\s*--.*\n/gm, "").trim();
  return bare.replaceAll(/\$(\d+)/g, (_all, number) => values[Number(number) - 1]!);
}

/** A sample's JSON as a concatenation of fixed texts, each in its own variable, and of expressions. */
export function concatenation(
  json: string,
  replaced: Map<string, string>,
  name: string,
  variables: Record<string, string>,
): string {
  const pattern = new RegExp([...replaced.keys()].map((text) => text.replaceAll("\\", "\\\\")).join("|"), "g");
  const found = [...json.matchAll(pattern)].map(([text]) => replaced.get(text)!);
  const parts = json.split(pattern).flatMap((text, number) => {
    const expression = found[number];
    const then = expression === undefined ? [] : [expression];
    // pgbench refuses a variable without a value.
    if (text === "") return then;
    variables[`${name}_${number}`] = text;
    return [`:${name}_${number}::text`, ...then];
  });
  const groups = Array.from({ length: Math.ceil(parts.length / MOST_ARGUMENTS) }, (_, group) =>
    parts.slice(group * MOST_ARGUMENTS, (group + 1) * MOST_ARGUMENTS),
  );
  if (groups.length === 0) return "''";
  return `concat(${groups.map((group) => `concat(${group.join(", ")})`).join(", ")})`;
}

/** A parameter as the driver would send it. */
export function sentText(value: unknown): string | null {
  if (value === null) return null;
  if (value instanceof Date) return value.toISOString();
  if (Buffer.isBuffer(value)) return bytes(value);
  if (!Array.isArray(value)) return String(value);
  const elements = value.map((one) => (one === null ? "null" : JSON.stringify(sentText(one))));
  return `{${elements.join(",")}}`;
}
