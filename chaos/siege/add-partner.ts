import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Client } from "../client.ts";
import { type From, programs } from "../server-process.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const running = promisify(execFile);

type Place = { data_dir: string; from: From };

/** A new production partner and its credential. */
export async function addPartner(place: Place): Promise<Client> {
  const named = ["--name", "Aspen Telehealth", "--environment", "production", "--workflow", "api_driven"];
  const { account_id } = await pestle<{ account_id: string }>(place, ["partner", "create", ...named]);
  return (await addCredentials(place, account_id, 1))[0]!;
}

/** More credentials of a production account. */
export async function addCredentials(place: Place, account_id: string, count: number): Promise<Client[]> {
  const made: Client[] = [];
  for (let number = 0; number < count; number++) {
    const secret = await pestle<Omit<Client, "environment">>(place, ["credential", "create", "--account", account_id]);
    made.push({ ...secret, environment: "production" });
  }
  return made;
}

/** A command beside the running service. */
async function pestle<Told>({ data_dir, from }: Place, args: string[]): Promise<Told> {
  const { PATH } = process.env;
  const command = [...programs[from], ...args, "--json"];
  const { stdout } = await running(process.execPath, command, { cwd: ROOT, env: { PATH, DATA_DIR: data_dir } });
  return JSON.parse(stdout) as Told;
}
