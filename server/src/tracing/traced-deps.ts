import type { Environment } from "@pestle/contract";
import type { Logger } from "pino";
import { tracedDatabase } from "../db/traced-database.ts";
import type { Deps } from "../deps.ts";
import { type Span, within } from "../domain/operations/span.ts";

/**
 * The same dependencies for one recorded request or run of a job: statements, calls of outside services and log lines belong to
 * the span. Without a span, they are returned as they are, so that nothing is copied.
 */
export function traced<Own extends Deps>(deps: Own, span: Span | undefined): Own {
  if (span === undefined) return deps;
  const outside = <Adapter>(kind: string, adapter: Adapter) => tracedCalls(span, kind, adapter);
  const both = <Adapter>(kind: string, adapters: Readonly<Record<Environment, Adapter>>) => ({
    production: outside(kind, adapters.production),
    sandbox: outside(kind, adapters.sandbox),
  });
  return {
    ...deps,
    db: tracedDatabase(deps.db, span),
    across: tracedDatabase(deps.across, span),
    tenants: { of: (account_id: string) => tracedDatabase(deps.tenants.of(account_id), span) },
    payments: both("payments", deps.payments),
    carriers: both("carriers", deps.carriers),
    address_validators: both("addresses", deps.address_validators),
    sms: both("sms", deps.sms),
    mail: outside("mail", deps.mail),
    webhook_client: outside("webhook_client", deps.webhook_client),
    log: tracedLog(deps.log, span),
  };
}

/** Made when a line is written: a child of the log costs more than the rest of the copy, and few requests write a line. */
function tracedLog(log: Logger, { trace_id }: Span): Logger {
  let child: Logger | undefined;
  return new Proxy(log, {
    get(target, name) {
      child ??= target.child({ trace_id });
      const value: unknown = Reflect.get(child, name);
      return typeof value === "function" ? value.bind(child) : value;
    },
  });
}

/** A span for each call that waits for its answer. What an adapter knows by itself takes no time. */
function tracedCalls<Adapter>(span: Span, kind: string, adapter: Adapter): Adapter {
  if (adapter === null || typeof adapter !== "object") return adapter;
  return new Proxy(adapter, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function" || typeof name !== "string") return value;
      return (...args: unknown[]) => {
        const result: unknown = value.apply(target, args);
        if (!(result instanceof Promise)) return result;
        span.keep();
        return within(span, `${kind} ${name}`, () => result, "client", { "pestle.adapter": kind });
      };
    },
  });
}
