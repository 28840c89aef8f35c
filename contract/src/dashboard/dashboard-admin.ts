import type {
  CredentialKey,
  CredentialLimits,
  CredentialSecret,
  SignedEndpoint,
} from "../accounts/credential-limits.ts";
import type { CountReason } from "../count-reasons.ts";
import type { DestructionReason } from "../destruction-reasons.ts";
import type { Environment } from "../endpoints/oauth.ts";
import type { DrugSchedule, Workflow } from "../fields.ts";
import type { StaffRole } from "../lifecycle.ts";
import type { PortalRole, ShownSecret } from "../portal/portal-team.ts";
import type { QueueKey } from "./dashboard-queues.ts";

/** Administration endpoints under `/web/dashboard`. Times are ISO 8601. */

/** GET /dashboard/partners. */
export type DashboardPartners = { partners: DashboardPartner[] };
export type DashboardPartner = {
  account_id: string;
  partner_id: string | null;
  /** Null: the pharmacy's own account. */
  name: string | null;
  environment: Environment;
  workflow: Workflow | null;
  ncpdp_id: string | null;
  custom_labels: boolean;
  created_at: string;
  routing_rules: RoutingRule[];
  credentials: number;
};
export const routingRuleKinds = ["sender", "prescriber_npi", "practice"] as const;
export type RoutingRule = { kind: (typeof routingRuleKinds)[number]; value: string };
/** POST /dashboard/partners (admin). Returns the account. */
export type NewPartnerRequest = {
  name: string;
  environment: Environment;
  workflow: Workflow;
  ncpdp_id?: string | null;
  custom_labels?: boolean;
};
/** POST /dashboard/partners/{account_id}/routing_rules (admin); `remove` deletes the rule. Returns the account. */
export type RoutingRuleRequest = RoutingRule & { remove?: boolean };

/** GET /dashboard/partners/{account_id}/credentials (lead, admin). */
export type DashboardCredentials = { credentials: DashboardCredential[] };
export type DashboardCredential = {
  client_id: string;
  name: string;
  scopes: string[];
  environment: Environment;
  created_at: string;
  revoked_at: string | null;
  /** Active secrets: two during a rotation, the older first. */
  secrets: CredentialSecret[];
  keys: CredentialKey[];
  /** The endpoints that it signs, each with the origin of its URL only: a path may contain a secret of the partner. */
  signs_endpoints: SignedEndpoint[];
} & CredentialLimits;
/** POST /dashboard/partners/{account_id}/credentials (admin). Returns the secret. */
export type NewCredentialRequest = { name: string; scopes?: string[] };
/** The only time the secret is shown. */
export type ShownCredential = { client_id: string; client_secret: string; secret_id: number };
/**
 * POST /dashboard/credentials/{client_id}/rotate → ShownCredential; …/finish expires the older of two secrets; …/revoke
 * revokes all secrets, or only `secret_id` (admin). Both return `CredentialChanged`.
 */
export type RevokeCredentialRequest = { secret_id?: number };
export type CredentialChanged = { credential: DashboardCredential };

/** GET /dashboard/people (admin). */
export type DashboardPeople = { people: DashboardPerson[] };
export type PersonRoleName = StaffRole | PortalRole;
export type DashboardPerson = {
  person_id: string;
  email: string;
  name: string;
  role: PersonRoleName;
  partner: string | null;
  partner_id: string | null;
  created_at: string;
  disabled_at: string | null;
  last_signed_in_at: string | null;
  second_factor: boolean;
} & PersonLicense;
/** A pharmacist's license. Without one, or after `license_expires_on`, a person cannot act as a pharmacist. */
export type PersonLicense = {
  license_number: string | null;
  license_state: string | null;
  license_expires_on: string | null;
  npi: string | null;
};
/** Minimum password length, here and in the portal. */
export const SHORTEST_PASSWORD = 12;
/** `GET /sessions`: where the user is signed in. `DELETE /sessions` ends all but the current one. */
export type OpenSessions = { sessions: OpenSession[] };
export type OpenSession = {
  session_id: string;
  created_at: string;
  last_seen_at: string;
  address: string | null;
  /** The browser's own description, or the command line. */
  agent: string | null;
  current: boolean;
};

