import { Conflict, OAuthRefusal, RequestProblems, StatusRefusal, Unauthorized } from "../values/refusals.ts";

/** Attributes name things of our own code and tables, and never hold what a caller sent. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;
export type SpanKind = "internal" | "server" | "client";

/**
 * A step of a request that is recorded. Spans are passed on by hand, with the dependencies, so that a request without one costs
 * nothing (ADR 0088).
 */
export type Span = {
  readonly trace_id: string;
  /** For the header of the same name. */
  readonly traceparent: string;
  child(name: string, kind?: SpanKind, attributes?: SpanAttributes): Span;
  set(attributes: SpanAttributes): void;
  /** Records the trace even if it seemed not worth it (`Tracer.begin`). */
  keep(): void;
  /** `fault`: what went wrong, as a name or a code. A span that never ends is not recorded. */
  end(fault?: string): void;
};

/** Runs work in a span of its own, and ends the span with it. Without a parent, it only runs the work. */
export function within<Result>(
  parent: Span | undefined,
  name: string,
  work: (own: Span | undefined) => Result,
  kind?: SpanKind,
  attributes?: SpanAttributes,
): Result {
  if (parent === undefined) return work(undefined);
  const own = parent.child(name, kind, attributes);
  let result: Result;
  try {
    result = work(own);
  } catch (error) {
    own.end(faultName(error));
    throw error;
  }
  if (!(result instanceof Promise)) {
    own.end();
    return result;
  }
  return result.then(
    (value) => {
      own.end();
      return value;
    },
    (error: unknown) => {
      own.end(faultName(error));
      throw error;
    },
  ) as Result;
}

/** The name or the code of an error; undefined for a refusal, which is an answer. The message could repeat a value. */
export function faultName(error: unknown): string | undefined {
  const refused = [Conflict, OAuthRefusal, RequestProblems, Unauthorized].some((kind) => error instanceof kind);
  if (refused || (error instanceof StatusRefusal && error.status < 500)) return undefined;
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  if (typeof code === "string" && /^\w{1,40}$/.test(code)) return code;
  const own = (error as object | null)?.constructor?.name;
  return own !== undefined && own !== "Error" && own !== "Object" ? own : String(name ?? "Error").slice(0, 40);
}
