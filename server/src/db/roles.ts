import { ACCOUNT_SETTING, type Queryable, sql } from "./db.ts";
import { readFunctions } from "./functions.ts";

/**
 * The two roles that serve requests. Neither is a superuser or owns anything; a third role owns the tables and runs the
 * migrations. The service role works for one account at a time. The jobs role works across accounts.
 */
export type Roles = { service: string; jobs: string };

const me = sql<[], { role: string }>`select current_user::text as role`;
export const loadRole = async (db: Queryable) => (await db.row(me, []))!.role;

type Privilege = "SELECT" | "INSERT" | "UPDATE" | "DELETE" | "TRUNCATE" | "REFERENCES" | "TRIGGER";
const ALL: readonly Privilege[] = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"];
const CHANGE: readonly Privilege[] = ["SELECT", "INSERT", "UPDATE", "DELETE"];
const APPEND: readonly Privilege[] = ["SELECT", "INSERT"];
const READ: readonly Privilege[] = ["SELECT"];

/**
 * Tables whose rows no role but the owner can change or delete, with the columns that are excepted. A payment becomes
 * `done` when the provider answers, and a key rotation seals a note or a signing key again.
 */
export const appendOnly: Readonly<Record<string, readonly string[]>> = {
  audit_entry: [],
  audit_key: ["private_sealed"],
  audit_leaf: [],
  audit_node: [],
  audit_root: [],
  catalogue_version: [],
  counseling_entry: ["note_sealed"],
  money_entry: [],
  order_action_request: [],
  order_history: [],
  order_message: ["text_sealed"],
  order_note: ["text_sealed"],
  payment_entry: ["state", "tries", "next_try_at", "problem"],
  product_miss: [],
  provider_exchange: [],
  safety_import: [],
  shipment_scan: [],
  statement: [],
  stock_count: [],
  stock_entry: [],
};

/** Tables without an account that the service role can read. All others are out of its reach. */
const READ_BY_SERVICE = new Set([
  "data_key",
  "id_key",
  "index_key",
  "licence",
  "lot_quarantine",
  "master_key",
  "partner",
  "safety_import",
  "schema_migration",
  "webhook_feed",
]);

/** Tables with an `account_id` that connect accounts. Only triggers and jobs use them. */
const ACROSS_ACCOUNTS = new Set(["person_due", "person_link"]);

/**
 * Functions that run with the owner's rights, and the roles that can call them: triggers that look across accounts, the
 * weekly partitions, and the base of feed positions, which the first event on another server raises.
 */
const ownerFunctions: Readonly<Record<string, readonly (keyof Roles)[]>> = {
  add_webhook_weeks: ["jobs"],
  detach_webhook_week: ["jobs"],
  drop_audit_entries: ["jobs"],
  drop_webhook_week: ["jobs"],
  link_person: ["jobs"],
  raise_webhook_feed: ["service", "jobs"],
  recheck_person: ["jobs"],
  restart_webhook_feed: ["jobs"],
};

type Table = {
  name: string;
  tenant: boolean;
  /** The database is spread over several servers. */
  spread: boolean;
  secured: boolean;
  policies: { name: string; roles: string[]; condition: string }[];
  service: Privilege[];
  jobs: Privilege[];
  service_columns: string[];
  jobs_columns: string[];
};
type Wanted = { privileges: readonly Privilege[]; columns: readonly string[] };

/** What the role may do with a table. */
function wanted(role: keyof Roles, { name, tenant, spread }: Table): Wanted {
  const none = { privileges: [], columns: [] };
  if (name === "schema_migration") return { privileges: READ, columns: [] };
  if (role === "service" && (!tenant || ACROSS_ACCOUNTS.has(name)))
    return READ_BY_SERVICE.has(name) ? { privileges: READ, columns: [] } : none;
  const columns = appendOnly[name];
  // Citus has no rights of single columns. A trigger keeps the others (`distribution.ts`).
  if (spread && columns !== undefined && columns.length > 0) return { privileges: [...APPEND, "UPDATE"], columns: [] };
  return columns === undefined ? { privileges: CHANGE, columns: [] } : { privileges: APPEND, columns };
}

