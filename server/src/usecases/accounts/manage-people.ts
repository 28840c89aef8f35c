import type {
  AuditAction,
  DashboardPerson,
  LicenseRequest,
  NewPersonRequest,
  PersonLicense,
  PersonRoleName,
  ShownPassword,
} from "@pestle/contract";
import { staffRoleNames } from "@pestle/contract";
import { listAccounts } from "../../db/accounts/accounts.ts";
import {
  dropSecondFactor,
  type ListedPerson,
  listPeople,
  lockAdmins,
  setDisabled,
  setLicense,
  setPassword,
  setRole,
} from "../../db/accounts/manage-people.ts";
import { findPerson } from "../../db/accounts/people.ts";
import { deleteSessionsOf } from "../../db/accounts/sessions.ts";
import { deleteLinksOf } from "../../db/accounts/sign-in-links.ts";
import type { Tx } from "../../db/db.ts";
import { insertAudit } from "../../db/operations/audit.ts";
import type { Deps } from "../../deps.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { type Looker, writeAudit } from "../operations/write-audit.ts";
import { transact } from "../write.ts";
import { AdminRefusal } from "./admin-refusal.ts";
import { checkedLicense, createPerson, newPassword } from "./create-person.ts";
import { createLink, mailed, NO_MAIL } from "./sign-in-links.ts";

export const readPeople = async (deps: Pick<Deps, "db">): Promise<DashboardPerson[]> =>
  (await listPeople(deps.db)).map(shown);

/** Creates a user with a generated password that is shown only once, or mails them a link to choose one. */
export async function invitePerson(
  deps: Deps,
  by: Looker,
  { email, name, role, partner_id = null, by_email = false, ...license }: NewPersonRequest,
  request_id: string,
): Promise<ShownPassword> {
  if (!/^[^\p{Cc}]{1,100}$/u.test(name)) throw new AdminRefusal("A name must have 1 to 100 characters.");
  if (by_email && deps.mail === null) throw new AdminRefusal(NO_MAIL);
  const { password, password_hash } = await newPassword(deps);
  const { person, token } = await transact(deps, async (tx) => {
    const partners = await listAccounts(tx);
    if (partner_id !== null && !partners.some((one) => one.partner_id === partner_id)) {
      throw new AdminRefusal("There is no such partner.");
    }
    const given = { ...license, email, name, role, partner_id, password_hash, must_change_password: true };
    const person_id = await createPerson(tx, given, deps.now());
    await note(deps, tx, by, "person_created", person_id, request_id);
    return {
      person: await onePerson(tx, person_id),
      token: by_email ? await createLink(deps, tx, person_id, "invitation") : null,
    };
  });
  if (!by_email) return { person, password };
  return { person, password: null, mailed: await mailed(deps, { email, partner_id }, token) };
}

/** Changes that an admin may make to a user. Each of them ends all of the user's sessions. */
const changes = {
  disable: { action: "person_disabled", apply: (tx, person_id, now) => setDisabled(tx, person_id, now) },
  enable: { action: "person_enabled", apply: (tx, person_id) => setDisabled(tx, person_id, null) },
  second_factor: { action: "second_factor_reset", apply: (tx, person_id) => dropSecondFactor(tx, person_id) },
} as const satisfies Record<
  string,
  { action: AuditAction; apply: (tx: Tx, person_id: string, now: Date) => Promise<number> }
>;
export type PersonChange = keyof typeof changes;

export const changePerson = (
  deps: Deps,
  by: Looker,
  person_id: string,
  change: PersonChange,
  request_id: string,
): Promise<DashboardPerson> =>
  transact(deps, async (tx) => {
    if (change === "disable") await requireAnotherAdmin(tx, by, person_id, "disable yourself");
    const { action, apply } = changes[change];
    if ((await apply(tx, person_id, deps.now())) === 0) throw new StatusRefusal(404);
    await deleteSessionsOf(tx, person_id);
    if (change === "disable") await deleteLinksOf(tx, person_id);
    await note(deps, tx, by, action, person_id, request_id);
    return onePerson(tx, person_id);
  });

/** Changes the role of another person, who must then sign in again. */
export const changeRole = (
  deps: Deps,
  by: Looker,
  person_id: string,
  role: PersonRoleName,
  request_id: string,
): Promise<DashboardPerson> =>
  transact(deps, async (tx) => {
    await requireAnotherAdmin(tx, by, person_id, "change your own role");
    const staff = staffRoleNames.some((name) => name === role);
    if ((await setRole(tx, person_id, role, staff)) === 0) {
      await onePerson(tx, person_id);
      throw new AdminRefusal("Staff cannot become a partner's user, and a partner's user cannot become staff.");
    }
    await deleteSessionsOf(tx, person_id);
    await note(deps, tx, by, "role_changed", person_id, request_id);
    return onePerson(tx, person_id);
  });

