import { WrongUsage } from "@pestle/cli/errors";
import { facts, minute, type Output, SHOWN_ONCE, table } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { type Environment, environments, scopeNames } from "@pestle/contract";
import { readConfig } from "../../config.ts";
import { type AccountRow, listAccounts } from "../../db/accounts/accounts.ts";
import { type CredentialRow, listCredentials } from "../../db/accounts/credentials.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { operatorAccount } from "../../usecases/accounts/create-partner.ts";
import {
  createCredential,
  finishRotation,
  requireFittingScopes,
  revokeCredential,
  rotateCredential,
  type ShownSecret,
} from "../../usecases/accounts/manage-credentials.ts";
import { transact } from "../../usecases/write.ts";
import { withSchema, withVault } from "../session.ts";

type NewCredentialOptions = {
  account?: string;
  operator?: Environment;
  name?: string;
  scope?: string[];
  scopes?: boolean;
};
export const CLIENT_ID = ["client_id", "from `pestle credential list`"] as const;

export const credentialCommands: readonly CommandRow[] = [
  {
    name: "credential create",
    summary: "create a client id and secret; the secret is shown once",
    options: [
      ["--account <account_id>", "the partner's account, from `pestle partner list`"],
      [
        "--operator <environment>",
        "instead of --account: your own account, for e-prescription networks",
        { choices: environments },
      ],
      ["--name <name>", "a description"],
      [
        "--scope <scope...>",
        "the scopes it can request (default: partners; with --operator: intake)",
        { choices: scopeNames },
      ],
      ["--no-scopes", "no scopes: its tokens are for other APIs"],
    ],
    examples: [
      "credential create --account 3f9k2m8x1q7z",
      'credential create --operator sandbox --name "e-prescription network" --scope intake',
      "credential create --account 3f9k2m8x1q7z --no-scopes --json",
    ],
    async run({ account, operator, name, scope, scopes }: NewCredentialOptions, _argument, env) {
      if ((account === undefined) === (operator === undefined))
        throw new WrongUsage("Give either --account or --operator.");
      if (scopes === false && scope !== undefined) throw new WrongUsage("Give either --scope or --no-scopes.");
      const usual = operator === undefined ? ["partners"] : ["intake"];
      const secret = await withVault(readConfig(env), ({ db, vault, now }) =>
        transact({ db }, async (tx) => {
          const account_id = operator === undefined ? (account ?? "") : await operatorAccount(tx, operator, now);
          const wanted = scopes === false ? [] : (scope ?? usual);
          requireFittingScopes(requireAccount(await listAccounts(tx), account_id), wanted);
          const given = { account_id, name: name ?? "", scopes: wanted };
          return createCredential({ vault }, tx, given, now);
        }),
      );
      return shownOnce(secret);
    },
  },
  {
    name: "credential rotate",
    summary: "add a second secret; --finish revokes the older one",
    argument: CLIENT_ID,
    options: [["--finish", "revoke the older secret, after you have deployed the new one everywhere"]],
    examples: ["credential rotate 3f9k2m8x1q7z-a1b2c3d4", "credential rotate 3f9k2m8x1q7z-a1b2c3d4 --finish"],
    async run({ finish }, client_id, env) {
      if (finish === true) {
        const ended = await withSchema(readConfig(env), ({ db, now }) =>
          transact({ db }, (tx) => finishRotation(tx, client_id, now)),
        );
        const text = `Secret ${ended} no longer works. Tokens issued with it stay valid until they expire.`;
        return { data: { client_id, ended_secret_id: ended }, text };
      }
      const secret = await withVault(readConfig(env), ({ db, vault, now }) =>
        transact({ db }, (tx) => rotateCredential({ vault }, tx, client_id, now)),
      );
      return shownOnce(
        secret,
        `Both secrets work. After you deploy the new one, run: pestle credential rotate ${client_id} --finish`,
      );
    },
  },
  {
    name: "credential revoke",
    summary: "revoke a credential, or one of its secrets, and its tokens immediately",
    argument: CLIENT_ID,
    options: [["--secret <secret_id>", "only this secret and the tokens issued with it"]],
    examples: ["credential revoke 3f9k2m8x1q7z-a1b2c3d4", "credential revoke 3f9k2m8x1q7z-a1b2c3d4 --secret 1"],
    async run({ secret }: { secret?: string }, client_id, env) {
      if (secret !== undefined && !/^\d{1,9}$/.test(secret))
        throw new WrongUsage("--secret takes the number of a secret.");
      const secret_id = secret === undefined ? undefined : Number(secret);
      await withSchema(readConfig(env), ({ db, now }) =>
        transact({ db }, (tx) => revokeCredential(tx, client_id, now, secret_id)),
      );
      const what = secret_id === undefined ? "The credential" : `Secret ${secret_id}`;
      return {
        data: { client_id, secret_id: secret_id ?? null, revoked: true },
        text: `${what} and its tokens are revoked.`,
      };
    },
  },
  {
    name: "credential list",
    lists: "credentials",
    summary: "list credentials and the ids of their active secrets",
    options: [["--account <account_id>", "only this account"]],
    examples: ["credential list", "credential list --account 3f9k2m8x1q7z --json"],
    async run({ account }: { account?: string }, _argument, env) {
      const credentials = await withSchema(readConfig(env), async ({ db }) => {
        const accounts = await listAccounts(db);
        if (account !== undefined) requireAccount(accounts, account);
        const wanted = accounts.filter(({ account_id }) => account === undefined || account_id === account);
        return (await Promise.all(wanted.map(({ account_id }) => listCredentials(db, account_id)))).flat();
      });
      return list(credentials);
    },
  },
];

function requireAccount(accounts: readonly AccountRow[], wanted: string): AccountRow {
  const found = accounts.find(({ account_id }) => account_id === wanted);
  if (found !== undefined) return found;
  throw new AdminRefusal("There is no such account. Run `pestle partner list` to see the accounts.");
}

function shownOnce({ client_id, client_secret, secret_id }: ShownSecret, next = ""): Output {
  const text = [facts({ client_id, client_secret }), SHOWN_ONCE, ...(next === "" ? [] : [next])].join("\n");
  return { data: { client_id, client_secret, secret_id }, text };
}

function list(credentials: readonly CredentialRow[]): Output {
  const data = credentials.map(
    ({ account_id, credential_id, environment, name, scopes, created_at, revoked_at, secrets }) => ({
      client_id: `${account_id}-${credential_id}`,
      environment,
      name,
      scopes,
      created_at,
      revoked_at,
      secrets:
        revoked_at !== null
          ? []
          : secrets.map(({ secret_id, created_at, last_used_at }) => ({
              secret_id,
              created_at: new Date(created_at).toISOString(),
              last_used_at: last_used_at === null ? null : new Date(last_used_at).toISOString(),
            })),
    }),
  );
  const rows = data.flatMap(({ client_id, environment, name, scopes, secrets, revoked_at }) => {
    const start = [client_id, environment, name || "-", scopes.join(" ") || "-"];
    if (revoked_at !== null) return [[...start, "-", "-", `revoked ${minute(revoked_at)}`]];
    return secrets.map((secret) => [
      ...start,
      String(secret.secret_id),
      minute(secret.created_at),
      minute(secret.last_used_at),
    ]);
  });
  return { data, text: table(["client_id", "environment", "name", "scopes", "secret", "created", "last used"], rows) };
}
