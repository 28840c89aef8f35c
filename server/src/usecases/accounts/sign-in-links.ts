import { createHash } from "node:crypto";
import type { AuditAction, SignInLink } from "@pestle/contract";
import { setPassword } from "../../db/accounts/manage-people.ts";
import { deleteSessionsOf, loadForSignIn } from "../../db/accounts/sessions.ts";
import { findLink, type LinkPurpose, type LinkRow, replaceLink, takeLink } from "../../db/accounts/sign-in-links.ts";
import { mustUseSso } from "../../db/accounts/sso.ts";
import type { Queryable } from "../../db/db.ts";
import { insertAudit } from "../../db/operations/audit.ts";
import type { Deps } from "../../deps.ts";
import { randomSecret } from "../../random.ts";
import { transact } from "../write.ts";
import { AdminRefusal } from "./admin-refusal.ts";
import { checkNewPassword } from "./create-person.ts";
import { takeLinkTries } from "./take-tries.ts";

const HOUR_MS = 3600_000;
const lives: Record<LinkPurpose, { ms: number; text: string }> = {
  reset: { ms: HOUR_MS, text: "one hour" },
  invitation: { ms: 72 * HOUR_MS, text: "three days" },
};

const hashOf = (token: string): Buffer => createHash("sha256").update(token).digest();

/**
 * Mails a link to choose a new password, if the address belongs to an active person. Returns before it looks, so that
 * neither the answer nor its time reveals who has a sign-in.
 */
export function requestReset(deps: Deps, email: string, remote_address: string, request_id: string): void {
  takeLinkTries(deps, email, remote_address);
  if (deps.mail === null) return;
  const send = async () => {
    const person = await loadForSignIn(deps.db, email);
    if (person === undefined) return;
    const token = await createLink(deps, deps.db, person.person_id, "reset");
    await audit(deps, deps.db, person.person_id, "reset_requested", { address: remote_address, request_id });
    await mailLink(deps, person, "reset", token);
  };
  send().catch((error: Error) => deps.log.warn({ request_id, fault: error.message }, "no reset link was sent"));
}

/**
 * Creates a link. Its token is in the letter only; the database stores the hash. Null for a person who must use single
 * sign-on: a password would open nothing.
 */
export async function createLink(
  deps: Pick<Deps, "now">,
  db: Queryable,
  person_id: string,
  purpose: LinkPurpose,
): Promise<string | null> {
  if (await mustUseSso(db, person_id)) return null;
  const [token, now] = [randomSecret(), deps.now()];
  const expires_at = new Date(now.getTime() + lives[purpose].ms);
  await replaceLink(db, { link_hash: hashOf(token), person_id, purpose, now, expires_at });
  return token;
}

/** The token is behind `#`, so that no proxy, log or referrer sees it. */
async function mailLink(
  { mail, addresses, config }: Pick<Deps, "mail" | "addresses" | "config">,
  { email, partner_id }: { email: string; partner_id: string | null },
  purpose: LinkPurpose,
  token: string | null,
): Promise<void> {
  const page = `${addresses.base_url}/${partner_id === null ? "dashboard" : "portal"}`;
  if (token === null) {
    const text = [
      `You have a sign-in at ${config.OPERATOR_NAME}, and your organization requires single sign-on. Open this address:`,
      page,
      "",
    ].join("\n\n");
    await mail?.send({ to: email, subject: `Your sign-in (${config.OPERATOR_NAME})`, text });
    return;
  }
  const link = `${page}#link=${token}`;
  const [subject, opening] =
    purpose === "reset"
      ? ["Choose a new password", "Someone asked for a new password for your sign-in"]
      : ["Your sign-in", "You have a sign-in"];
  const ending =
    purpose === "reset" ? "If it was not you, ignore this message: your password stays as it is." : "Welcome.";
  await mail?.send({
    to: email,
    subject: `${subject} (${config.OPERATOR_NAME})`,
    text: [
      `${opening} at ${config.OPERATOR_NAME}. Open this address to choose a password:`,
      link,
      `It works once, within ${lives[purpose].text}.`,
      ending,
      "",
    ].join("\n\n"),
  });
}

export const NO_MAIL =
  "Pestle cannot send email. Ask the operator to set SMTP_URL, or create the user with a password.";

/** Mails an invitation. The person exists either way, so a failure is an answer, not an error. */
export const mailed = (
  deps: Deps,
  person: { email: string; partner_id: string | null },
  token: string | null,
): Promise<boolean> =>
  mailLink(deps, person, "invitation", token).then(
    () => true,
    (error: Error) => {
      deps.log.warn({ fault: error.message }, "the invitation was not sent");
      return false;
    },
  );

const SSO_ONLY = "Your organization requires single sign-on. Open the sign-in page and use its button.";
const EXPIRED = "This link has expired or was already used. Ask for a new one.";

/** The person whom a link is for. */
export async function readLink(deps: Pick<Deps, "db" | "now">, token: string): Promise<SignInLink> {
  const { email, name, purpose } = await requireLink(deps, token);
  return { email, name, purpose };
}

/** Sets the password that a link's owner chose, and ends their sessions. They still need their second factor. */
export async function useLink(
  deps: Deps,
  token: string,
  new_password: string,
  from: { address: string; request_id: string },
): Promise<SignInLink> {
  const link = await requireLink(deps, token);
  checkNewPassword(deps, new_password, link);
  const password_hash = await deps.passwords.hash(new_password);
  await transact(deps, async (tx) => {
    if ((await takeLink(tx, hashOf(token))) === 0) throw new AdminRefusal(EXPIRED);
    await setPassword(tx, link.person_id, password_hash, false);
    await deleteSessionsOf(tx, link.person_id);
    await audit(deps, tx, link.person_id, "password_set_by_link", from);
  });
  return { email: link.email, name: link.name, purpose: link.purpose };
}

async function requireLink({ db, now }: Pick<Deps, "db" | "now">, token: string): Promise<LinkRow> {
  const link = await findLink(db, hashOf(token), now());
  if (link === undefined) throw new AdminRefusal(EXPIRED);
  // The rule may be newer than the letter.
  if (await mustUseSso(db, link.person_id)) throw new AdminRefusal(SSO_ONLY);
  return link;
}

const audit = (
  deps: Pick<Deps, "now">,
  db: Queryable,
  person_id: string,
  action: AuditAction,
  from: { address: string; request_id: string },
) => insertAudit(db, { at: deps.now(), person_id, role: null, account_id: null, action, subject: null, ...from });
