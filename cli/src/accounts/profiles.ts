import type { Environment } from "@pestle/contract";
import { WrongUsage } from "../errors.ts";
import { isObject } from "../set-fields.ts";
import { type PersonalFile, readPersonalFile, removePersonalFile, writePersonalFile } from "./personal-file.ts";

/** An account on a service, as `pestle login` saves it. */
export type Profile = {
  client_id: string;
  /** Empty if the key alone was given. Then the profile cannot sign webhooks. */
  client_secret: string;
  /** The private key that signs for tokens. The key itself is not copied. */
  key_file?: string;
  environment: Environment;
  base_url: string;
  auth_url: string;
};

export const DEFAULT_PROFILE = "default";

const FILE: PersonalFile = { name: "profiles.json", written_by: "login" };
type Content = { profiles: Record<string, Profile> };
const isContent = (content: unknown): content is Content =>
  isObject(content) && isObject((content as Partial<Content>).profiles);

/** All saved profiles by name. */
export const readProfiles = (env?: NodeJS.ProcessEnv): Map<string, Profile> =>
  new Map(Object.entries(readPersonalFile(FILE, env, isContent)?.profiles ?? {}));

/** Returns the path of the file. */
export const saveProfile = (name: string, profile: Profile, env?: NodeJS.ProcessEnv): string =>
  write(readProfiles(env).set(name, profile), env);

export function removeProfiles(names: readonly string[], env?: NodeJS.ProcessEnv): void {
  const kept = readProfiles(env);
  for (const name of names) kept.delete(name);
  if (kept.size > 0) write(kept, env);
  else removePersonalFile(FILE, env);
}

export function profileName(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/.test(text)) {
    throw new WrongUsage("A profile name has 1 to 40 letters, digits, dashes or underscores.");
  }
  return text;
}

const write = (profiles: Map<string, Profile>, env: NodeJS.ProcessEnv | undefined): string =>
  writePersonalFile(FILE, { profiles: Object.fromEntries(profiles) }, env);
