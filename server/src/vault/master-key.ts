import { createHmac, randomBytes } from "node:crypto";
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Config, WrongSetting } from "../config.ts";
import { decrypt, encrypt } from "./aes.ts";
import { serviceKey } from "./key-service.ts";

/** The key outside the database that wraps the data keys in it: 32 bytes from a setting or a file, or a key service's. */
export type MasterKey = {
  fingerprint: string;
  /** A wrapped key opens only under its own name. */
  wrap(key: Buffer, name: string): Promise<Buffer>;
  unwrap(wrapped: Buffer, name: string): Promise<Buffer>;
};

/**
 * Keys to try, in order. There are two during a rotation: NEW_MASTER_KEY next to MASTER_KEY, or the new key file that an
 * interrupted rotation did not rename. With a key service, the keys of settings and files come after it, until the
 * rotation has moved the data keys to it.
 */
export function masterKeys(config: Config, make = true): MasterKey[] {
  const kept = keptMasterKeys(config);
  if (kept.length > 0 || !make) return kept;
  // Without MASTER_KEY we use the embedded database (see config.ts), and the first start creates its key.
  makeKeyFile(config.DATA_DIR, masterKeyFiles(config).current);
  return keptMasterKeys(config);
}

/** The same, but never creates a key. */
export function keptMasterKeys(config: Config): MasterKey[] {
  return [...(config.KMS_URL === "" ? [] : [serviceKey(config)]), ...localMasterKeys(config)];
}

function localMasterKeys(config: Config): MasterKey[] {
  if (config.MASTER_KEY !== "") {
    return [config.MASTER_KEY, config.NEW_MASTER_KEY].filter((text) => text !== "").map(decodeMasterKey);
  }
  const { current, next } = masterKeyFiles(config);
  // Read the next key first: if a rotation renames it in between, we find it under the current name.
  const pending = readKeyFile(next);
  return [readKeyFile(current), pending].filter((key) => key !== undefined);
}

/** The key that wraps this database's data keys. */
export function fittingMasterKey(candidates: readonly MasterKey[], fingerprint: string): MasterKey {
  const fitting = candidates.find((key) => key.fingerprint === fingerprint);
  if (fitting !== undefined) return fitting;
  if (candidates.length === 0) {
    throw new WrongSetting(
      `DATA_DIR/master.key is missing, and this database cannot be read without it. Restore the key with fingerprint ${fingerprint}, or set MASTER_KEY to it.`,
    );
  }
  throw new WrongSetting(
    `MASTER_KEY (or DATA_DIR/master.key, or the key service's KMS_KEY) is not the key of this database, which has the fingerprint ${fingerprint}. Set the key that this database was created with.`,
  );
}

export const masterKeyFiles = (config: Config) => ({
  current: join(config.DATA_DIR, "master.key"),
  next: join(config.DATA_DIR, "master.key.next"),
});

export function decodeMasterKey(text: string): MasterKey {
  const bytes = /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, "hex") : Buffer.from(text, "base64");
  return {
    fingerprint: createHmac("sha256", bytes).update("pestle master key").digest("hex").slice(0, 16),
    wrap: async (key, name) => encrypt(bytes, key, name),
    unwrap: async (wrapped, name) => decrypt(bytes, wrapped, name),
  };
}

export const newMasterKeyText = () => randomBytes(32).toString("hex");

/** Written under another name and linked into place, so that two concurrent first starts agree on one key. */
function makeKeyFile(folder: string, file: string): void {
  mkdirSync(folder, { recursive: true });
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

export function readKeyFile(file: string): MasterKey | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8").trim();
    chmodSync(file, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  if (/^[0-9a-fA-F]{64}$/.test(text)) return decodeMasterKey(text);
  throw new WrongSetting(`${file} does not contain 64 hexadecimal digits. Restore the correct key from your backup.`);
}
