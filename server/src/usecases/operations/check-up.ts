import { X509Certificate } from "node:crypto";
import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { createSecureContext } from "node:tls";
import { isLoopback } from "@pestle/contract";
import type { Config } from "../../config.ts";
import { listAccounts } from "../../db/accounts/accounts.ts";
import { listCredentials } from "../../db/accounts/credentials.ts";
import { countPharmacists } from "../../db/accounts/people.ts";
import { listLastCounts } from "../../db/catalogue/stock-counts.ts";
import { isLocal, sslModeOf } from "../../db/connection.ts";
import type { Database } from "../../db/db.ts";
import { migrationState } from "../../db/migrate.ts";
import { newestRoot } from "../../db/operations/audit-roots.ts";
import { loadKeyRing } from "../../db/operations/keys.ts";
import { countFailedLetters } from "../../db/operations/letters.ts";
import { anySealed, sealedColumns } from "../../db/operations/sealed-columns.ts";
import { loadRoleFacts, loadServerFacts } from "../../db/operations/server-facts.ts";
import { isSameDatabase } from "../../db/same-database.ts";
import { isCountDue } from "../../domain/catalogue/stock-count.ts";
import { rootTargets } from "../../domain/operations/root-targets.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { KeyServiceTrouble } from "../../vault/key-service.ts";
import { fittingMasterKey, keptMasterKeys, masterKeyFiles } from "../../vault/master-key.ts";
import { openVault } from "../../vault/vault.ts";
import { rotateBy } from "../accounts/shown-credential.ts";
import { loadSafety } from "../safety/load-safety-data.ts";
import { unshippedRoots } from "./audit/ship-roots.ts";
import { checkPorts } from "./check-up-ports.ts";
import { checkLosses } from "./losses/check-up-losses.ts";

/** The result of one check. `warning`: works today; `failed`: does not work, or is not safe. */
export type Finding = { what: string; state: "ok" | "warning" | "failed"; says: string };

const MOST_CLOCK_DIFFERENCE_MS = 2_000;
const LITTLE_FREE_BYTES = 1024 ** 3;
/** PostgreSQL stops when it cannot allocate its next WAL segment (16 MiB). */
const FULL_BYTES = 32 * 1024 ** 2;
const CERTIFICATE_NOTICE_MS = 14 * 24 * 3600 * 1000;
const MOST_REASONS = 5;

/** Checks that need no database. They change nothing. */
export async function checkMachine(config: Config, now: Date): Promise<Finding[]> {
  return [...checkFiles(config, now), ...(await checkPorts(config))];
}

/** Without the ports, which a running service occupies itself. */
export const checkFiles = (config: Config, now: Date): Finding[] => [...checkTls(config, now), ...checkFolder(config)];

/** Checks that need the database; throws if it is unreachable. A check that fails does not stop the next one. */
export async function checkDatabase(
  config: Config,
  db: Database,
  now: () => Date,
  tenants: Database = db,
): Promise<Finding[]> {
  const checks: [what: string, check: () => Promise<Finding>][] = [
    ["database roles", async () => checkRoles(db, tenants)],
    ["database connection", async () => checkConnection(config)],
    ["clock", async () => checkClock(db, now)],
    ["migrations", async () => checkMigrations(db)],
    ["keys", async () => checkKeys(config, db, now())],
    ["safety tables", async () => checkSafety(config, db)],
    ["pharmacists", async () => checkPharmacists(config, db, now())],
    ["controlled stock", async () => checkCounts(config, db, now())],
    ["client secrets", async () => checkSecrets(config, db, now())],
    ["audit log", async () => checkAuditRoots(config, db, now())],
    ["data loss", async () => checkLosses(db)],
    ["email", async () => checkLetters(db, now())],
  ];
  const facts = await attempt("database", async () => {
    const { version } = await loadServerFacts(db);
    const old = Number.parseInt(version, 10) < 15;
    return finding("database", old ? "failed" : "ok", `PostgreSQL ${version}${old ? ": use 15 or later" : ""}`);
  });
  if (facts.state === "failed") return [facts];
  const findings = [facts];
  for (const [what, check] of checks) findings.push(await attempt(what, check));
  return findings;
}

