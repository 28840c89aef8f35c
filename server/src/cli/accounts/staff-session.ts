import { createHash } from "node:crypto";
import { resolve } from "node:path";
import {
  type PersonalFile,
  readPersonalFile,
  removePersonalFile,
  writePersonalFile,
} from "@pestle/cli/accounts/personal-file";
import { type StaffRole, staffRoles } from "@pestle/contract";
import type { Config } from "../../config.ts";
import type { Deps } from "../../deps.ts";
import { isSentObject } from "../../domain/values/unknown-fields.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { findSession, LONGEST_SESSION_MS, type SignedIn } from "../../usecases/accounts/sign-in.ts";

/** A person who signed in on this machine. The token is that of a session in the database, like a browser's. */
type Kept = { email: string; person_id: string; service: string; token: string; expires_at: string };

/** A signed-in member of the pharmacy's staff. */
export type StaffPerson = SignedIn & { role: StaffRole };

const FILE: PersonalFile = { name: "staff.json", written_by: "user login" };
type Content = { people: Kept[] };
const isContent = (content: unknown): content is Content =>
  isSentObject(content) && Array.isArray((content as Partial<Content>).people);

/** The option of every command that acts for a person. */
export const AS = [
  "--as <email>",
  "which of the people who signed in with `pestle user login` acts; needed only if there are several",
] as const;

/**
 * The person for whom a command acts. Only a person who signed in on this machine can act: their session must still be
 * open in the database, and `--as` only chooses among several of them.
 */
export async function signedInStaff(
  deps: Pick<Deps, "config" | "db" | "now">,
  env: NodeJS.ProcessEnv | undefined,
  as: string | undefined,
): Promise<StaffPerson> {
  const here = keptHere(deps.config, env);
  const chosen = as === undefined ? here : here.filter(({ email }) => email.toLowerCase() === as.toLowerCase());
  const [kept] = chosen;
  if (kept === undefined) {
    const who = as === undefined ? "You are not signed in." : `${as} is not signed in on this machine.`;
    throw new AdminRefusal(`${who} Run \`pestle user login --email ${as ?? "EMAIL"}\` first.`);
  }
  if (chosen.length > 1) {
    const names = chosen.map(({ email }) => email).join(", ");
    throw new AdminRefusal(`Several people are signed in: ${names}. Choose one with --as EMAIL.`);
  }
  const session = await findSession(deps, kept.token);
  if (session === undefined || !session.complete || session.person_id !== kept.person_id) {
    forgetPeople([kept], env);
    throw new AdminRefusal(
      `The session of ${kept.email} has ended. Run \`pestle user login --email ${kept.email}\` again.`,
    );
  }
  if (!isStaff(session)) throw new AdminRefusal("Only pharmacy staff can work at the command line.");
  return session;
}

export const isStaff = (session: SignedIn): session is StaffPerson => Object.hasOwn(staffRoles, session.role);

/** Remembers a session until it can no longer be used. Returns the path of the file. */
export function keepPerson(
  { email, person_id }: SignedIn,
  token: string,
  { config, now }: Pick<Deps, "config" | "now">,
  env: NodeJS.ProcessEnv | undefined,
): string {
  const service = serviceOf(config);
  const expires_at = new Date(now().getTime() + LONGEST_SESSION_MS).toISOString();
  const others = keptPeople(env).filter(
    (one) => !(one.service === service && one.person_id === person_id) && one.expires_at > now().toISOString(),
  );
  return writePersonalFile(FILE, { people: [...others, { email, person_id, service, token, expires_at }] }, env);
}

/** The people who signed in to this service on this machine. */
export const keptHere = (config: Config, env: NodeJS.ProcessEnv | undefined): Kept[] =>
  keptPeople(env).filter(({ service }) => service === serviceOf(config));

export function forgetPeople(gone: readonly Kept[], env: NodeJS.ProcessEnv | undefined): void {
  const people = keptPeople(env).filter(({ token }) => !gone.some((one) => one.token === token));
  if (people.length > 0) writePersonalFile(FILE, { people }, env);
  else removePersonalFile(FILE, env);
}

const keptPeople = (env: NodeJS.ProcessEnv | undefined): Kept[] => readPersonalFile(FILE, env, isContent)?.people ?? [];

/** Names the database without its password, so that sessions of several services do not mix. */
const serviceOf = ({ DATABASE_URL, DATA_DIR }: Config): string =>
  createHash("sha256")
    .update(DATABASE_URL || resolve(DATA_DIR))
    .digest("hex")
    .slice(0, 16);