/** Sets a generated password that is shown only once. By email, no one sees it, and a link lets the person choose one. */
export async function resetPassword(
  deps: Deps,
  by: Looker,
  person_id: string,
  by_email: boolean,
  request_id: string,
): Promise<ShownPassword> {
  if (by_email && deps.mail === null) throw new AdminRefusal(NO_MAIL);
  const { password, password_hash } = await newPassword(deps);
  const { person, token } = await transact(deps, async (tx) => {
    if ((await setPassword(tx, person_id, password_hash, true)) === 0) throw new StatusRefusal(404);
    await deleteLinksOf(tx, person_id);
    await deleteSessionsOf(tx, person_id);
    await note(deps, tx, by, "password_reset", person_id, request_id);
    const token = by_email ? await createLink(deps, tx, person_id, "invitation") : null;
    return { person: await onePerson(tx, person_id), token };
  });
  if (!by_email) return { person, password };
  return { person, password: null, mailed: await mailed(deps, person, token) };
}

/**
 * Replaces a staff member's license. It takes effect on the person's next request, so their sessions continue. An admin
 * who is a pharmacist too needs a second sign-in, because an admin could give themselves any license.
 */
export async function changeLicense(
  deps: Deps,
  by: Looker,
  person_id: string,
  given: LicenseRequest,
  request_id: string,
): Promise<DashboardPerson> {
  const license = checkedLicense(given);
  return transact(deps, async (tx) => {
    if ((await setLicense(tx, person_id, license)) === 0) throw new StatusRefusal(404);
    await note(deps, tx, by, "license_changed", person_id, request_id);
    return onePerson(tx, person_id);
  });
}

/** The same at the command line of the server, by email address. */
export async function licensePerson(
  { db }: Pick<Deps, "db">,
  email: string,
  given: LicenseRequest,
  now: Date,
): Promise<PersonLicense> {
  const license = checkedLicense(given);
  await transact({ db }, async (tx) => {
    const person = await findPerson(tx, email);
    if (person === undefined) throw new AdminRefusal("No user has this email address.");
    if ((await setLicense(tx, person.person_id, license)) === 0) {
      throw new AdminRefusal("Only the pharmacy's own staff can have a license.");
    }
    const subject = `person ${person.person_id}`;
    const entry = { at: now, action: "license_changed" as const, subject, account_id: null, request_id: null };
    await insertAudit(tx, { ...entry, person_id: null, role: null });
  });
  return license;
}

/** For a person who lost the second factor and the recovery codes, at the command line of the server. */
export const resetSecondFactorByEmail = ({ db }: Pick<Deps, "db">, email: string, now: Date): Promise<void> =>
  transact({ db }, async (tx) => {
    const person = await findPerson(tx, email);
    if (person === undefined) throw new AdminRefusal("No user has this email address.");
    const { person_id } = person;
    await dropSecondFactor(tx, person_id);
    await deleteSessionsOf(tx, person_id);
    const entry = { at: now, action: "second_factor_reset" as const, subject: `person ${person_id}`, account_id: null };
    await insertAudit(tx, { ...entry, person_id: null, role: null, request_id: null });
  });

/** Admins cannot take their own rights away, so one active admin always remains. */
async function requireAnotherAdmin(tx: Tx, by: Looker, person_id: string, deed: string): Promise<void> {
  if (by.person_id === person_id) throw new AdminRefusal(`You cannot ${deed}. Ask another admin.`);
  const admins = await lockAdmins(tx);
  if (!admins.some((admin) => admin.person_id === by.person_id)) throw new StatusRefusal(404);
}

const note = (deps: Deps, tx: Tx, by: Looker, action: AuditAction, person_id: string, request_id: string) =>
  writeAudit({ ...deps, db: tx }, by, { account_id: null, action, subject: `person ${person_id}` }, request_id);

async function onePerson(tx: Tx, person_id: string): Promise<DashboardPerson> {
  const [row] = await listPeople(tx, person_id);
  if (row === undefined) throw new StatusRefusal(404);
  return shown(row);
}

const shown = ({ created_at, disabled_at, last_signed_in_at, ...row }: ListedPerson): DashboardPerson => ({
  ...row,
  created_at: created_at.toISOString(),
  disabled_at: disabled_at?.toISOString() ?? null,
  last_signed_in_at: last_signed_in_at?.toISOString() ?? null,
});
