import type { ErrorCode } from "../errors.ts";
import { integer, type Schema, string } from "../schema.ts";

/** One API operation: a row of `endpoints`. */
export type Endpoint = {
  readonly operation_id: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** In OpenAPI syntax. The partner API also serves the path with a `/v1` prefix. */
  readonly path: string;
  readonly server: "partner" | "intake" | "token";
  readonly tags: readonly Tag[];
  /** `client`: the client's own credentials, in HTTP Basic authentication or in the form. */
  readonly auth: "bearer:partners" | "bearer:intake" | "client" | "none";
  readonly summary: string;
  readonly description: string;
  readonly query?: { readonly [name: string]: Schema };
  readonly body?: {
    readonly content_type: string;
    readonly schema: Schema;
    readonly example: unknown;
    /** For operations that need more than one example, by name. */
    readonly examples?: { readonly [name: string]: { readonly value: unknown } };
  };
  /** An omitted body counts as an empty object. */
  readonly body_optional?: true;
  readonly responses: { readonly [status: number]: Answer };
  /** The numbered errors it can return, in addition to those that any request can get. */
  readonly codes: readonly ErrorCode[];
  /** It can return 404: it looks up a record, or the path exists only for some accounts. */
  readonly may_be_missing?: true;
  readonly idempotent?: true;
};

/** A change of a record, which `Prefer: return=minimal` answers with 204. */
export const answersMinimal = ({ method }: Pick<Endpoint, "method">): boolean => method === "PATCH" || method === "PUT";

type Answer = {
  readonly description: string;
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: { readonly [name: string]: { readonly value: unknown } };
  /** Defaults to JSON. */
  readonly content_type?: string;
};

export const tags = {
  Catalogue: "What the pharmacy offers your account.",
  Intake: "Where e-prescription networks deliver prescriptions.",
  Orders: "Create, read and change orders, and act on them.",
  Patients: "Patients whose prescriptions the pharmacy received, and their records.",
  Prescriptions: "Ask prescribers about their prescriptions.",
  "Refill schedules": "Orders that the service makes when a refill is due.",
  Requests: "What your programs called, and how the service answered.",
  Sandbox: "Operations for sandbox accounts only.",
  Statements: "What your account was charged and refunded, by month.",
  Tokens: "Access tokens, on the token servers.",
  Webhooks: "Your webhook endpoints, their events and delivery attempts.",
} as const;
export type Tag = keyof typeof tags;

/** Types the answer, so that the compiler checks each example against its schema and clients know the response type. */
export const answer = <T>(
  description: string,
  schema: Schema<T>,
  example: T,
): Answer & { readonly schema: Schema<T> } => ({ description, schema, example });
export const body = <T>(content_type: string, schema: Schema<T>, example: T) => ({ content_type, schema, example });

/** The two parameters of every paginated list. */
export const paged = {
  limit: integer({ minimum: 1, maximum: 200, default: 25 }),
  cursor: string("`next_cursor` of the previous page."),
};

/** For lists that have no pages below 1 MiB. */
export const restOfList = string("`next_cursor` of the answer before, if it had one.");

export const bodyCodes = [40000, 40001, 40002, 40004] as const satisfies readonly ErrorCode[];
export const idempotencyCodes = [40005, 42299] as const satisfies readonly ErrorCode[];