/** A QR code: an SVG path of its dark modules, `size` modules a side. */
export type QrPicture = { size: number; path: string };
/** POST /session/second_factor, here and in the portal: the secret, and the address that the QR code shows. */
export type NewSecondFactor = { secret: string; address: string; qr_code: QrPicture };
/** POST /dashboard/people (admin). The server generates a password and returns it once. */
export type NewPersonRequest = {
  email: string;
  name: string;
  role: PersonRoleName;
  partner_id?: string | null;
  /** Mail a link to choose a password instead of showing a generated one. */
  by_email?: boolean;
} & Partial<PersonLicense>;
/** POST /dashboard/people/{person_id}/license (admin) replaces all four fields. Returns the person. */
export type LicenseRequest = Partial<PersonLicense>;
/** POST /dashboard/people/{person_id}/role (admin). Staff stay staff, and a partner's user stays the partner's. */
export type PersonRoleRequest = { role: PersonRoleName };
/** POST /dashboard/people/{person_id}/password (admin). `by_email`: mail a link instead of showing a generated password. */
export type PasswordResetRequest = { by_email?: boolean };
/** POST /dashboard/people/{person_id}/password returns this too. */
export type ShownPassword = ShownSecret & { person: DashboardPerson };
/** POST …/disable, …/enable, …/second_factor (which removes it). None takes a body. */
export type PersonChanged = { person: DashboardPerson };

export const catalogueImportKinds = ["products", "brands", "shipping_methods", "licences", "stock"] as const;
export type CatalogueImportKind = (typeof catalogueImportKinds)[number];

/** GET /dashboard/catalogue/{account_id}. */
export type DashboardCatalogue = {
  account_id: string;
  products: DashboardProduct[];
  brands: { id: number; name: string; default: boolean }[];
  shipping_methods: DashboardShippingMethod[];
  versions: CatalogueVersion[];
};
export type DashboardProduct = {
  sku: string;
  ndc: string | null;
  gcn: string | null;
  name: string;
  ingredients: string[];
  rx_only: boolean;
  drug_schedule: DrugSchedule;
  package_sizes: number[];
  quantities: number[];
  written_quantities: number[];
  max_units: number;
  shipping_method_ids: number[];
  blocked_states: string[];
  cold_chain: boolean;
  price_cents: number;
  back_orders: boolean;
  is_drug: boolean;
};
export type DashboardShippingMethod = {
  id: number;
  name: string;
  carrier: string;
  service: string;
  signature_confirmation: boolean;
  po_box: boolean;
  cold_chain: boolean;
  price_cents: number;
  transit_days_min: number;
  transit_days_max: number;
  default: boolean;
};
export type CatalogueVersion = {
  version: number;
  kind: CatalogueImportKind;
  source: string;
  imported_at: string;
  added: number;
  changed: number;
  retired: number;
};
/** GET /dashboard/licences/{environment}. */
export type DashboardLicences = {
  environment: Environment;
  licences: { state: string; number: string; status: string; valid_from: string; valid_to: string }[];
  versions: CatalogueVersion[];
};
/**
 * POST /dashboard/catalogue/{account_id}/import and /dashboard/licences/{environment}/import (lead, admin). `text` is
 * the file, CSV or JSON. `dry_run` writes nothing. To apply, send the same request with the preview in `agreed`.
 */
export type CatalogueImportRequest = {
  kind: CatalogueImportKind;
  text: string;
  source: string;
  partial?: boolean;
  dry_run?: boolean;
  agreed?: CatalogueDifference;
};
export type CatalogueDifference = {
  added: (string | number)[];
  changed: { key: string | number; fields: { field: string; from: unknown; to: unknown }[] }[];
  retired: (string | number)[];
  unchanged: number;
};
/** `version` is null if nothing was written: faults, no changes, or a dry run. */
export type CatalogueImportAnswer = CatalogueDifference & {
  version: number | null;
  faults: readonly { at: string; column: string | null; sentence: string }[];
  /** Products that the safety check does not understand. They can be imported, and their orders are held. */
  warnings: readonly { at: string; column: string | null; sentence: string }[];
};

/** GET /dashboard/stock/{account_id}. */
export type DashboardStock = { account_id: string; shelves: DashboardShelf[] };
export type DashboardShelf = {
  sku: string;
  name: string;
  ndc: string | null;
  on_hand_units: number;
  reserved_units: number;
  free_units: number;
  /** False for products such as a pill organizer. */
  has_lot: boolean;
  /** Destroying it needs a pharmacist, a witness and a note. */
  controlled: boolean;
  /** On hand without a known lot. */
  loose_units: number;
  /** From parcels that came back; not on hand. */
  returned_units: number;
};
/**
 * POST /dashboard/stock/{account_id}/receive: units received; …/count: units counted. Returns the shelf's units. A
 * pharmacist counts a controlled substance; a difference needs a reason and a note of at least 10 characters. With `lot` and
 * `expires_on`, the units are of this lot.
 */
