/** What a process of the service can do. Any number of processes can have a role, and a process any number of roles. */
export const processRoles = {
  api: "the partner API, intake and the webhooks of providers",
  token: "the token servers",
  courier: "sends webhooks",
  jobs: "runs the background jobs",
  web: "the dashboard, the portal and the documentation",
} as const;

export type ProcessRole = keyof typeof processRoles;
export const ALL_ROLES = Object.keys(processRoles) as ProcessRole[];

/** The roles in a list with commas, in the order of the table; undefined if one is unknown or none is named. */
export function rolesIn(list: string): ProcessRole[] | undefined {
  const named = list.split(",").map((part) => part.trim());
  if (!named.every((name) => Object.hasOwn(processRoles, name))) return undefined;
  return ALL_ROLES.filter((role) => named.includes(role));
}

const SERVING: readonly ProcessRole[] = ["api", "token", "web"];

/** What one of several workers does. The first does everything, and the others share the requests. */
export function workerRoles(roles: readonly ProcessRole[], number: number): readonly ProcessRole[] {
  const serving = roles.filter((role) => SERVING.includes(role));
  return number === 1 || serving.length === 0 ? roles : serving;
}
