import type { AuditAction } from "../dashboard/dashboard-admin.ts";

/** What an audit entry is about. */
export const auditSubjects = {
  patient: "one or more patients, or their prescriptions and orders",
  credential: "a partner's or a network's credential, and its tokens",
  key: "the encryption keys",
  person: "a user account",
  export: "a file with patient data that leaves the service",
  reveal: "hidden data that a person makes visible",
  sign_in: "a sign-in, a sign-out or a second factor",
  partner: "a partner's account and its settings",
  endpoint: "a webhook endpoint",
  catalogue: "products, licenses, stock or safety tables",
  service: "the service itself: its database, its settings, its audit log",
} as const;
export type AuditSubject = keyof typeof auditSubjects;

/** The groups of fields that an entry can name. The log never holds a field's value. */
export const fieldGroups = {
  identity: "name, birth date, gender",
  contact: "email address, phone number",
  address: "shipping addresses",
  documents: "identity documents",
  safety: "allergies, medications, conditions, safety findings",
  treatment: "prescriptions, drugs, directions, prescribers",
  order: "orders, their status, history and shipments",
  payment: "amounts and payment status",
} as const;
export type FieldGroup = keyof typeof fieldGroups;

/** The entries that an operation writes, or the reason why it writes none. */
export type AuditRule =
  | { readonly writes: readonly AuditAction[]; readonly about: AuditSubject; readonly groups: readonly FieldGroup[] }
  | { readonly not_audited: string };

export const writes = <About extends AuditSubject, Action extends AuditAction>(
  action: Action | readonly Action[],
  about: About,
  ...groups: readonly FieldGroup[]
) => ({ writes: [action].flat() as readonly Action[], about, groups });
export const notAudited = (reason: string) => ({ not_audited: reason });

/** Repeated reasons. */
export const NO_PATIENT = "It shows no patient, no secret and no person.";
export const PARTNER_PROGRAM = "It calls the partner API, which writes the entry.";
export const NO_DATABASE = "It reads and changes no data of the service.";