/** The roles that serve requests should be able to do no more than that. */
async function checkRoles(db: Database, tenants: Database): Promise<Finding> {
  const [jobs, service] = [await loadRoleFacts(db), await loadRoleFacts(tenants)];
  const strong = [service, jobs].find(({ superuser, owner, bypasses }) => superuser || owner || bypasses);
  if (strong !== undefined) {
    const can = strong.superuser ? "is a superuser" : strong.owner ? "owns the tables" : "bypasses row-level security";
    return finding("database roles", "warning", `${strong.role}, which serves requests, ${can}: ${SPLIT_ROLES}`);
  }
  if (service.role === jobs.role)
    return finding("database roles", "warning", `one role, ${jobs.role}, does everything: ${SPLIT_ROLES}`);
  if (!(await isSameDatabase(db, tenants)))
    return finding("database roles", "failed", "DATABASE_URL and DATABASE_JOBS_URL lead to different databases");
  return finding("database roles", "ok", `${service.role} for one account at a time, ${jobs.role} across accounts`);
}

const SPLIT_ROLES =
  "run `pestle database roles`, and set DATABASE_URL, DATABASE_OWNER_URL and DATABASE_JOBS_URL as it says";

function checkConnection(config: Config): Finding {
  const what = "database connection";
  if (config.DATABASE_URL === "") return finding(what, "ok", "a Unix socket with passwords");
  const { DATABASE_URL, DATABASE_OWNER_URL, DATABASE_JOBS_URL, DATABASE_DIRECT_URL } = config;
  const urls = [DATABASE_URL, DATABASE_OWNER_URL, DATABASE_JOBS_URL, DATABASE_DIRECT_URL].filter((url) => url !== "");
  const remote = urls.filter((url) => !isLocal(url));
  if (remote.length === 0) return finding(what, "ok", "a database on this machine");
  const ssl = { mode: config.PGSSLMODE, root_certificate_file: config.PGSSLROOTCERT };
  const modes = new Set(remote.map((url) => sslModeOf(url, ssl)));
  if (modes.has("disable"))
    return finding(what, "warning", "not encrypted: remove sslmode=disable, or use a database on this machine");
  if (modes.has("no-verify"))
    return finding(what, "warning", "the server's certificate is not verified: set PGSSLMODE=verify-full");
  return finding(what, "ok", "TLS, and the server's certificate is verified");
}

async function checkClock(db: Database, now: () => Date): Promise<Finding> {
  const asked_ms = now().getTime();
  const { clock } = await loadServerFacts(db);
  const answered_ms = now().getTime();
  // The database read its clock at some moment between the two.
  const difference_ms = Math.max(asked_ms - clock.getTime(), clock.getTime() - answered_ms, 0);
  if (difference_ms <= MOST_CLOCK_DIFFERENCE_MS) return finding("clock", "ok", "this machine and the database agree");
  const seconds = (difference_ms / 1000).toFixed(1);
  return finding("clock", "warning", `this machine and the database differ by ${seconds} s: synchronize both (NTP)`);
}

async function checkMigrations(db: Database): Promise<Finding> {
  const { applied, pending } = await migrationState(db);
  if (pending.length === 0) return finding("migrations", "ok", `all ${applied} applied`);
  return finding("migrations", "warning", `${pending.length} pending: run \`pestle migrate\`, or start the service`);
}

async function checkKeys(config: Config, db: Database, now: Date): Promise<Finding> {
  if ((await migrationState(db)).pending.length > 0)
    return finding("keys", "warning", "not checked: migrations are pending");
  const ring = await loadKeyRing(db);
  if (ring === undefined) return finding("keys", "ok", "none yet: the first start creates them");
  const candidates = keptMasterKeys(config);
  const master = fittingMasterKey(candidates, ring.fingerprint);
  try {
    const vault = await openVault(db, () => [master], now);
    for (const where of sealedColumns) {
      const row = await anySealed(db, where);
      if (row !== undefined) vault.open(row.sealed, where.place(row.key));
    }
  } catch (error) {
    if (error instanceof StatusRefusal || error instanceof KeyServiceTrouble) throw error;
    return finding("keys", "failed", "the master key matches, but stored values cannot be decrypted: restore a backup");
  }
  if (existsSync(masterKeyFiles(config).next) && config.MASTER_KEY === "") {
    return finding("keys", "warning", "a master key rotation was interrupted: run `pestle keys rotate --master` again");
  }
  const holder =
    master.fingerprint === candidates[0]?.fingerprint && config.KMS_URL !== "" ? "the key service's" : "the";
  if (config.KMS_URL !== "" && holder === "the") {
    return finding(
      "keys",
      "warning",
      "KMS_URL is set, but the old key wraps the data keys: run `pestle keys rotate --master`",
    );
  }
  return finding("keys", "ok", `${holder} master key, ${ring.keys.length} data key(s) and sampled values decrypt`);
}

