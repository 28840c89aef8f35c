/** What people of a partner may do. */
export const portalRoles = {
  partner_viewer: "Looks at everything but changes nothing.",
  partner_developer: "Also changes credentials, webhooks and orders, and plays in the sandbox.",
  partner_admin: "Also says who is on the team.",
} as const;
export type PortalRole = keyof typeof portalRoles;
export const portalRoleNames = Object.keys(portalRoles) as [PortalRole, ...PortalRole[]];

/** `GET …/team`: of the partner, whatever the environment. */
export type PortalTeam = { people: PortalPerson[] };
export type PortalPerson = {
  person_id: string;
  name: string;
  email: string;
  role: PortalRole;
  second_factor: boolean;
  created_at: string;
  last_signed_in_at: string | null;
  disabled_at: string | null;
  /** Who is asking. */
  you: boolean;
};
/** `POST …/team`, answered 201 with a `PortalInvited`. */
export type PortalInvitation = { name: string; email: string; role: PortalRole };
/** `POST …/team/{person_id}/password` with `{}` answers it too. The password is shown this once. */
export type PortalInvited = { person: PortalPerson; password: string };
/** `PATCH …/team/{person_id}`, answered 200 with a `PortalPerson`. */
export type PortalPersonUpdate = { role?: PortalRole; disabled?: boolean; reset_second_factor?: true };
