import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CommandRefusal, reason } from "../errors.ts";
import { personalFolder } from "../settings.ts";

/** A file with secrets in the user's own configuration folder. `written_by` is the command that writes it. */
export type PersonalFile = { name: string; written_by: string };

/** The file's content; undefined if there is none. */
export function readPersonalFile<Content>(
  { name, written_by }: PersonalFile,
  env: NodeJS.ProcessEnv | undefined,
  isContent: (content: unknown) => content is Content,
): Content | undefined {
  const file = pathOf(name, env);
  if (file === undefined || !existsSync(file)) return undefined;
  // Like ssh: refuse to use a secret that other users can read.
  if ((statSync(file).mode & 0o077) !== 0) {
    throw new CommandRefusal(`Other users can read ${file}, which contains secrets. Run \`chmod 600\` on it.`);
  }
  try {
    const content: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (isContent(content)) return content;
  } catch {
    // A file that is not JSON gets the same message as other content.
  }
  throw new CommandRefusal(`${file} was not written by \`pestle ${written_by}\`. Remove it and log in again.`);
}

/** Returns the path of the file. */
export function writePersonalFile(
  { name }: PersonalFile,
  content: unknown,
  env: NodeJS.ProcessEnv | undefined,
): string {
  const file = pathOf(name, env);
  if (file === undefined)
    throw new CommandRefusal("There is no folder to save the login in. Set HOME or XDG_CONFIG_HOME.");
  const draft = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Written atomically, and never readable by other users, not even briefly.
    writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    throw new CommandRefusal(`Cannot save the login: ${reason(error)}`);
  }
  return file;
}

export const removePersonalFile = ({ name }: PersonalFile, env: NodeJS.ProcessEnv | undefined): void =>
  rmSync(pathOf(name, env) ?? "", { force: true });

function pathOf(name: string, env: NodeJS.ProcessEnv | undefined): string | undefined {
  const folder = personalFolder(env);
  return folder === undefined ? undefined : join(folder, name);
}
