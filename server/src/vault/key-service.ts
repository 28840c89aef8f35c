import { createHash } from "node:crypto";
import { type Config, WrongSetting } from "../config.ts";
import type { MasterKey } from "./master-key.ts";

/** The key service did not do what we asked. Nothing was changed; the message names the setting to check. */
export class KeyServiceTrouble extends WrongSetting {}

const TIMEOUT_MS = 5_000;
const MOST_ANSWER_CHARACTERS = 64 * 1024;

/**
 * A master key that never leaves its service: the Transit API of HashiCorp Vault and OpenBao, which other key services offer
 * too. It encrypts and decrypts our few data keys; the data keys encrypt the values. The name of the wrapped key is sent as
 * associated data, so that the service opens it under the same name only.
 */
export function serviceKey({
  KMS_URL,
  KMS_KEY,
  KMS_TOKEN,
}: Pick<Config, "KMS_URL" | "KMS_KEY" | "KMS_TOKEN">): MasterKey {
  const ask = async (verb: "encrypt" | "decrypt", body: Record<string, string>, field: string): Promise<string> => {
    const answer = await send(`${KMS_URL}/${verb}/${encodeURIComponent(KMS_KEY)}`, KMS_TOKEN, body);
    const value = (answer as { data?: Record<string, unknown> } | null)?.data?.[field];
    if (typeof value !== "string") throw trouble(`gave an answer without ${field}`);
    return value;
  };
  const associated_data = (name: string) => Buffer.from(`pestle ${name}`).toString("base64");
  return {
    // The service's address may change; the key's name must not.
    fingerprint: createHash("sha256").update(`pestle key service ${KMS_KEY}`).digest("hex").slice(0, 16),
    async wrap(key, name) {
      const body = { plaintext: key.toString("base64"), associated_data: associated_data(name) };
      return Buffer.from(await ask("encrypt", body, "ciphertext"));
    },
    async unwrap(wrapped, name) {
      const body = { ciphertext: wrapped.toString("utf8"), associated_data: associated_data(name) };
      const key = Buffer.from(await ask("decrypt", body, "plaintext"), "base64");
      if (key.length !== 32) throw trouble("gave a key of the wrong length");
      return key;
    },
  };
}

async function send(url: string, token: string, body: Record<string, string>): Promise<unknown> {
  let status: number;
  let text: string;
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "x-vault-token": token },
      body: JSON.stringify(body),
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    status = response.status;
    text = await response.text();
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    throw trouble(
      name === "TimeoutError"
        ? `did not answer within ${TIMEOUT_MS / 1000} s`
        : `is unreachable${cause?.code ? ` (${cause.code})` : ""}`,
    );
  }
  if (status !== 200) throw trouble(`answered ${status}${status === 403 ? ": check KMS_TOKEN and its policy" : ""}`);
  try {
    return JSON.parse(text.slice(0, MOST_ANSWER_CHARACTERS));
  } catch {
    throw trouble("gave an answer that is not JSON");
  }
}

const trouble = (what: string) =>
  new KeyServiceTrouble(
    `The key service at KMS_URL ${what}. Check KMS_URL, KMS_KEY and KMS_TOKEN, and that the service runs.`,
  );
