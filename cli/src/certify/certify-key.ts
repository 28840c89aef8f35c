import { generateKeyPairSync } from "node:crypto";
import { type PersonalFile, readPersonalFile, writePersonalFile } from "../accounts/personal-file.ts";

export type CertifyKey = { public_key: string; private_key: string };

const FILE: PersonalFile = { name: "certify-key.json", written_by: "certify" };

/** The key of this machine that signs reports. The first report creates it. */
export function certifyKey(env: NodeJS.ProcessEnv | undefined): CertifyKey {
  const kept = readPersonalFile(FILE, env, isKey);
  if (kept !== undefined) return kept;
  const { publicKey: public_key, privateKey: private_key } = generateKeyPairSync("ed25519", {
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  writePersonalFile(FILE, { public_key, private_key }, env);
  return { public_key, private_key };
}

function isKey(content: unknown): content is CertifyKey {
  const { public_key, private_key } = (content ?? {}) as Partial<Record<string, unknown>>;
  return typeof public_key === "string" && typeof private_key === "string";
}
