import type { Environment } from "@pestle/contract";
import { tracedDatabase } from "../db/traced-database.ts";
import type { Deps } from "../deps.ts";
import { type Span, within } from "../domain/operations/span.ts";

/**
 * The same dependencies for one recorded request or run of a job: statements, calls of outside services and log lines belong to
 * the span. Without a span, they are returned as they are, so that nothing is copied.
 */
export function traced<Own extends Deps>(deps: Own, span: Span | undefined): Own {
  if (span === undefined) return deps;
  const { db, across, tenants, payments, carriers, address_validators, sms, mail, webhook_client } = deps;
  const outside = <Adapter>(kind: string, adapter: Adapter) => tracedCalls(span, kind, adapter);
  const both = <Adapter>(kind: string, adapters: Readonly<Record<Environment, Adapter>>) => ({
    production: outside(kind, adapters.production),
    sandbox: outside(kind, adapters.sandbox),
  });
  return {
    ...deps,
    db: tracedDatabase(db, span),
    across: tracedDatabase(across, span),
    tenants: { of: (account_id: string) => tracedDatabase(tenants.of(account_id), span) },
    payments: both("payments", payments),
    carriers: both("carriers", carriers),
    address_validators: both("addresses", address_validators),
    sms: both("sms", sms),
    mail: outside("mail", mail),
    webhook_client: outside("webhook_client", webhook_client),
    log: deps.log.child({ trace_id: span.trace_id }),
  };
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
