import { type Span, type SpanAttributes, within } from "../domain/operations/span.ts";
import type { Database, Queryable, Tx } from "./db.ts";
import { labelOf } from "./statement-label.ts";

const SYSTEM = { "db.system.name": "postgresql" };
/** Its label says what it is; its parameters stay here. */
const attributesOf = (name: string): SpanAttributes => ({ ...SYSTEM, "db.operation.name": name });

/** The same database with a span for each statement and transaction. Events that it writes carry the trace. */
export function tracedDatabase(plain: Database, span: Span): Database {
  const db = plain.inTrace(span.traceparent);
  return {
    ...tracedQueries(db, span),
    in_transaction: db.in_transaction,
    span,
    inTrace: () => db,
    transaction(work, mode) {
      if (db.in_transaction) return db.transaction((tx) => work(tracedTx(tx, span)), mode);
      // A transaction changes something, so its trace is worth keeping.
      span.keep();
      return within(
        span,
        "transaction",
        (own) => db.transaction((tx) => work(tracedTx(tx, own!)), mode),
        "client",
        SYSTEM,
      );
    },
  };
}

const tracedTx = (tx: Tx, span: Span): Tx => ({ ...tracedDatabase(tx, span), in_transaction: true });

function tracedQueries(db: Queryable, span: Span): Queryable {
  const during = <Result>(label: string, run: () => Promise<Result>) =>
    within(span, label, run, "client", attributesOf(label));
  return {
    rows: (statement, params) => during(labelOf(statement), () => db.rows(statement, params)),
    row: (statement, params) => during(labelOf(statement), () => db.row(statement, params)),
    run: (statement, params) => during(labelOf(statement), () => db.run(statement, params)),
    raw: (text, params) => during("sql", () => db.raw(text, params)),
  };
}
