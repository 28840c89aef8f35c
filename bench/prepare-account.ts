import { read } from "../chaos/client.ts";
import { createCredential, type ShownSecret } from "../server/src/usecases/accounts/manage-credentials.ts";
import type { Stage } from "./stage.ts";
import { FIRST_NUMBERED_CREDENTIAL } from "./token-pgbench.ts";

type Prepared = {
  account_id: string;
  clients: ShownSecret[];
  access_token: string;
  /** The body of the read's answer, which the bare route sends too. */
  read_body: string;
};

const PRODUCTION = 2;

/** Gives the demo's production account many credentials and a rate limit that does not matter. */
export async function prepareAccount({ demo, db, vault }: Stage, credentials: number): Promise<Prepared> {
  const { account_id } = demo.partners[PRODUCTION]!;
  const now = new Date();
  const clients = await db.transaction(async (tx) => {
    await tx.raw("update account set rate_per_second = 1000000, rate_burst = 1000000 where account_id = $1", [
      account_id,
    ]);
    const numbered = [account_id, FIRST_NUMBERED_CREDENTIAL, credentials, now];
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
    for (let number = 0; number < credentials; number++) {
      made.push(await createCredential({ vault }, tx, { account_id, name: "bench", scopes: ["partners"] }, now));
    }
    return made;
  });
  const access_token = await issueToken(demo.auth_url, clients[0]!, "partners");
  const answer = await read(demo, access_token);
  if (answer?.status !== 200) throw new Error(`the first read answered ${answer?.status}`);
  return { account_id, clients, access_token, read_body: answer.text };
}

export async function issueToken(
  auth_url: string,
  { client_id, client_secret }: Pick<ShownSecret, "client_id" | "client_secret">,
  scope: "partners" | "intake",
): Promise<string> {
  const body = new URLSearchParams({ grant_type: "client_credentials", scope, client_id, client_secret });
  const response = await fetch(`${auth_url}/oauth/token`, { method: "POST", body });
  return ((await response.json()) as { access_token: string }).access_token;
}