export type StockRequest = {
  sku: string;
  units: number;
  note?: string;
  reason?: CountReason;
  lot?: string;
  expires_on?: string;
};
export type MovedShelf = Pick<DashboardShelf, "sku" | "on_hand_units" | "reserved_units" | "free_units">;

/** GET /dashboard/stock/{account_id}/lots: the lots of a product that have units, the first to expire first. */
export type DashboardLots = {
  sku: string;
  lots: DashboardLot[];
  /** Without a known lot. */
  loose: Pick<DashboardLot, "on_hand_units" | "filled_units" | "returned_units">;
};
export type DashboardLot = {
  lot: string;
  expires_on: string;
  on_hand_units: number;
  /** Of those on hand: in orders that are filled and have not shipped. */
  filled_units: number;
  returned_units: number;
  expired: boolean;
  recalled: boolean;
};
/**
 * POST /dashboard/stock/{account_id}/return: the parcel of a shipped order came back. Its units are booked as returned. They
 * are never sold again.
 */
export type ReturnRequest = { order_number: string; note?: string };
export type ReturnedParcel = {
  order_number: string;
  lines: { sku: string; lot: string | null; units: number }[];
};
/**
 * POST /dashboard/stock/{account_id}/destroy: units of the shelf or, with `returned`, of parcels that came back. Without a
 * lot: of the stock whose lot is unknown.
 */
export type DestructionRequest = {
  sku: string;
  units: number;
  lot?: string;
  returned?: boolean;
  reason: DestructionReason;
  note?: string;
  /** Another member of the staff. Required for a controlled substance. */
  witness_id?: string;
};

/** GET and PUT /dashboard/targets (PUT: lead, admin). Null: never late. */
export type DashboardTargets = { targets: Record<QueueKey, number | null> };

