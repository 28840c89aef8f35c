import { provisionedRoles, staffRoleNames } from "@pestle/contract";
import {
  deleteIdentities,
  deleteIdentityOf,
  deleteProvider,
  listProviders,
  type SsoProviderRow,
  saveProvider,
  ssoSecretPlace,
} from "../../../db/accounts/sso.ts";
import type { Tx } from "../../../db/db.ts";
import { randomId } from "../../../random.ts";
import type { Vault } from "../../../vault/vault.ts";
import { AdminRefusal } from "../admin-refusal.ts";

/** What an administrator gives. Omitted fields keep their value; a new provider needs the first four. */
export type SsoSettings = {
  issuer?: string;
  client_id?: string;
  /** Null: a public client. */
  client_secret?: string | null;
  domains?: string[];
  name?: string;
  sso_only?: boolean;
  own_second_factor?: boolean;
  provision_role?: string | null;
};

const DOMAIN = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/;

/** Registers or changes the provider of the staff (`partner_id` null) or of a partner. */
export async function setSsoProvider(
  { vault }: { vault: Vault },
  tx: Tx,
  partner_id: string | null,
  given: SsoSettings,
  now: Date,
): Promise<SsoProviderRow> {
  const providers = await listProviders(tx);
  const known = providers.find((one) => one.partner_id === partner_id);
  const issuer = given.issuer ?? known?.issuer;
  const client_id = given.client_id ?? known?.client_id;
  const domains = given.domains?.map((domain) => domain.toLowerCase()) ?? known?.domains;
  if (issuer === undefined || client_id === undefined || domains === undefined || domains.length === 0) {
    throw new AdminRefusal("A new provider needs --issuer, --client-id and --domain.");
  }
  checkIssuer(issuer);
  for (const domain of domains) {
    if (!DOMAIN.test(domain))
      throw new AdminRefusal(`“${domain.slice(0, 60)}” is not a domain, such as clinic.example.`);
    const other = providers.find((one) => one.partner_id !== partner_id && one.domains.includes(domain));
    if (other !== undefined) throw new AdminRefusal(`Another provider already has the domain ${domain}.`);
  }
  const provision_role = given.provision_role === undefined ? (known?.provision_role ?? null) : given.provision_role;
  checkRole(provision_role, partner_id);
  const provider_id = known?.provider_id ?? randomId(12);
  const secret = given.client_secret;
  const row = {
    ...{ provider_id, partner_id, issuer, client_id, domains, provision_role },
    name: given.name ?? known?.name ?? "single sign-on",
    client_secret_sealed:
      secret === undefined
        ? (known?.client_secret_sealed ?? null)
        : secret === null
          ? null
          : vault.seal(Buffer.from(secret), ssoSecretPlace(provider_id)),
    sso_only: given.sso_only ?? known?.sso_only ?? false,
    own_second_factor: given.own_second_factor ?? known?.own_second_factor ?? false,
    created_at: known?.created_at ?? now,
  };
  await saveProvider(tx, row);
  if (known !== undefined && known.issuer !== issuer) await deleteIdentities(tx, provider_id);
  return { ...row, partner_name: known?.partner_name ?? null };
}

export async function removeSsoProvider(tx: Tx, partner_id: string | null): Promise<void> {
  const known = (await listProviders(tx)).find((one) => one.partner_id === partner_id);
  if (known === undefined) throw new AdminRefusal("There is no such provider. Run `pestle sso list` to see them.");
  await deleteProvider(tx, known.provider_id);
}

/** For a person who has a new account at the provider: the next sign-in ties them again. */
export async function unlinkSsoPerson(tx: Tx, email: string): Promise<void> {
  if ((await deleteIdentityOf(tx, email)) === 0)
    throw new AdminRefusal("No user with this address used single sign-on.");
}

function checkIssuer(issuer: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const local = url?.protocol === "http:" && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if ((url?.protocol !== "https:" && !local) || url?.search !== "" || url.hash !== "" || url.username !== "") {
    throw new AdminRefusal("The issuer must be an https address, as the provider's documentation shows it.");
  }
}

/** A rule never makes a pharmacist or an administrator: licenses and rights are a matter of our own records. */
function checkRole(role: string | null, partner_id: string | null): void {
  if (role === null) return;
  const ofStaff = (staffRoleNames as readonly string[]).includes(role);
  const allowed = provisionedRoles.filter(
    (one) => (staffRoleNames as readonly string[]).includes(one) === (partner_id === null),
  );
  if (ofStaff !== (partner_id === null) || !(allowed as readonly string[]).includes(role)) {
    throw new AdminRefusal(`New users can get the role ${allowed.join(" or ")}. Other roles need an administrator.`);
  }
}
