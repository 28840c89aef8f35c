import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "@pestle/contract";
import { personalFolder } from "../../config.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { reason, WrongUsage } from "../errors.ts";

/** An account on a service, as `pestle login` saves it. */
export type Profile = {
  client_id: string;
  client_secret: string;
  environment: Environment;
  base_url: string;
  auth_url: string;
};

export const DEFAULT_PROFILE = "default";

/** All saved profiles by name. */
export function readProfiles(env?: NodeJS.ProcessEnv): Map<string, Profile> {
  const file = profilesFile(env);
  if (file === undefined || !existsSync(file)) return new Map();
  // Like ssh: refuse to use a secret that other users can read.
  if ((statSync(file).mode & 0o077) !== 0) {
    throw new AdminRefusal(`Other users can read ${file}, which contains secrets. Run \`chmod 600\` on it.`);
  }
  try {
    const { profiles } = JSON.parse(readFileSync(file, "utf8")) as { profiles: Record<string, Profile> };
    return new Map(Object.entries(profiles));
  } catch {
    throw new AdminRefusal(`${file} was not written by \`pestle login\`. Remove it and log in again.`);
  }
}

/** Returns the path of the file. */
export function saveProfile(name: string, profile: Profile, env?: NodeJS.ProcessEnv): string {
  return write(readProfiles(env).set(name, profile), env);
}

export function removeProfiles(names: readonly string[], env?: NodeJS.ProcessEnv): void {
  const kept = readProfiles(env);
  for (const name of names) kept.delete(name);
  if (kept.size > 0) write(kept, env);
  else rmSync(profilesFile(env) ?? "", { force: true });
}

export function profileName(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/.test(text)) {
    throw new WrongUsage("A profile name has 1 to 40 letters, digits, dashes or underscores.");
  }
  return text;
}

function profilesFile(env: NodeJS.ProcessEnv | undefined): string | undefined {
  const folder = personalFolder(env);
  return folder === undefined ? undefined : join(folder, "profiles.json");
}

function write(profiles: Map<string, Profile>, env: NodeJS.ProcessEnv | undefined): string {
  const file = profilesFile(env);
  if (file === undefined)
    throw new AdminRefusal("There is no folder to save the profile in. Set HOME or XDG_CONFIG_HOME.");
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Written atomically, and never readable by other users, not even briefly.
    writeFileSync(draft, `${JSON.stringify({ profiles: Object.fromEntries(profiles) }, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    throw new AdminRefusal(`Cannot save the profile: ${reason(error)}`);
  }
  return file;
}
