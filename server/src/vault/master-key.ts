import { createHmac, randomBytes } from "node:crypto";
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Config, WrongSetting } from "../config.ts";

/** The key from outside the database: it wraps the data keys inside. */
export type MasterKey = { bytes: Buffer; fingerprint: string };

/** Keys to try, best first. Two only when a rotation was cut off between the database and the file. */
export function masterKeys(config: Config): MasterKey[] {
  if (config.MASTER_KEY !== "") return [decodeMasterKey(config.MASTER_KEY)];
  mkdirSync(config.DATA_DIR, { recursive: true });
  const { current, next } = masterKeyFiles(config);
  // Without MASTER_KEY the database is our own (config.ts), and its key is made on the first start.
  if (!existsSync(current) && !existsSync(next)) makeKeyFile(config.DATA_DIR, current);
  return [current, next].filter(existsSync).map(readKeyFile);
}

export const masterKeyFiles = (config: Config) => ({
  current: join(config.DATA_DIR, "master.key"),
  next: join(config.DATA_DIR, "master.key.next"),
});

export function decodeMasterKey(text: string): MasterKey {
  const bytes = /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, "hex") : Buffer.from(text, "base64");
  return { bytes, fingerprint: createHmac("sha256", bytes).update("pestle master key").digest("hex").slice(0, 16) };
}

export const newMasterKeyText = () => randomBytes(32).toString("hex");

/** Made whole under another name and linked into place, so that two first starts agree on one key. */
function makeKeyFile(folder: string, file: string): void {
  const draft = join(folder, `master.key.${process.pid}.${randomBytes(4).toString("hex")}`);
  writeFileSync(draft, `${newMasterKeyText()}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function readKeyFile(file: string): MasterKey {
  const text = readFileSync(file, "utf8").trim();
  if (!/^[0-9a-fA-F]{64}$/.test(text)) {
    throw new WrongSetting(`${file} does not hold 64 hexadecimal digits. Put the right key back from your back-up.`);
  }
  chmodSync(file, 0o600);
  return decodeMasterKey(text);
}
