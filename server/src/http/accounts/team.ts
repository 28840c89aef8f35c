import type { PortalInvited, PortalPerson, PortalRole, PortalTeam } from "@pestle/contract";
import { listTeam } from "../../db/accounts/team.ts";
import type { Deps } from "../../deps.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { changeTeam, inviteToTeam, type NewPassword, resetTeamPassword } from "../../usecases/accounts/manage-team.ts";
import { json } from "../answer.ts";
import { admins, everybody, idOf, ofAccount, type PortalCall } from "../portal-route.ts";
import type { WebRoute } from "../web-api.ts";

/** The people of a partner. All of them see the list; only admins change it. */
export const teamRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: "/portal/:environment/team",
    roles: everybody,
    handler: ofAccount(async (deps, call) => json(200, { people: await people(deps, call) } satisfies PortalTeam)),
  },
  {
    method: "POST",
    path: "/portal/:environment/team",
    roles: admins,
    step_up: true,
    handler: ofAccount(async (deps, call) => {
      const made = await inviteToTeam(deps, call.by, call.account.partner_id!, call.body);
      return json(201, await invited(deps, call, made));
    }),
  },
  {
    method: "PATCH",
    path: "/portal/:environment/team/:person_id",
    roles: admins,
    step_up: true,
    handler: ofAccount(async (deps, call) => {
      const person_id = idIn(call);
      await changeTeam(deps, call.by, call.account.partner_id!, person_id, call.body);
      return json(200, await person(deps, call, person_id));
    }),
  },
  {
    method: "POST",
    path: "/portal/:environment/team/:person_id/password",
    roles: admins,
    step_up: true,
    handler: ofAccount(async (deps, call) => {
      const made = await resetTeamPassword(deps, call.by, call.account.partner_id!, idIn(call));
      return json(200, await invited(deps, call, made));
    }),
  },
];

const idIn = (call: PortalCall) => idOf(call, "person_id", /^[a-z0-9]{12}$/);

async function people(deps: Deps, { account, person }: PortalCall): Promise<PortalPerson[]> {
  const rows = await listTeam(deps.db, account.partner_id!);
  return rows.map((row) => ({
    ...row,
    role: row.role as PortalRole,
    created_at: row.created_at.toISOString(),
    last_signed_in_at: row.last_signed_in_at?.toISOString() ?? null,
    disabled_at: row.disabled_at?.toISOString() ?? null,
    you: row.person_id === person.person_id,
  }));
}

async function person(deps: Deps, call: PortalCall, person_id: string): Promise<PortalPerson> {
  const found = (await people(deps, call)).find((one) => one.person_id === person_id);
  if (found === undefined) throw new StatusRefusal(404);
  return found;
}

const invited = async (deps: Deps, call: PortalCall, { person_id, ...made }: NewPassword): Promise<PortalInvited> => ({
  person: await person(deps, call, person_id),
  ...made,
});
