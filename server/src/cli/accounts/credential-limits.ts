import { WrongUsage } from "@pestle/cli/errors";
import { readText } from "@pestle/cli/files";
import { facts, minute, type Output, table } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { TOKEN_LIFETIME_S } from "@pestle/contract";
import { readConfig } from "../../config.ts";
import { type CredentialRow, loadCredential } from "../../db/accounts/credentials.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { addCredentialKey, limitCredential, removeCredentialKey } from "../../usecases/accounts/limit-credential.ts";
import { splitClientId } from "../../usecases/accounts/manage-credentials.ts";
import { shownProofs } from "../../usecases/accounts/shown-credential.ts";
import { transact } from "../../usecases/write.ts";
import { withSchema } from "../session.ts";
import { CLIENT_ID } from "./credential.ts";

type LimitOptions = {
  allowFrom?: string[];
  allowFromAny?: boolean;
  tokenLife?: string;
  requireKey?: boolean;
};

/** What a credential demands of the programs that use it, and its keys. */
export const credentialLimitCommands: readonly CommandRow[] = [
  {
    name: "credential set",
    summary: "limit a credential: required key, allowed addresses, token lifetime",
    argument: CLIENT_ID,
    options: [
      ["--allow-from <network...>", "accept requests only from these addresses and networks"],
      ["--allow-from-any", "accept requests from every address"],
      ["--token-life <seconds>", "how long new tokens last, 60 to 43200; `default` is 43200"],
      ["--require-key", "issue tokens only for assertions signed with a key; the secret still signs webhooks"],
      ["--no-require-key", "issue tokens for the secret too"],
    ],
    examples: [
      "credential set 3f9k2m8x1q7z-a1b2c3d4 --allow-from 192.0.2.0/24 2001:db8::/32",
      "credential set 3f9k2m8x1q7z-a1b2c3d4 --token-life 900 --require-key",
      "credential set 3f9k2m8x1q7z-a1b2c3d4 --allow-from-any --token-life default",
    ],
    async run({ allowFrom, allowFromAny, tokenLife, requireKey }: LimitOptions, client_id, env) {
      if (allowFrom !== undefined && allowFromAny)
        throw new WrongUsage("Give either --allow-from or --allow-from-any.");
      if (tokenLife !== undefined && !/^(default|\d{1,9})$/.test(tokenLife))
        throw new WrongUsage("--token-life takes a number of seconds, or default.");
      const change = {
        ...(allowFromAny ? { allowed_networks: [] } : allowFrom === undefined ? {} : { allowed_networks: allowFrom }),
        ...(tokenLife === undefined ? {} : { token_lifetime_s: tokenLife === "default" ? null : Number(tokenLife) }),
        ...(requireKey === undefined ? {} : { key_required: requireKey }),
      };
      if (Object.keys(change).length === 0) throw new WrongUsage("Give at least one option. See --help.");
      const limits = await withSchema(readConfig(env), ({ db }) =>
        transact({ db }, (tx) => limitCredential(tx, client_id, change)),
      );
      const text = facts({
        "key required": limits.key_required ? "yes" : "no",
        "allowed from": limits.allowed_networks.join(" ") || "any address",
        "token life": `${limits.token_lifetime_s ?? TOKEN_LIFETIME_S} s`,
      });
      return { data: { client_id, ...limits }, text };
    },
  },
  {
    name: "credential add-key",
    summary: "register a public key whose assertions get tokens (private_key_jwt)",
    argument: CLIENT_ID,
    options: [["--file <path>", "a JWK or a PEM public key: EC P-256, Ed25519 or RSA", { required: true }]],
    examples: ["credential add-key 3f9k2m8x1q7z-a1b2c3d4 --file partner-key.pub.pem"],
    async run({ file }: { file?: string }, client_id, env) {
      const given = readText(file ?? "");
      const kid = await withSchema(readConfig(env), ({ db, now }) =>
        transact({ db }, (tx) => addCredentialKey(tx, client_id, given, now)),
      );
      const next = "The secret still works too. To stop that, run: pestle credential set";
      return { data: { client_id, kid }, text: `${facts({ client_id, kid })}\n${next} ${client_id} --require-key` };
    },
  },
  {
    name: "credential remove-key",
    summary: "remove a key of a credential, and revoke the tokens issued for it",
    argument: CLIENT_ID,
    options: [["--kid <kid>", "the id of the key, from `pestle credential show`", { required: true }]],
    examples: ["credential remove-key 3f9k2m8x1q7z-a1b2c3d4 --kid 2026-11"],
    async run({ kid }: { kid?: string }, client_id, env) {
      await withSchema(readConfig(env), ({ db, now }) =>
        transact({ db }, (tx) => removeCredentialKey(tx, client_id, kid ?? "", now)),
      );
      return { data: { client_id, kid, removed: true }, text: "The key and its tokens are revoked." };
    },
  },
  {
    name: "credential show",
    summary: "show a credential: its secrets, keys and limits",
    argument: CLIENT_ID,
    examples: ["credential show 3f9k2m8x1q7z-a1b2c3d4"],
    async run(_options, client_id, env) {
      const config = readConfig(env);
      const ids = splitClientId(client_id);
      const row = await withSchema(
        config,
        async ({ db }) => ids && loadCredential(db, ids.account_id, ids.credential_id),
      );
      if (row === undefined) throw new AdminRefusal("There is no such credential.");
      return shown(row, shownProofs(config, row));
    },
  },
];

function shown(row: CredentialRow, proofs: ReturnType<typeof shownProofs>): Output {
  const { name, scopes, environment, created_at, revoked_at } = row;
  const client_id = `${row.account_id}-${row.credential_id}`;
  const { secrets, keys, key_required, allowed_networks, token_lifetime_s } = proofs;
  const text = [
    facts({
      client_id,
      environment,
      name: name || "-",
      scopes: scopes.join(" ") || "-",
      created: minute(created_at),
      ...(revoked_at === null ? {} : { revoked: minute(revoked_at) }),
      "key required": key_required ? "yes" : "no",
      "allowed from": allowed_networks.join(" ") || "any address",
      "token life": `${token_lifetime_s ?? TOKEN_LIFETIME_S} s`,
    }),
    table(
      ["secret", "created", "last used", "rotate by"],
      secrets.map((one) => [String(one.secret_id), ...[one.created_at, one.last_used_at, one.rotate_by].map(minute)]),
    ),
    ...(keys.length === 0
      ? []
      : [
          table(
            ["key", "type", "created", "last used"],
            keys.map(({ kid, kty, created_at, last_used_at }) => [kid, kty, minute(created_at), minute(last_used_at)]),
          ),
        ]),
  ].join("\n\n");
  return { data: { client_id, environment, name, scopes, created_at, revoked_at, ...proofs }, text };
}
