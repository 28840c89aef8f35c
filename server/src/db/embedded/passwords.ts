import { randomBytes } from "node:crypto";
import { chown, link, open, readFile, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { type Layout, NAME } from "./layout.ts";
import { livePostmaster } from "./locks.ts";
import type { Connection } from "./probe.ts";
import { ignoreCodes, removeAbandoned } from "./scratch.ts";

/** The roles of the embedded cluster. The owner is the cluster's superuser; nothing serves requests with it. */
export const ROLES = { owner: NAME, service: `${NAME}_service`, jobs: `${NAME}_jobs` } as const;
export type Passwords = Record<keyof typeof ROLES, string>;

const PASSWORD_FILE = "postgres.passwords";
const HBA_FILE = "pg_hba.conf";
/** Over the Unix socket with a password, and no other way. */
const PASSWORDS_ONLY = "local all all scram-sha-256\nhost all all all reject\n";
/** Until the roles have their passwords. The socket folder admits only the user PostgreSQL runs as. */
const NO_PASSWORDS = "local all all trust\nhost all all all reject\n";
/** Two processes that convert one cluster take turns. */
const LOCK = 7_205_524;

/** Reads the passwords, or creates them. The file is complete when it appears, and the first writer wins. */
export async function loadPasswords({ data_dir }: Layout): Promise<{ passwords: Passwords; created: boolean }> {
  const file = join(data_dir, PASSWORD_FILE);
  let created = false;
  for (;;) {
    const found = await readFile(file, "utf8").catch(ignoreCodes("ENOENT"));
    if (found !== undefined) return { passwords: parsed(file, found), created };
    await removeAbandoned(data_dir, `${PASSWORD_FILE}.`);
    const draft = `${file}.${process.pid}-${randomBytes(4).toString("hex")}`;
    const secret = () => randomBytes(24).toString("base64url");
    await writeWhole(draft, `${JSON.stringify({ owner: secret(), service: secret(), jobs: secret() }, null, 2)}\n`);
    const linked = link(draft, file).then(() => true);
    // Another call of this process may have removed the draft as abandoned.
    created = (await linked.catch(ignoreCodes("EEXIST", "ENOENT"))) === true;
    await unlink(draft).catch(ignoreCodes("ENOENT"));
  }
}

async function writeWhole(file: string, text: string): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function parsed(file: string, text: string): Passwords {
  try {
    const { owner, service, jobs } = JSON.parse(text) as Passwords;
    if ([owner, service, jobs].every((one) => typeof one === "string" && one !== "")) return { owner, service, jobs };
  } catch {}
  throw new Error(`${file} is damaged: delete it, and the next start sets new passwords`);
}

/** Whether the cluster admits a client without a password, as 0.1.0 created it. */
export async function isOpen({ cluster }: Layout): Promise<boolean> {
  return /\btrust\b/.test(await readFile(join(cluster, HBA_FILE), "utf8"));
}

/** For a password file that was lost. The user who can write the files of the cluster may set new passwords. */
export async function reopen(layout: Layout): Promise<void> {
  await writeHba(layout, NO_PASSWORDS);
  const pid = await livePostmaster(layout);
  if (pid !== undefined) process.kill(pid, "SIGHUP");
}

/** Gives every role its password, and then admits no client without one. Repeats safely after a crash at any point. */
export async function closeCluster(layout: Layout, connection: Connection, passwords: Passwords): Promise<void> {
  const client = new pg.Client({ ...connection, password: passwords.owner, ssl: false });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [LOCK]);
    const { rows } = await client.query<{ rolname: string }>("select rolname from pg_roles");
    const known = new Set(rows.map(({ rolname }) => rolname));
    for (const [key, role] of Object.entries(ROLES)) {
      const password = pg.escapeLiteral(passwords[key as keyof Passwords]);
      const verb = known.has(role) ? "alter" : "create";
      await client.query(`${verb} role ${pg.escapeIdentifier(role)} login password ${password}`);
    }
    await writeHba(layout, PASSWORDS_ONLY);
    await client.query("select pg_reload_conf()");
  } finally {
    await client.end();
  }
}

async function writeHba({ cluster }: Layout, text: string): Promise<void> {
  const file = join(cluster, HBA_FILE);
  const { uid, gid } = await stat(file);
  const draft = `${file}.${process.pid}-${randomBytes(4).toString("hex")}`;
  await writeWhole(draft, text);
  if (process.getuid?.() === 0) await chown(draft, uid, gid);
  await rename(draft, file);
}
