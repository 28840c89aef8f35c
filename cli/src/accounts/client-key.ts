import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { assertionSigner, type PrivateKey, type SignAssertion } from "@pestle/sdk";
import { CommandRefusal, reason } from "../errors.ts";

export const keyOption = [
  "--key <file>",
  "the private key (PEM or JWK) that signs for a token, for a credential that requires a key",
] as const;

/** The file's full path, so that a saved profile works in every folder. */
export const keyFile = (file: string): string => resolve(file);

/** The key of a file, as `createPestle` takes it. */
export function readClientKey(file: string): PrivateKey {
  // Like ssh: refuse to use a key that other users can read.
  if (isOpen(file)) {
    throw new CommandRefusal(`Other users can read ${file}, which contains a private key. Run \`chmod 600\` on it.`);
  }
  try {
    const text = readFileSync(file, "utf8").trim();
    const key: PrivateKey = text.startsWith("{") ? JSON.parse(text) : text;
    assertionSigner(key, undefined);
    return key;
  } catch {
    throw new CommandRefusal(
      `${file} has no private key: give the PEM or JWK of an Ed25519, EC P-256 or RSA key without a passphrase.`,
    );
  }
}

export const signerOf = (file: string): SignAssertion => assertionSigner(readClientKey(file), undefined);

function isOpen(file: string): boolean {
  try {
    return (statSync(file).mode & 0o077) !== 0;
  } catch (error) {
    throw new CommandRefusal(`${file} cannot be read (${reason(error)}).`);
  }
}
