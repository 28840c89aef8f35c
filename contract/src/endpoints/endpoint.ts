import type { ErrorCode } from "../errors.ts";
import { integer, type Schema, string } from "../schema.ts";

/** One operation of the API, as a row of `endpoints`. */
export type Endpoint = {
  readonly operation_id: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** As in OpenAPI. The partner API answers it with `/v1` in front as well. */
  readonly path: string;
  readonly server: "partner" | "intake" | "token";
  readonly tags: readonly Tag[];
  /** `client`: the credentials themselves, by HTTP Basic authentication or in the form. */
  readonly auth: "bearer:partners" | "bearer:intake" | "client" | "none";
  readonly summary: string;
  readonly description: string;
  readonly query?: { readonly [name: string]: Schema };
  readonly body?: {
    readonly content_type: string;
    readonly schema: Schema;
    readonly example: unknown;
    /** Where one would not do: by name. */
    readonly examples?: { readonly [name: string]: { readonly value: unknown } };
  };
  /** None at all is an empty object. */
  readonly body_optional?: true;
  readonly responses: { readonly [status: number]: Answer };
  /** The numbered errors it can give, beside those that any request can. */
  readonly codes: readonly ErrorCode[];
  /** There is a record to be found, or the path exists for some accounts only. */
  readonly may_be_missing?: true;
  /** Takes `Idempotency-Key`. */
  readonly idempotent?: true;
};

type Answer = {
  readonly description: string;
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: { readonly [name: string]: { readonly value: unknown } };
  /** JSON unless it says otherwise. */
  readonly content_type?: string;
};

export const tags = {
  Catalogue: "What the pharmacy offers to your account.",
  Intake: "Where e-prescription networks deliver.",
  Orders: "What can be asked of an order.",
  Patients: "The patients whose prescriptions were received, and what is on file about them.",
  Sandbox: "What only sandbox accounts can do.",
  Tokens: "Access tokens, on the token servers.",
  Webhooks: "What is sent to your endpoints.",
} as const;
export type Tag = keyof typeof tags;

/** The compiler checks each example against its schema, and whoever calls the API knows the type of its answer. */
export const answer = <T>(
  description: string,
  schema: Schema<T>,
  example: T,
): Answer & { readonly schema: Schema<T> } => ({ description, schema, example });
export const body = <T>(content_type: string, schema: Schema<T>, example: T) => ({ content_type, schema, example });

/** The two parameters of every paged list. */
export const paged = {
  limit: integer({ minimum: 1, maximum: 200, default: 25 }),
  cursor: string("`next_cursor` of the page before."),
};

export const bodyCodes = [40000, 40001, 40002, 40004] as const satisfies readonly ErrorCode[];
export const idempotencyCodes = [40005, 42299] as const satisfies readonly ErrorCode[];