/**
 * The statements that give the roles what they should have, and nothing more. None if nothing differs, so that a start
 * locks no table. Run by the owner. New tables need no line here: an `account_id` makes one a tenant table.
 */
export async function roleChanges(db: Queryable, roles: Roles): Promise<string[]> {
  const tables = await loadTables(db, roles);
  const changes = tables.flatMap((table) => [
    ...grants("service", table, roles.service),
    ...grants("jobs", table, roles.jobs),
    ...(table.tenant && !ACROSS_ACCOUNTS.has(table.name) ? policies(table, roles) : []),
  ]);
  return [
    ...changes,
    ...(await viewGrants(db, roles)),
    ...(await sequenceGrants(db, roles)),
    ...(await functionChanges(db, roles)),
    ...(await callGrants(db, roles)),
  ];
}

function grants(role: keyof Roles, table: Table, name: string): string[] {
  const { privileges, columns } = wanted(role, table);
  const has = table[role];
  const has_columns = role === "service" ? table.service_columns : table.jobs_columns;
  const same =
    ALL.every((privilege) => has.includes(privilege) === privileges.includes(privilege)) &&
    (privileges.includes("UPDATE") || String(has_columns) === String([...columns].sort()));
  if (same) return [];
  const on = `on ${quote(table.name)}`;
  return [
    `revoke all ${on} from ${quote(name)}`,
    ...(privileges.length > 0 ? [`grant ${privileges.join(", ")} ${on} to ${quote(name)}`] : []),
    ...(columns.length > 0 ? [`grant update (${columns.map(quote).join(", ")}) ${on} to ${quote(name)}`] : []),
  ];
}

/**
 * Text equality is leakproof, so an index still serves both conditions. The setting is read in a subquery: the planner would
 * otherwise estimate with the account of the moment, and keep a plan for a small account when a large one comes. Citus allows no
 * subquery, and the servers of the accounts keep no plans.
 */
function policies({ name, spread, secured, policies: present }: Table, roles: Roles): string[] {
  const on = `on ${quote(name)}`;
  const setting = `current_setting('${ACCOUNT_SETTING}', true)`;
  const rows = {
    of_account: { role: roles.service, condition: `account_id = ${spread ? setting : `(select ${setting})`}` },
    across_accounts: { role: roles.jobs, condition: "true" },
  };
  return [
    ...(secured ? [] : [`alter table ${quote(name)} enable row level security`]),
    ...Object.entries(rows).flatMap(([policy, { role, condition }]) => {
      const found = present.find((one) => one.name === policy);
      if (found === undefined) return [`create policy ${policy} ${on} to ${quote(role)} using (${condition})`];
      if (policy === "of_account" && /SELECT current_setting/i.test(found.condition) === spread)
        return [`alter policy ${policy} ${on} to ${quote(role)} using (${condition})`];
      return String(found.roles) === role ? [] : [`alter policy ${policy} ${on} to ${quote(role)}`];
    }),
  ];
}

const SCHEMA = "current_schema()::regnamespace";

async function loadTables(db: Queryable, { service, jobs }: Roles): Promise<Table[]> {
  const privileges = (role: string) => `
    array(select p from unnest($1::text[]) p where has_table_privilege(${role}::name, c.oid, p))`;
  const columns = (role: string) => `
    array(
      select a.attname::text from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and has_column_privilege(${role}::name, c.oid, a.attnum, 'UPDATE')
      order by a.attname::text collate "C")`;
  const { rows } = await db.raw(
    `select c.relname::text as name, c.relrowsecurity as secured, to_regclass('pg_dist_partition') is not null as spread,
      -- A partition is reached through its table. Jobs also use the default ones by name.
      not c.relispartition and exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped) as tenant,
      ${privileges("$2")} as service, ${privileges("$3")} as jobs,
      ${columns("$2")} as service_columns, ${columns("$3")} as jobs_columns,
      (
        select coalesce(json_agg(json_build_object('name', p.polname, 'condition', pg_get_expr(p.polqual, p.polrelid), 'roles', array(
          select r.rolname from pg_roles r where r.oid = any(p.polroles)))), '[]')
        from pg_policy p
        where p.polrelid = c.oid) as policies
    from pg_class c
    where c.relnamespace = ${SCHEMA} and c.relkind in ('r', 'p')
      and (not c.relispartition or c.relname ~ '_default$')
      -- A detached week of events that is about to be dropped.
      and c.relname !~ '^webhook_(event|attempt)_[0-9]{8}$'
    order by c.relname`,
    [ALL, service, jobs],
  );
  return rows as Table[];
}