/** Audited actions and their display text. Entries hold IDs only, nothing that identifies a patient. */
export const auditActions = {
  sign_in: "signed in",
  sign_in_refused: "failed to sign in",
  sign_out: "signed out",
  second_factor_set_up: "set up a second factor",
  passkey_added: "added a passkey",
  passkey_renamed: "renamed a passkey",
  passkey_removed: "removed a passkey",
  recovery_codes_created: "created recovery codes",
  recovery_code_used: "used a recovery code",
  identity_confirmed: "confirmed their identity",
  sessions_ended: "ended sessions",
  reset_requested: "asked for a link to choose a new password",
  password_set_by_link: "chose a password with a link",
  password_changed: "changed their own password",
  orders_listed: "viewed a list of orders",
  order_found: "looked up an order by number",
  order_viewed: "viewed an order",
  clinical_viewed: "viewed the clinical review of an order",
  order_revealed: "revealed the patient and address of an order",
  patient_viewed: "viewed a patient",
  patient_revealed: "revealed a patient",
  document_viewed: "opened a document of an order",
  orders_exported: "exported orders",
  order_claimed: "claimed an order",
  order_assigned: "assigned an order to a colleague",
  order_released: "released an order",
  order_approved: "approved the clinical review of an order",
  order_filled: "filled an order",
  order_checked: "checked the products of an order",
  order_sent_back: "sent an order back to fill",
  product_missed: "scanned or used a package that does not fit an order",
  order_printed: "printed the slip and label of an order",
  order_shipped: "shipped an order",
  order_tracked: "recorded tracking news of an order",
  order_delivered: "marked an order as delivered",
  order_held: "put an order on hold",
  order_exception_resolved: "resolved an exception of an order",
  order_address_changed: "changed the address of an order",
  order_canceled: "canceled an order",
  order_refunded: "refunded an order",
  order_note_added: "added a note to an order",
  /** Entries from before the log named the step. */
  order_worked: "worked on an order",
  messages_viewed: "viewed the messages about an order",
  message_sent: "sent a message about an order",
  renewal_requested: "asked the prescriber for a renewal",
  prescriber_asked: "asked the prescriber to clarify or change a prescription",
  schedule_created: "created a refill schedule",
  schedule_changed: "skipped a fill, or paused, resumed or canceled a refill schedule",
  schedules_read: "read refill schedules",
  safety_entry_added: "recorded an allergy, medication or condition",
  safety_entry_removed: "removed an allergy, medication or condition",
  exception_overridden: "overrode an exception of an order",
  order_action_requested: "requested an action on an order",
  patient_found: "found a patient by name, phone number, email address or ID",
  lot_searched: "searched for a lot",
  lot_revealed: "revealed who has packages of a lot",
  lot_quarantined: "put a lot in quarantine",
  lot_released: "ended the quarantine of a lot",
  counseling_recorded: "recorded counseling about a prescription",
  counseling_revealed: "revealed whom to call about a prescription",
  report_viewed: "viewed a report for inspectors",
  report_exported: "exported a report for inspectors",
  review_viewed: "viewed a review",
  review_revealed: "revealed the patients of a review",
  review_closed: "closed a review",
  message_viewed: "read a prescriber's message",
  partner_created: "created a partner's account",
  routing_changed: "changed routing rules",
  credential_created: "created a credential",
  credential_rotated: "added a secret to a credential",
  signing_switched: "chose the secret of a credential that signs webhooks",
  credential_rotation_finished: "expired a credential's older secret",
  credential_revoked: "revoked a credential",
  credential_limited: "changed a credential's limits",
  credential_key_added: "registered a key of a credential",
  credential_key_removed: "removed a key of a credential",
  person_created: "added a user",
  person_disabled: "disabled a user",
  person_enabled: "enabled a user",
  role_changed: "changed a user's role",
  license_changed: "changed a user's license",
  password_reset: "reset a user's password",
  second_factor_reset: "removed a user's second factor",
  catalogue_imported: "imported a catalogue",
  shipping_service_chosen: "chose the carrier service of a shipping method",
  stock_received: "received stock",
  stock_counted: "counted stock",
  stock_returned: "booked a returned parcel",
  stock_destroyed: "destroyed stock",
  targets_set: "set queue targets",
  endpoint_created: "registered a webhook endpoint",
  endpoint_changed: "changed a webhook endpoint",
  endpoint_removed: "removed a webhook endpoint",
  endpoint_tested: "sent a test to a webhook endpoint",
  event_viewed: "viewed an event",
  events_redelivered: "requested redelivery of events",
  sandbox_used: "used the sandbox",
  patient_read: "read a patient",
  prescriptions_read: "read a patient's prescriptions",
  continuity_read: "read who runs out of a medication",
  patient_changed: "changed a patient",
  orders_read: "read orders",
  order_tried: "tried an order without creating it",
  order_created: "created an order",
  order_changed: "changed an order",
  events_read: "read webhook events",
  statement_read: "read a monthly statement",
  adjustment_booked: "added a fee or a credit to a statement",
  message_received: "sent a prescriber's message",
  token_issued: "received an access token",
  token_revoked: "revoked an access token",
  command_run: "ran a command on the server",
  audit_viewed: "viewed the audit log",
  disclosures_viewed: "viewed who saw a patient's data",
  disclosures_exported: "exported who saw a patient's data",
  audit_dropped: "dropped entries of the audit log that were past their retention",
  audit_gap: "stopped before it wrote its last reads to the audit log",
} as const;
export type AuditAction = keyof typeof auditActions;

/**
 * GET /dashboard/audit?before=&person_id=&account_id=&subject=&action=&patient_id= (lead, admin), newest first. With a
 * patient and their account: everyone who saw or changed that patient's data. `audit.csv` is the same list as a file.
 */
export type DashboardAudit = { entries: AuditLine[]; next: number | null };
export type AuditLine = {
  audit_id: number;
  at: string;
  person_id: string | null;
  name: string | null;
  role: string | null;
  account_id: string | null;
  action: string;
  subject: string | null;
  /** The name of the person whom the subject names, such as a colleague to whom an order was assigned. */
  subject_name: string | null;
  request_id: string | null;
  credential_id: string | null;
  os_user: string | null;
  address: string | null;
  patients: string[];
  field_groups: string[];
};

/** GET /dashboard/health. */
export type DashboardHealth = {
  version: string;
  /** The worst of the findings. */
  state: "ok" | "warning" | "failed";
  findings: { what: string; state: "ok" | "warning" | "failed"; says: string }[];
  /** Job backlog, with the due time of the oldest entry. */
  lags: { what: string; waiting: number; oldest_at: string | null }[];
};
