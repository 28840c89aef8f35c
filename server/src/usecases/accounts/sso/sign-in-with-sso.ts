import type { SsoOffer, SsoRefusal } from "@pestle/contract";
import type { SessionPlace } from "../../../db/accounts/sessions.ts";
import {
  findProvider,
  findSsoPerson,
  listProviders,
  type SsoPerson,
  type SsoProviderRow,
  ssoSecretPlace,
  tieIdentity,
} from "../../../db/accounts/sso.ts";
import type { Deps } from "../../../deps.ts";
import { faultOf, StatusRefusal } from "../../../domain/values/refusals.ts";
import { withKeysOfNow } from "../../../vault/vault.ts";
import { transact } from "../../write.ts";
import { AdminRefusal } from "../admin-refusal.ts";
import { createPerson, newPassword } from "../create-person.ts";
import { auditRefusedSignIn, type OpenedSession, openSession } from "../sign-in.ts";

export const CALLBACK = "/web/session/sso/callback";
/** How long a person can take at the provider. */
export const PENDING_MS = 10 * 60_000;
const PENDING_PLACE = "sso pending";
const PAGE = /^\/(dashboard|portal)(\/[\w./-]*)?$/;

type SealedPending = {
  provider_id: string;
  issuer: string;
  return_to: string;
  expires_ms: number;
  state: string;
  nonce: string;
  verifier: string;
};

/** What the sign-in page offers. It names the staff's provider and no partner. */
export async function readSsoOffer({ db }: Pick<Deps, "db">): Promise<SsoOffer> {
  const providers = await listProviders(db);
  return {
    staff: providers.find(({ partner_id }) => partner_id === null)?.name ?? null,
    partners: providers.some(({ partner_id }) => partner_id !== null),
  };
}

/**
 * Starts a sign-in: the provider's address, and a sealed value that the browser keeps until it returns. Nothing is
 * stored here, so any process can finish it.
 */
export async function beginSso(
  deps: Deps,
  given: { email: string | undefined; return_to: string },
): Promise<{ redirect_to: string; pending: string }> {
  const provider = providerFor(await listProviders(deps.db), given.email);
  if (provider === undefined) {
    throw new AdminRefusal("Single sign-on is not set up for this email address. Sign in with your password.");
  }
  const { url, pending } = await deps.oidc
    .begin(await opened(deps, provider), `${deps.addresses.base_url}${CALLBACK}`, given.email)
    .catch((error: unknown) => {
      deps.log.warn({ err: faultOf(error), provider_id: provider.provider_id }, "single sign-on cannot start");
      throw new StatusRefusal(503);
    });
  const home = provider.partner_id === null ? "/dashboard" : "/portal";
  const sealed: SealedPending = {
    provider_id: provider.provider_id,
    issuer: provider.issuer,
    return_to: PAGE.test(given.return_to) && given.return_to.startsWith(home) ? given.return_to : home,
    expires_ms: deps.now().getTime() + PENDING_MS,
    ...pending,
  };
  const bytes = await withKeysOfNow(deps, async () =>
    deps.vault.seal(Buffer.from(JSON.stringify(sealed)), PENDING_PLACE),
  );
  return { redirect_to: url, pending: bytes.toString("base64url") };
}

export type FinishedSso = { return_to: string } & ({ refused: SsoRefusal } | { refused: null; signed: OpenedSession });

/** Finishes it: the provider's answer must belong to this browser's request, and its person must be one of ours. */
export async function finishSso(
  deps: Deps,
  given: { query: string; pending: string | undefined; place: SessionPlace },
  request_id: string,
): Promise<FinishedSso> {
  const pending = await openPending(deps, given.pending);
  if (pending === undefined) return { return_to: "/dashboard", refused: "failed" };
  const { return_to } = pending;
  const refuse = async (refused: SsoRefusal, person_id: string | null = null): Promise<FinishedSso> => {
    await auditRefusedSignIn(deps, person_id, given.place, request_id);
    return { return_to, refused };
  };
  const provider = await findProvider(deps.db, pending.provider_id);
  if (provider === undefined || provider.issuer !== pending.issuer) return refuse("failed");
  const callback = new URL(`${deps.addresses.base_url}${CALLBACK}?${given.query}`);
  const identity = await deps.oidc.finish(await opened(deps, provider), callback, pending).catch((error: unknown) => {
    // The code names the check that failed. The rest can contain what the provider sent.
    const { code, name } = error as { code?: string; name?: string };
    deps.log.warn({ code, name, provider_id: provider.provider_id }, "single sign-on refused");
    return undefined;
  });
  if (identity === undefined) return refuse("provider");
  const { email, subject } = identity;
  if (email === null || !identity.email_verified || !provider.domains.includes(domainOf(email))) {
    return refuse("unverified");
  }
  const person =
    (await findSsoPerson(deps.db, provider.provider_id, email)) ??
    (await provisioned(deps, provider, email, identity.name));
  if (person === undefined) return refuse("unknown");
  if (person.subject === null) {
    const tied = await tieIdentity(deps.db, provider.provider_id, subject, person.person_id, deps.now());
    if (tied === 0) return refuse("changed", person.person_id);
  } else if (person.subject !== subject) return refuse("changed", person.person_id);
  const signed = await openSession(
    deps,
    person,
    "sso",
    provider.own_second_factor ? "still needed" : "given",
    given.place,
    request_id,
  );
  return { return_to, refused: null, signed };
}

/** Staff sign in without an address; a partner's people are recognized by its domain. */
function providerFor(providers: readonly SsoProviderRow[], email: string | undefined): SsoProviderRow | undefined {
  if (email === undefined) return providers.find(({ partner_id }) => partner_id === null);
  return providers.find(({ domains }) => domains.includes(domainOf(email)));
}

const domainOf = (email: string): string => email.slice(email.lastIndexOf("@") + 1).toLowerCase();

async function opened(deps: Deps, { provider_id, issuer, client_id, client_secret_sealed }: SsoProviderRow) {
  const secret =
    client_secret_sealed === null
      ? null
      : await withKeysOfNow(deps, async () => deps.vault.open(client_secret_sealed, ssoSecretPlace(provider_id)));
  return { issuer, client_id, client_secret: secret?.toString("utf8") ?? null };
}

async function openPending(deps: Deps, cookie: string | undefined): Promise<SealedPending | undefined> {
  if (cookie === undefined) return undefined;
  try {
    const bytes = await withKeysOfNow(deps, async () =>
      deps.vault.open(Buffer.from(cookie, "base64url"), PENDING_PLACE),
    );
    const pending = JSON.parse(bytes.toString("utf8")) as SealedPending;
    return pending.expires_ms > deps.now().getTime() ? pending : undefined;
  } catch {
    return undefined;
  }
}

/** A new person by the provider's rule, without a license and with a password that no one knows. */
async function provisioned(
  deps: Deps,
  provider: SsoProviderRow,
  email: string,
  name: string | null,
): Promise<SsoPerson | undefined> {
  const { provision_role: role, partner_id, provider_id } = provider;
  if (role === null) return undefined;
  const { password_hash } = await newPassword(deps);
  try {
    await transact(deps, (tx) =>
      createPerson(tx, { email, name: name ?? email, role, partner_id, password_hash }, deps.now()),
    );
  } catch (error) {
    // Another partner's user, or a disabled one, has the address.
    if (error instanceof AdminRefusal) return undefined;
    throw error;
  }
  return findSsoPerson(deps.db, provider_id, email);
}
