import { type NewPersonRequest, type PersonLicense, portalRoleNames, staffRoleNames } from "@pestle/contract";
import type { Deps } from "../../deps.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import {
  changeLicense,
  changePerson,
  changeRole,
  invitePerson,
  type PersonChange,
  readPeople,
  resetPassword,
} from "../../usecases/accounts/manage-people.ts";
import { endSessionsOf, sessionsOf } from "../../usecases/accounts/manage-sessions.ts";
import { json } from "../answer.ts";
import { choiceField, flagField, optionalText, textField } from "../body-fields.ts";
import { admins } from "../dashboard-route.ts";
import type { WebCall, WebCallTo, WebRoute } from "../web-api.ts";

const PERSON = "/dashboard/people/:person_id";

function personIn({ params }: WebCall): string {
  const { person_id = "" } = params;
  if (!/^[a-z0-9]{12}$/.test(person_id)) throw new StatusRefusal(404);
  return person_id;
}

const changeRoute = (change: PersonChange): WebRoute => ({
  method: "POST",
  path: `${PERSON}/${change}`,
  roles: admins,
  step_up: true,
  handler: async (deps: Deps, call: WebCallTo<`POST /dashboard/people/{person_id}/${PersonChange}`>) =>
    json(200, { person: await changePerson(deps, call.person, personIn(call), change, call.request.id) }),
});

/** The fields of a license; an absent one is empty. */
const licenseIn = (body: { readonly [Field in keyof PersonLicense]?: unknown }): PersonLicense => ({
  license_number: optionalText(body, "license_number", 100) ?? null,
  license_state: optionalText(body, "license_state", 100) ?? null,
  license_expires_on: optionalText(body, "license_expires_on", 100) ?? null,
  npi: optionalText(body, "npi", 100) ?? null,
});

/** People with a login: the pharmacy's staff and partners' people. */
export const peopleRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: "/dashboard/people",
    roles: admins,
    handler: async (deps) => json(200, { people: await readPeople(deps) }),
  },
  {
    method: "POST",
    path: "/dashboard/people",
    roles: admins,
    step_up: true,
    handler: async (deps, { person, body, request }) => {
      const given: NewPersonRequest = {
        email: textField(body, "email", 320),
        name: textField(body, "name", 100),
        role: choiceField(body, "role", [...staffRoleNames, ...portalRoleNames]),
        partner_id: optionalText(body, "partner_id", 12) ?? null,
        by_email: flagField(body, "by_email"),
        ...licenseIn(body),
      };
      return json(201, await invitePerson(deps, person, given, request.id));
    },
  },
  changeRoute("disable"),
  changeRoute("enable"),
  changeRoute("second_factor"),
  {
    method: "POST",
    path: `${PERSON}/password`,
    roles: admins,
    step_up: true,
    handler: async (deps, call) => {
      const by_email = flagField(call.body, "by_email");
      return json(200, await resetPassword(deps, call.person, personIn(call), by_email, call.request.id));
    },
  },
  {
    method: "POST",
    path: `${PERSON}/role`,
    roles: admins,
    step_up: true,
    handler: async (deps, call) => {
      const role = choiceField(call.body, "role", [...staffRoleNames, ...portalRoleNames]);
      return json(200, { person: await changeRole(deps, call.person, personIn(call), role, call.request.id) });
    },
  },
  {
    method: "GET",
    path: `${PERSON}/sessions`,
    roles: admins,
    handler: async (deps, call) =>
      json(200, { sessions: await sessionsOf(deps, personIn(call), call.person.session_id) }),
  },
  {
    method: "POST",
    path: `${PERSON}/end_sessions`,
    roles: admins,
    handler: async (deps, call) =>
      json(200, { ended: await endSessionsOf(deps, call.person, personIn(call), call.request.id) }),
  },
  {
    method: "POST",
    path: `${PERSON}/license`,
    roles: admins,
    step_up: true,
    handler: async (deps, call) => {
      const given = licenseIn(call.body);
      return json(200, { person: await changeLicense(deps, call.person, personIn(call), given, call.request.id) });
    },
  },
];
