import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { threadId } from "node:worker_threads";
import { type From, startServer, stopServer } from "./server-process.ts";

/** Where a run of the tests keeps a prepared folder. Without it, every service does its own first start. */
export const PREPARED_PLACE = "PREPARED_PLACE";

const running = promisify(execFile);
const preparing = new Map<string, Promise<string>>();

/**
 * A folder for the data of a service that is not about its first start. A run of the tests starts a service for the
 * first time once, and later ones get a copy of its folder: a first start takes twice the processor time of another.
 */
export async function newDataFolder(name: string, from: From): Promise<string> {
  const data_dir = mkdtempSync(join(tmpdir(), `pestle-${name}-`));
  const place = process.env[PREPARED_PLACE];
  // `cp -a` keeps the owners: the database's user is another one when tests run as root.
  if (place) await running("cp", ["-a", `${await prepared(join(place, `${from}-${threadId}`), from)}/.`, data_dir]);
  return data_dir;
}

function prepared(folder: string, from: From): Promise<string> {
  const known = preparing.get(folder) ?? prepare(folder, from);
  preparing.set(folder, known);
  return known;
}

async function prepare(folder: string, from: From): Promise<string> {
  if (existsSync(folder)) return folder;
  const draft = `${folder}.draft`;
  mkdirSync(draft, { mode: 0o711 });
  await stopServer(await startServer({ data_dir: draft, from }));
  renameSync(draft, folder);
  return folder;
}
