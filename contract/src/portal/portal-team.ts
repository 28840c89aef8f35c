/** Roles of a partner's users and what they can do. */
export const portalRoles = {
  partner_viewer: "Can view everything but change nothing.",
  partner_developer: "Can also change credentials, webhooks and orders, and use the sandbox.",
  partner_admin: "Can also manage the team.",
} as const;
export type PortalRole = keyof typeof portalRoles;
export const portalRoleNames = Object.keys(portalRoles) as [PortalRole, ...PortalRole[]];

/** `GET …/team`: the partner's team, the same in both environments. */
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
  /** Whether this is the signed-in user. */
  you: boolean;
};
/** `POST …/team` returns 201 with a `PortalInvited`. */
export type PortalInvitation = { name: string; email: string; role: PortalRole; by_email?: boolean };
/** `POST …/team/{person_id}/password` with `{}` returns it too. The password is shown only once. */
/** A generated password, or null if the person got a link; `mailed` is false if the email could not be sent. */
export type ShownSecret = { password: string } | { password: null; mailed: boolean };
export type PortalInvited = ShownSecret & { person: PortalPerson };
/** `PATCH …/team/{person_id}` returns 200 with a `PortalPerson`. */
export type PortalPersonUpdate = { role?: PortalRole; disabled?: boolean; reset_second_factor?: true };
