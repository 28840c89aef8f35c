import { readSecretFromStdin } from "@pestle/cli/accounts/secret-input";
import { WrongUsage } from "@pestle/cli/errors";
import { facts, type Output, table } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { provisionedRoles } from "@pestle/contract";
import { readConfig } from "../../config.ts";
import { findPartner } from "../../db/accounts/accounts.ts";
import { listProviders, type SsoProviderRow } from "../../db/accounts/sso.ts";
import type { Queryable } from "../../db/db.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { removeSsoProvider, setSsoProvider, unlinkSsoPerson } from "../../usecases/accounts/sso/manage-sso.ts";
import { CALLBACK } from "../../usecases/accounts/sso/sign-in-with-sso.ts";
import { transact } from "../../usecases/write.ts";
import { withSchema, withVault } from "../session.ts";

type Whose = { staff?: boolean; partner?: string };
type SetOptions = Whose & {
  issuer?: string;
  clientId?: string;
  clientSecretStdin?: boolean;
  publicClient?: boolean;
  domain?: string[];
  name?: string;
  only?: boolean;
  secondFactor?: string;
  provision?: string | false;
};

const WHOSE = [
  ["--staff", "the pharmacy's own staff"],
  ["--partner <name>", "the people of this partner"],
] as const;

/** Single sign-on by OpenID Connect. */
export const ssoCommands: readonly CommandRow[] = [
  {
    name: "sso set",
    summary: "register or change the OpenID Connect provider of the staff or of a partner",
    options: [
      ...WHOSE,
      ["--issuer <url>", "the provider's issuer, such as https://login.clinic.example"],
      ["--client-id <id>", "the client id that the provider gave you"],
      ["--client-secret-stdin", "read the client secret from standard input"],
      ["--public-client", "the provider gave no secret; PKCE protects the sign-in"],
      ["--domain <domain...>", "the email domains of these people"],
      ["--name <name>", "the text on the button: Sign in with <name>"],
      ["--only", "no passwords: these people can sign in only here"],
      ["--no-only", "passwords work too"],
      [
        "--second-factor <whose>",
        "who asks for the second factor: the provider (default), or Pestle too",
        { choices: ["provider", "pestle"] },
      ],
      ["--provision <role>", "create unknown people with this role", { choices: provisionedRoles }],
      ["--no-provision", "only people who exist can sign in (default)"],
    ],
    examples: [
      'pestle sso set --staff --issuer https://login.larkspur.example --client-id pestle --client-secret-stdin --domain larkspur.example --name "Larkspur" < secret.txt',
      'sso set --partner "Willow Telehealth" --issuer https://id.willow.example --client-id pestle --public-client --domain willow.example',
      "sso set --staff --only",
    ],
    async run(options: SetOptions, _argument, env) {
      const { issuer, clientId, domain, name, only, secondFactor, provision } = options;
      if (options.clientSecretStdin && options.publicClient)
        throw new WrongUsage("Give either --client-secret-stdin or --public-client.");
      requireWhose(options);
      const client_secret = options.clientSecretStdin
        ? await readSecretFromStdin()
        : options.publicClient
          ? null
          : undefined;
      const config = readConfig(env);
      const row = await withVault(config, ({ db, vault, now }) =>
        transact({ db }, async (tx) =>
          setSsoProvider(
            { vault },
            tx,
            await partnerOf(tx, options),
            {
              ...(issuer === undefined ? {} : { issuer }),
              ...(clientId === undefined ? {} : { client_id: clientId }),
              ...(client_secret === undefined ? {} : { client_secret }),
              ...(domain === undefined ? {} : { domains: domain }),
              ...(name === undefined ? {} : { name }),
              ...(only === undefined ? {} : { sso_only: only }),
              ...(secondFactor === undefined ? {} : { own_second_factor: secondFactor === "pestle" }),
              ...(provision === undefined ? {} : { provision_role: provision === false ? null : provision }),
            },
            now,
          ),
        ),
      );
      const redirect_uri = `${config.BASE_URL || `http://127.0.0.1:${config.PORT}`}${CALLBACK}`;
      const data = { ...shown(row), redirect_uri };
      return {
        data,
        text: `${facts({ issuer: row.issuer, client_id: row.client_id, domains: row.domains.join(" "), redirect_uri })}\nRegister the redirect URI with the provider.`,
      };
    },
  },
  {
    name: "sso list",
    lists: "providers",
    summary: "list the providers",
    examples: ["sso list", "sso list --json"],
    async run(_options, _argument, env): Promise<Output> {
      const rows = await withSchema(readConfig(env), ({ db }) => listProviders(db));
      const data = rows.map(shown);
      const text = table(
        ["for", "name", "issuer", "domains", "passwords", "new people"],
        data.map((row) => [
          row.partner ?? "staff",
          row.name,
          row.issuer,
          row.domains.join(" "),
          row.sso_only ? "no" : "yes",
          row.provision_role ?? "no",
        ]),
      );
      return { data, text };
    },
  },
  {
    name: "sso remove",
    summary: "remove a provider; its people sign in with their passwords again",
    options: [...WHOSE],
    examples: ["sso remove --staff", 'sso remove --partner "Willow Telehealth"'],
    async run(options: Whose, _argument, env) {
      requireWhose(options);
      await withSchema(readConfig(env), ({ db }) =>
        transact({ db }, async (tx) => removeSsoProvider(tx, await partnerOf(tx, options))),
      );
      return { data: { removed: true }, text: "The provider is removed." };
    },
  },
  {
    name: "sso unlink",
    summary: "forget a user's account at the provider, after the provider gave them a new one",
    argument: ["email", "the user's email address"],
    examples: ["sso unlink noor@larkspur.example"],
    async run(_options, email, env) {
      await withSchema(readConfig(env), ({ db }) => transact({ db }, (tx) => unlinkSsoPerson(tx, email)));
      return { data: { email, unlinked: true }, text: "The next sign-in links the user again." };
    },
  },
];

function requireWhose({ staff, partner }: Whose): void {
  if ((staff === true) === (partner !== undefined)) throw new WrongUsage("Give either --staff or --partner.");
}

async function partnerOf(db: Queryable, { partner }: Whose): Promise<string | null> {
  if (partner === undefined) return null;
  const found = await findPartner(db, partner);
  if (found === undefined) throw new AdminRefusal("There is no such partner. Run `pestle partner list` to see them.");
  return found.partner_id;
}

/** Without the secret. */
function shown({ partner_name, client_secret_sealed, ...row }: SsoProviderRow) {
  const { name, issuer, client_id, domains, sso_only, own_second_factor, provision_role } = row;
  return {
    partner: partner_name,
    ...{ name, issuer, client_id, has_secret: client_secret_sealed !== null, domains },
    ...{ sso_only, own_second_factor, provision_role },
  };
}
