import { read } from "../chaos/client.ts";
import { readConfig } from "../server/src/config.ts";
import { openDb } from "../server/src/db/db.ts";
import type { Demo } from "../server/src/seed/demo.ts";
import { createCredential, type ShownSecret } from "../server/src/usecases/manage-credentials.ts";
import { masterKeys } from "../server/src/vault/master-key.ts";
import { openVault } from "../server/src/vault/vault.ts";
import { FIRST_NUMBERED_CREDENTIAL } from "./pgbench.ts";

export type Prepared = {
  account_id: string;
  clients: ShownSecret[];
  access_token: string;
  /** What the read answers, for the bare route to answer too. */
  read_body: string;
};

const PRODUCTION = 2;

/** Gives the demo's production account many credentials and a rate limit that is out of the way. */
export async function prepareAccount(given: {
  url: string;
  MASTER_KEY: string;
  demo: Demo;
  credentials: number;
}): Promise<Prepared> {
  const { account_id } = given.demo.partners[PRODUCTION]!;
  const config = readConfig({ DATABASE_URL: given.url, MASTER_KEY: given.MASTER_KEY });
  const db = openDb({ connection: { connectionString: given.url }, pool_size: 2, named_statements: true });
  try {
    const now = new Date();
    const vault = await openVault(db, () => masterKeys(config), now);
    const clients = await db.transaction(async (tx) => {
      await tx.raw("update account set rate_per_second = 1000000, rate_burst = 1000000 where account_id = $1", [
        account_id,
      ]);
      const numbered = [account_id, FIRST_NUMBERED_CREDENTIAL, given.credentials, now];
      await tx.raw(
        `insert into credential (account_id, credential_id, name, scopes, created_at)
        select $1, ($2::int + number)::text, 'pgbench', '{partners}', $4
        from generate_series(0, $3::int - 1) as number`,
        numbered,
      );
      await tx.raw(
        `insert into credential_secret (account_id, credential_id, secret_id, slot, digest_sealed, created_at)
        select $1, ($2::int + number)::text, 1, 1, demo.digest_sealed, $4
        from generate_series(0, $3::int - 1) as number,
          (select digest_sealed from credential_secret where account_id = $1 limit 1) as demo`,
        numbered,
      );
      const made: ShownSecret[] = [];
      for (let number = 0; number < given.credentials; number++) {
        made.push(await createCredential({ vault }, tx, { account_id, name: "bench", scopes: ["partners"] }, now));
      }
      return made;
    });
    const access_token = await issueToken(given.demo.auth_url, clients[0]!);
    const answer = await read(given.demo, access_token);
    if (answer?.status !== 200) throw new Error(`the first read answered ${answer?.status}`);
    return { account_id, clients, access_token, read_body: answer.text };
  } finally {
    await db.close();
  }
}

async function issueToken(auth_url: string, { client_id, client_secret }: ShownSecret): Promise<string> {
  const body = new URLSearchParams({ grant_type: "client_credentials", scope: "partners", client_id, client_secret });
  const response = await fetch(`${auth_url}/oauth/token`, { method: "POST", body });
  return ((await response.json()) as { access_token: string }).access_token;
}
