import { insertTokenText } from "../server/src/db/accounts/tokens.ts";
import { type PgbenchRun, withValues } from "./pgbench.ts";

/** Credentials for pgbench have numbers, because its variables are numbers; eight digits, as in an id. */
export const FIRST_NUMBERED_CREDENTIAL = 10_000_000;

/** The service's statement for a new token. The database generates the hash. */
export function tokenPgbench(given: { account_id: string; credentials: number }): Omit<PgbenchRun, "duration_ms"> {
  const last = FIRST_NUMBERED_CREDENTIAL + given.credentials - 1;
  const now = new Date();
  const statement = withValues(insertTokenText, [
    ":account_id",
    "decode(md5(random()::text) || md5(random()::text), 'hex')",
    ":credential_id",
    "1",
    "'{partners}'::text[]",
    ":created_at",
    ":expires_at",
  ]);
  const text = `\\set credential_id random(${FIRST_NUMBERED_CREDENTIAL}, ${last})\n${statement};\n`;
  return {
    scripts: [{ text, weight: 1 }],
    variables: {
      account_id: given.account_id,
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + 12 * 3600 * 1000).toISOString(),
    },
  };
}
