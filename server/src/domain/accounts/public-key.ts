import type { AssertionAlgorithm } from "@pestle/contract";

/** The public members of a JWK, and what they can verify. */
export type PublicJwk = { kty: "EC" | "OKP" | "RSA"; alg?: string } & Record<string, string>;
export type ReadKey = { jwk: PublicJwk; kid: string | undefined; algorithms: readonly AssertionAlgorithm[] };

/** What each kind of key consists of (in the order of its RFC 7638 thumbprint), and what it signs. */
const kinds = {
  EC: { members: ["crv", "kty", "x", "y"], crv: "P-256", algorithms: ["ES256"] },
  OKP: { members: ["crv", "kty", "x"], crv: "Ed25519", algorithms: ["EdDSA", "Ed25519"] },
  RSA: { members: ["e", "kty", "n"], crv: undefined, algorithms: ["PS256", "RS256"] },
} as const;
const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];
const KID = /^[\x21-\x7e]{1,128}$/;
const LONGEST_MEMBER = 1_400;

/** Reads a JWK and drops everything but its public part; a string says what is wrong with it. */
export function readPublicKey(jwk: Readonly<Record<string, unknown>>): ReadKey | string {
  if (privateMembers.some((name) => jwk[name] !== undefined)) {
    return "This is a private or a shared key. Register only the public key, and replace this one if others could read it.";
  }
  const { kty, crv, alg, use, kid } = jwk;
  const kind = kty === "EC" || kty === "OKP" || kty === "RSA" ? kinds[kty] : undefined;
  if (kind === undefined || (kind.crv !== undefined && kind.crv !== crv)) {
    return "The key must be EC with curve P-256, OKP with curve Ed25519, or RSA.";
  }
  if (use !== undefined && use !== "sig") return "The use of the key must be sig.";
  const members = kind.members.map((name) => [name, jwk[name]] as const);
  if (!members.every(([, value]) => typeof value === "string" && value.length <= LONGEST_MEMBER)) {
    return `A key of type ${kty} has the members ${kind.members.join(", ")}.`;
  }
  const algorithms = alg === undefined ? kind.algorithms : kind.algorithms.filter((one) => one === alg);
  if (algorithms.length === 0) return `The alg of this key must be ${kind.algorithms.join(" or ")}.`;
  if (kid !== undefined && (typeof kid !== "string" || !KID.test(kid))) {
    return "The kid must have 1 to 128 visible ASCII characters.";
  }
  return {
    jwk: { ...Object.fromEntries(members), ...(alg === undefined ? {} : { alg }) } as PublicJwk,
    kid: kid as string | undefined,
    algorithms,
  };
}

/** What RFC 7638 hashes: the required members in the order of their names. */
export const thumbprintText = (jwk: PublicJwk): string =>
  JSON.stringify(Object.fromEntries(kinds[jwk.kty].members.map((name) => [name, jwk[name]])));