/** Without a database, checks the tables that the first start would use. */
export async function checkSafety(config: Config, db: Database | null): Promise<Finding> {
  if (db !== null && (await migrationState(db)).pending.length > 0)
    return finding("safety tables", "warning", "not checked: migrations are pending");
  const { data, origin, unfit } = await loadSafety(config, db);
  if (data !== null && unfit.length === 0)
    return finding("safety tables", "ok", `version ${data.version}, from ${origin}; every canary passes`);
  const told = unfit.slice(0, MOST_REASONS).join("; ");
  const more = unfit.length > MOST_REASONS ? `; and ${unfit.length - MOST_REASONS} more` : "";
  return finding(
    "safety tables",
    "failed",
    `the tables from ${origin} are unfit; orders are held: ${told}${more}. Import others with \`pestle safety import\``,
  );
}

/** No order leaves its review without a licensed pharmacist. A folder from 0.1.0 has none until an admin adds one. */
async function checkPharmacists(config: Config, db: Database, now: Date): Promise<Finding> {
  if ((await migrationState(db)).pending.length > 0)
    return finding("pharmacists", "warning", "not checked: migrations are pending");
  const count = await countPharmacists(db, dateIn(config.TIME_ZONE, now));
  if (count > 0) return finding("pharmacists", "ok", `${count} with a current license`);
  return finding("pharmacists", "warning", NO_PHARMACIST);
}

/** How an admin gets from a service without pharmacists to one whose orders can be approved. */
export const NO_PHARMACIST =
  "no user has a current pharmacist license, so no one can approve an order: add one on the People page or with `pestle user create --role pharmacist`, or enter a license with `pestle user license`";

/** 21 CFR 1304.11(c): every controlled substance is counted at least every two years. */
async function checkCounts(config: Config, db: Database, now: Date): Promise<Finding> {
  const what = "controlled stock";
  if ((await migrationState(db)).pending.length > 0)
    return finding(what, "warning", "not checked: migrations are pending");
  const today = dateIn(config.TIME_ZONE, now);
  const accounts = (await listAccounts(db)).filter(
    ({ partner_id, environment }) => partner_id !== null && environment === "production",
  );
  const overdue: string[] = [];
  for (const { account_id } of accounts) {
    const counts = await listLastCounts(db, account_id);
    const due = counts.filter(({ last_at }) => isCountDue(dateIn(config.TIME_ZONE, last_at), today));
    overdue.push(...due.map(({ sku }) => `${sku} (account ${account_id})`));
  }
  if (overdue.length === 0) return finding(what, "ok", "every controlled product was counted in the last two years");
  const named = overdue.slice(0, MOST_REASONS).join(", ");
  const more = overdue.length > MOST_REASONS ? ` and ${overdue.length - MOST_REASONS} more` : "";
  return finding(what, "warning", `count is more than two years old: ${named}${more}: run \`pestle stock count\``);
}

/** Old secrets keep working, but each year more people and machines have seen them. */
async function checkSecrets(config: Config, db: Database, now: Date): Promise<Finding> {
  const what = "client secrets";
  if ((await migrationState(db)).pending.length > 0)
    return finding(what, "warning", "not checked: migrations are pending");
  const old: string[] = [];
  for (const { account_id } of await listAccounts(db)) {
    const live = (await listCredentials(db, account_id)).filter(({ revoked_at }) => revoked_at === null);
    const due = live.filter(({ secrets }) => secrets.some(({ created_at }) => rotateBy(config, created_at) <= now));
    old.push(...due.map(({ credential_id }) => `${account_id}-${credential_id}`));
  }
  const days = config.SECRET_ROTATION_DAYS;
  if (old.length === 0) return finding(what, "ok", `none is older than ${days} days`);
  const named = old.slice(0, MOST_REASONS).join(", ");
  const more = old.length > MOST_REASONS ? ` and ${old.length - MOST_REASONS} more` : "";
  return finding(what, "warning", `older than ${days} days: ${named}${more}: run \`pestle credential rotate\``);
}

const MOST_ROOT_AGE_MS = 2 * 3600 * 1000;

