import type { CryptoSteps, DigestStep, SignatureStep } from "@pestle/contract/partner";

type Step = DigestStep | SignatureStep;

/** Runs a decision with WebCrypto, which Node, browsers and edge runtimes all have. */
export async function workSteps<Result>(steps: CryptoSteps<Result>): Promise<Result> {
  let next = steps.next();
  while (!next.done) next = steps.next(await byWebCrypto(next.value));
  return next.value;
}

/** The same without waiting. Only Node, Deno and Bun can do that. */
export function workStepsNow<Result>(steps: CryptoSteps<Result>): Result {
  const node = nodeCrypto();
  if (node === undefined) {
    throw new TypeError("This runtime has no synchronous cryptography. Call the function whose name ends in Async.");
  }
  let next = steps.next();
  while (!next.done) next = steps.next(byNode(node, next.value));
  return next.value;
}

async function byWebCrypto(step: Step): Promise<unknown> {
  const { subtle } = globalThis.crypto;
  if ("public_key" in step) {
    // Node 20 and 22 warn that Ed25519 in WebCrypto is experimental. Their own module does not.
    const node = nodeCrypto();
    if (node !== undefined) return byNode(node, step);
    const key = await subtle.importKey("spki", step.public_key, "Ed25519", false, ["verify"]);
    return subtle.verify("Ed25519", key, step.signature, step.data);
  }
  const { hash, data, hmac_key } = step;
  if (hmac_key === undefined) return new Uint8Array(await subtle.digest(hash, data));
  const key = await subtle.importKey("raw", hmac_key, { name: "HMAC", hash }, false, ["sign"]);
  return new Uint8Array(await subtle.sign("HMAC", key, data));
}

function byNode(node: NodeCrypto, step: Step): unknown {
  if ("public_key" in step) {
    const key = { key: step.public_key, format: "der", type: "spki" } as const;
    return node.verify(null, step.data, key, step.signature);
  }
  const { hash, data, hmac_key } = step;
  const name = hash.replace("-", "").toLowerCase();
  const made = hmac_key === undefined ? node.createHash(name) : node.createHmac(name, hmac_key);
  return new Uint8Array(made.update(data).digest());
}

type Hash = { update(data: Uint8Array): { digest(): Uint8Array } };
/** The part of node:crypto that we use. */
type NodeCrypto = {
  createHash(name: string): Hash;
  createHmac(name: string, key: Uint8Array): Hash;
  verify(
    algorithm: null,
    data: Uint8Array,
    key: { key: Uint8Array; format: "der"; type: "spki" },
    signature: Uint8Array,
  ): boolean;
  sign(algorithm: null, data: Uint8Array, key: object): Uint8Array;
};

/** Undefined outside Node. An import would keep this package out of browsers. */
export function nodeCrypto(): NodeCrypto | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  return process?.getBuiltinModule?.("node:crypto") as NodeCrypto | undefined;
}
