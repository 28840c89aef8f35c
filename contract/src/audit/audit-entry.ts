import { type Bytes, utf8 } from "./crypto-steps.ts";

/** One audit entry as it is hashed: every column, with the time to the microsecond. */
export type HashedEntry = {
  /** The form of the entry. A later version of Pestle with other columns uses another number. */
  readonly form: 1;
  readonly audit_id: number;
  /** Such as `2026-11-17T01:30:17.123000Z`. */
  readonly at: string;
  readonly person_id: string | null;
  readonly role: string | null;
  readonly credential_id: string | null;
  readonly os_user: string | null;
  readonly address: string | null;
  readonly account_id: string | null;
  readonly action: string;
  readonly subject: string | null;
  readonly request_id: string | null;
  readonly field_groups: readonly string[];
  readonly patient_keys: readonly number[];
  /** Random, so that a neighbor's hash in a proof cannot be guessed. */
  readonly salt: string;
};

/** The state of the log at one moment, signed with Ed25519. */
export type AuditRoot = {
  readonly form: 1;
  readonly log_id: string;
  /** The number of entries. */
  readonly size: number;
  /** The root of the tree over them, in hexadecimal. */
  readonly root: string;
  readonly at: string;
  readonly key_id: string;
  /** Base64, over `rootBytes`. */
  readonly signature: string;
};

/** Shows that entries are in the log that a root describes. */
export type AuditProof = {
  readonly form: 1;
  readonly account_id: string;
  readonly order_number: string;
  readonly root: AuditRoot;
  readonly entries: readonly {
    readonly position: number;
    readonly entry: HashedEntry;
    /** The hashes beside the path from the entry to the root, in hexadecimal, lowest first. */
    readonly path: readonly string[];
  }[];
};

/** RFC 8785 for our values: sorted names, no spaces, integers, UTF-8. */
export const canonicalJson = (value: object): string => JSON.stringify(value, Object.keys(value).sort());

/** The first byte separates leaves from nodes, so that no entry can pass for a node. */
export const LEAF = Uint8Array.of(0);
export const NODE = Uint8Array.of(1);

/** The bytes that a root's signature covers. The first line keeps the signature from meaning anything else. */
export const rootBytes = ({ form, log_id, size, root, at, key_id }: Omit<AuditRoot, "signature">): Bytes =>
  utf8(`pestle audit root\n${canonicalJson({ form, log_id, size, root, at, key_id })}`);
