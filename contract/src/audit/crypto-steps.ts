export type Bytes = Uint8Array<ArrayBuffer>;

export type DigestStep = { readonly hash: "SHA-1" | "SHA-256"; readonly data: Bytes; readonly hmac_key?: Bytes };
/** An Ed25519 signature. `public_key` is in DER (SPKI). */
export type SignatureStep = { readonly public_key: Bytes; readonly signature: Bytes; readonly data: Bytes };

/**
 * A decision that needs digests and signatures. It does not compute them: Node can do so at once, and WebCrypto only
 * asynchronously. So one decision serves both.
 */
export type CryptoSteps<Result> = Generator<DigestStep | SignatureStep, Result, unknown>;

export function* digest(hash: DigestStep["hash"], data: Bytes, hmac_key?: Bytes): CryptoSteps<Bytes> {
  return (yield { hash, data, ...(hmac_key && { hmac_key }) }) as Bytes;
}

export function* isSigned(step: SignatureStep): CryptoSteps<boolean> {
  return (yield step) as boolean;
}

export const utf8 = (text: string): Bytes => new TextEncoder().encode(text) as Bytes;

export function joined(...parts: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Undefined if the text is not hexadecimal. */
export const bytesOfHex = (text: string): Bytes | undefined =>
  /^([0-9a-f]{2})*$/.test(text)
    ? Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
    : undefined;

export const base64Of = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
export const bytesOfBase64 = (text: string): Bytes => Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0));
