/**
 * Tables that every account shares and that statements of an account read or refer to. A database that is spread over
 * several servers keeps a copy of them on each.
 */
export const REFERENCE_TABLES: ReadonlySet<string> = new Set([
  "account",
  "data_key",
  "id_key",
  "index_key",
  "licence",
  "lot_quarantine",
  "master_key",
  "partner",
  "person",
  "person_link",
  "safety_import",
  "schema_migration",
  "webhook_feed",
]);

/** Tables of the pharmacy itself: its people, its audit log, its processes. They stay on one server. */
const PHARMACY_TABLES: ReadonlySet<string> = new Set([
  "audit_destination",
  "audit_entry",
  "audit_key",
  "audit_leaf",
  "audit_node",
  "audit_root",
  "audit_tree",
  "audit_writer",
  "data_loss",
  "database_run",
  "last_backup",
  "letter",
  "passkey",
  "pmp_submission",
  "queue_target",
  "rate_lease",
  "recovery_code",
  "replica_mark",
  "server_process",
  "session",
  "sign_in_link",
  "sms_choice",
  "sso_identity",
  "sso_provider",
  "used_challenge",
]);

/** Every other table belongs to accounts: its key begins with `account_id`. */
export const isTenantTable = (name: string) => !REFERENCE_TABLES.has(name) && !PHARMACY_TABLES.has(name);