/** A root is signed every hour. Those that never leave the database prove nothing against the people who administer it. */
async function checkAuditRoots(config: Config, db: Database, now: Date): Promise<Finding> {
  const what = "audit log";
  if ((await migrationState(db)).pending.length > 0)
    return finding(what, "warning", "not checked: migrations are pending");
  const newest = await newestRoot(db);
  if (newest === undefined) return finding(what, "ok", "no root yet: the service signs one when it starts");
  const names = (rootTargets(config.AUDIT_ROOTS_TO) ?? []).map(({ name }) => name);
  const stuck = (await unshippedRoots(db, names)).find(({ fault }) => fault !== null);
  if (stuck !== undefined) {
    const since = stuck.failing_since?.toISOString().slice(0, 16).replace("T", " ");
    return finding(
      what,
      "failed",
      `roots do not reach ${stuck.name} since ${since} UTC (${stuck.fault}): check it and AUDIT_ROOTS_TO`,
    );
  }
  const signed = newest.at.toISOString().slice(0, 16).replace("T", " ");
  if (now.getTime() - newest.at.getTime() > MOST_ROOT_AGE_MS)
    return finding(what, "warning", `the last root is from ${signed} UTC: start the service, or see its log`);
  if (names.length > 0) return finding(what, "ok", `signed at ${signed} UTC, shipped to ${names.join(", ")}`);
  const open = !isLoopback(config.HOST) || config.TRUST_PROXY !== "";
  return finding(what, open ? "warning" : "ok", `signed at ${signed} UTC, but shipped nowhere: set AUDIT_ROOTS_TO`);
}

function checkTls(config: Config, now: Date): Finding[] {
  if (config.TLS_CERT_FILE === "") return [];
  try {
    const cert = readFileSync(config.TLS_CERT_FILE);
    createSecureContext({ cert, key: readFileSync(config.TLS_KEY_FILE) });
    const ends = new Date(new X509Certificate(cert).validTo);
    const left_ms = ends.getTime() - now.getTime();
    const state = left_ms < 0 ? "failed" : left_ms < CERTIFICATE_NOTICE_MS ? "warning" : "ok";
    return [
      finding(
        "tls",
        state,
        `the certificate expires on ${ends.toISOString().slice(0, 10)}${state === "ok" ? "" : ": renew it"}`,
      ),
    ];
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    const reason = path === undefined ? "do not match" : `cannot be read (${code}: ${path})`;
    return [finding("tls", "failed", `TLS_CERT_FILE and TLS_KEY_FILE ${reason}`)];
  }
}

function checkFolder(config: Config): Finding[] {
  const folder = nearestFolder(config.DATA_DIR);
  const findings: Finding[] = [];
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    findings.push(
      finding(
        "data folder",
        "ok",
        `${config.DATA_DIR} ${folder === config.DATA_DIR ? "is writable" : "can be created"}`,
      ),
    );
  } catch {
    findings.push(finding("data folder", "failed", `${folder} is not writable: set DATA_DIR, or change its owner`));
  }
  for (const name of ["master.key", "master.key.next", "postgres.passwords", "demo.json"]) {
    const file = join(config.DATA_DIR, name);
    if (!existsSync(file)) continue;
    const closed = (statSync(file).mode & 0o077) === 0;
    const open = `other users can read it: run chmod 600 ${file}, and replace its secrets if others use this machine`;
    findings.push(finding(name, closed ? "ok" : "failed", closed ? "only its owner can read it" : open));
  }
  const { bavail, bsize } = statfsSync(folder);
  findings.push(checkRoom(config, bavail * bsize));
  return findings;
}

/** A full disk stops an embedded database. With a remote one, the service writes almost nothing here. */
export function checkRoom({ DATA_DIR, DATABASE_URL }: Config, free_bytes: number): Finding {
  if (free_bytes >= LITTLE_FREE_BYTES)
    return finding("disk", "ok", `${(free_bytes / 1024 ** 3).toFixed(1)} GiB free for ${DATA_DIR}`);
  const full = free_bytes < FULL_BYTES && DATABASE_URL === "";
  const room = `${Math.floor(free_bytes / 1024 ** 2)} MiB free for ${DATA_DIR}: free up space`;
  return finding("disk", full ? "failed" : "warning", full ? `${room}, or the database stops writing` : room);
}

/** The folder itself, or its nearest existing parent. */
function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}

async function attempt(what: string, check: () => Promise<Finding>): Promise<Finding> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof StatusRefusal) throw error;
    return finding(what, "failed", (error as Error).message);
  }
}

export const finding = (what: string, state: Finding["state"], says: string): Finding => ({ what, state, says });

const LETTERS_SINCE_MS = 7 * 24 * 3_600_000;

/** An address that the mail server refuses is a person's to mend. */
async function checkLetters(db: Database, now: Date): Promise<Finding> {
  const { failed, error } = await countFailedLetters(db, new Date(now.getTime() - LETTERS_SINCE_MS));
  if (failed === 0) return finding("email", "ok", "no email to staff and partners failed in the last 7 days");
  const emails = failed === 1 ? "email" : "emails";
  const says = `${failed} ${emails} to staff and partners failed in the last 7 days (${error}): check their addresses`;
  return finding("email", "warning", `${says}, SMTP_URL and MAIL_FROM`);
}
