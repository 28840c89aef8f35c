import type { Db } from "../../../src/db/db.ts";

/** Reports the text of each statement that reads one row for an account, until the returned function is called. */
export function watchRows(tenants: Pick<Db, "of">, onRow: (text: string) => void): () => void {
  const { of } = tenants;
  tenants.of = (account_id) => {
    const db = of(account_id);
    return {
      ...db,
      row: (statement, params) => {
        onRow(statement.text);
        return db.row(statement, params);
      },
    };
  };
  return () => {
    tenants.of = of;
  };
}