/** A view reads its tables with the rights of the caller, so both roles can have it. */
async function viewGrants(db: Queryable, roles: Roles): Promise<string[]> {
  const { rows } = await db.raw(
    `select c.relname::text as name, r.role
    from pg_class c, unnest($1::text[]) as r(role)
    where c.relnamespace = ${SCHEMA} and c.relkind = 'v' and 'security_invoker=true' = any(c.reloptions)
      and not has_table_privilege(r.role::name, c.oid, 'SELECT')
    order by 1, 2`,
    [[roles.service, roles.jobs]],
  );
  return rows.map(({ name, role }) => `grant select on ${quote(String(name))} to ${quote(String(role))}`);
}

async function sequenceGrants(db: Queryable, roles: Roles): Promise<string[]> {
  const { rows } = await db.raw(
    `select c.relname::text as name, r.role
    from pg_class c, unnest($1::text[]) as r(role)
    where c.relnamespace = ${SCHEMA} and c.relkind = 'S' and not has_sequence_privilege(r.role::name, c.oid, 'USAGE')
    order by 1, 2`,
    [[roles.service, roles.jobs]],
  );
  return rows.map(({ name, role }) => `grant usage on sequence ${quote(String(name))} to ${quote(String(role))}`);
}

async function functionChanges(db: Queryable, roles: Roles): Promise<string[]> {
  const callers = Object.entries(ownerFunctions).flatMap(([name, own]) => own.map((role) => [name, roles[role]]));
  const { rows } = await db.raw(
    `select p.oid::regprocedure::text as signature, current_schema()::text as schema, array_agg(c.role order by c.role) as callers
    from pg_proc p
    join unnest($1::text[], $2::text[]) as c(name, role) on c.name = p.proname
    where p.pronamespace = ${SCHEMA}
    group by p.oid, p.prosecdef
    having not (p.prosecdef and bool_and(has_function_privilege(c.role::name, p.oid, 'EXECUTE')))
    order by 1`,
    [callers.map(([name]) => name), callers.map(([, role]) => role)],
  );
  return rows.flatMap(({ signature, schema, callers: own }) => [
    `alter function ${signature} security definer set search_path = ${quote(String(schema))}, pg_temp`,
    `revoke all on function ${signature} from public`,
    ...(own as string[]).map((role) => `grant execute on function ${signature} to ${quote(role)}`),
  ]);
}

/** The functions of server/functions run with the rights of the caller. No other role can call them. */
async function callGrants(db: Queryable, roles: Roles): Promise<string[]> {
  const { rows } = await db.raw(
    `select p.oid::regprocedure::text as signature, r.role
    from pg_proc p, unnest($2::text[]) as r(role)
    where p.pronamespace = ${SCHEMA} and p.proname = any($1) and not has_function_privilege(r.role::name, p.oid, 'EXECUTE')
    order by 1, 2`,
    [readFunctions().map(({ name }) => name), [roles.service, roles.jobs]],
  );
  return rows.map(({ signature, role }) => `grant execute on function ${signature} to ${quote(String(role))}`);
}

/**
 * What an administrator runs once to create the two roles. The current owner stays the owner. `pestle database roles`
 * prints it.
 */
export function createRolesText(roles: Roles, passwords: Record<keyof Roles, string>): string[] {
  return (["service", "jobs"] as const).map(
    (role) =>
      `create role ${quote(roles[role])} login nosuperuser nocreatedb nocreaterole nobypassrls password '${passwords[role].replaceAll("'", "''")}'`,
  );
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
