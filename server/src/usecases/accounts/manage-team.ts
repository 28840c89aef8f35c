import { type AuditAction, type PortalRole, portalRoles, type ShownSecret } from "@pestle/contract";
import { deleteSessionsOf } from "../../db/accounts/sessions.ts";
import { changeTeamMember, lockTeam, setTeamPassword } from "../../db/accounts/team.ts";
import type { Deps } from "../../deps.ts";
import { type Problem, refuseAll, StatusRefusal } from "../../domain/values/refusals.ts";
import { type SentFields, unknownFields } from "../../domain/values/unknown-fields.ts";
import { auditPortal, type PortalActor } from "../operations/audit-portal.ts";
import { transact } from "../write.ts";
import { AdminRefusal } from "./admin-refusal.ts";
import { createPerson, newPassword } from "./create-person.ts";
import { createLink, mailed, NO_MAIL } from "./sign-in-links.ts";

/** A generated password, shown only once; null if the person got a link by email. */
export type NewPassword = { person_id: string } & ShownSecret;

const NAME = /^[^\p{Cc}]{1,100}$/u;

/** Adds a user to a partner's team. */
export async function inviteToTeam(
  deps: Deps,
  by: PortalActor,
  partner_id: string,
  sent: SentFields,
): Promise<NewPassword> {
  const { name, email, role, by_email = false } = sent;
  const problems: Problem[] = unknownFields(sent, ["name", "email", "role", "by_email"]);
  if (typeof name !== "string" || !NAME.test(name.trim())) problems.push({ code: 42200, field: "name" });
  if (typeof email !== "string") problems.push({ code: 42200, field: "email" });
  if (!isPortalRole(role)) problems.push({ code: 42200, field: "role" });
  if (typeof by_email !== "boolean") problems.push({ code: 42200, field: "by_email" });
  refuseAll(problems);
  const { password, password_hash } = await newPassword(deps);
  const given = { name: String(name).trim(), email: String(email).trim(), role: String(role) };
  if (by_email && deps.mail === null) throw new AdminRefusal(NO_MAIL);
  const { person_id, token } = await transact(deps, async (tx) => {
    const now = deps.now();
    const made = await createPerson(tx, { ...given, partner_id, password_hash, must_change_password: true }, now);
    await auditPortal(tx, now, by, "person_created", made);
    return { person_id: made, token: by_email ? await createLink(deps, tx, made, "invitation") : null };
  });
  if (by_email !== true) return { person_id, password };
  return { person_id, password: null, mailed: await mailed(deps, { ...given, partner_id }, token) };
}

/** Changes role, access or second factor. The person must then sign in again. */
export async function changeTeam(
  deps: Deps,
  by: PortalActor,
  partner_id: string,
  person_id: string,
  sent: SentFields,
): Promise<void> {
  const { role, disabled, reset_second_factor } = sent;
  const problems: Problem[] = unknownFields(sent, ["role", "disabled", "reset_second_factor"]);
  if (role !== undefined && !isPortalRole(role)) problems.push({ code: 42200, field: "role" });
  if (disabled !== undefined && typeof disabled !== "boolean") problems.push({ code: 42200, field: "disabled" });
  if (reset_second_factor !== undefined && reset_second_factor !== true) {
    problems.push({ code: 42200, field: "reset_second_factor" });
  }
  refuseAll(problems);
  await transact(deps, async (tx) => {
    const now = deps.now();
    const team = await lockTeam(tx, partner_id);
    const before = team.find((one) => one.person_id === person_id);
    if (before === undefined) throw new StatusRefusal(404);
    const after = {
      role: (role as PortalRole | undefined) ?? before.role,
      disabled_at: disabled === undefined ? before.disabled_at : disabled ? (before.disabled_at ?? now) : null,
    };
    const rest = team.filter((one) => one.person_id !== person_id);
    if (![...rest, after].some(isAdmin)) {
      throw new AdminRefusal("A team needs an active admin. Make another person an admin first.");
    }
    await changeTeamMember(tx, {
      partner_id,
      person_id,
      ...after,
      reset_second_factor: reset_second_factor === true,
    });
    await deleteSessionsOf(tx, person_id);
    const done: AuditAction[] = [
      ...(after.role === before.role ? [] : ["role_changed" as const]),
      ...(isIn(after) === isIn(before)
        ? []
        : [isIn(after) ? ("person_enabled" as const) : ("person_disabled" as const)]),
      ...(reset_second_factor === true ? ["second_factor_reset" as const] : []),
    ];
    for (const action of done) await auditPortal(tx, now, by, action, person_id);
  });
}

/** A new password for a person who has lost theirs. */
export async function resetTeamPassword(
  deps: Deps,
  by: PortalActor,
  partner_id: string,
  person_id: string,
): Promise<NewPassword> {
  const { password, password_hash } = await newPassword(deps);
  await transact(deps, async (tx) => {
    if ((await setTeamPassword(tx, partner_id, person_id, password_hash)) === 0) throw new StatusRefusal(404);
    await deleteSessionsOf(tx, person_id);
    await auditPortal(tx, deps.now(), by, "password_reset", person_id);
  });
  return { person_id, password };
}

const isPortalRole = (role: unknown): role is PortalRole =>
  typeof role === "string" && Object.hasOwn(portalRoles, role);
type Standing = { role: string; disabled_at: Date | null };
const isIn = ({ disabled_at }: Standing) => disabled_at === null;
const isAdmin = (one: Standing) => one.role === "partner_admin" && isIn(one);
