import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import type { NewPasskeyAnswer, NewPasskeyRequest, PasskeyAnswer, PasskeyRequest } from "@pestle/contract";

/** What an authenticator or a browser can get wrong. */
export type Twist = {
  origin?: string;
  rp_id?: string;
  type?: string;
  challenge?: string;
  user_present?: boolean;
  user_verified?: boolean;
  counter?: number;
  /** The passkey of this person, as the authenticator remembers it. Null: it does not say. */
  user_handle?: string | null;
  signature?: Buffer;
};

type Cbor = number | string | Buffer | ReadonlyMap<number | string, Cbor>;

/** As much CBOR (RFC 8949) as an attestation needs. */
function cbor(value: Cbor): Buffer {
  const head = (major: number, size: number) =>
    size < 24
      ? Buffer.of((major << 5) | size)
      : size < 256
        ? Buffer.of((major << 5) | 24, size)
        : Buffer.of((major << 5) | 25, size >> 8, size & 255);
  if (typeof value === "number") return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === "string") return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, one]) => [cbor(key), cbor(one)])]);
}

const sha256 = (data: Buffer | string): Buffer => createHash("sha256").update(data).digest();
const text = (bytes: Buffer): string => bytes.toString("base64url");

/** The numbers of COSE (RFC 9053). */
const algorithms = {
  ES256: () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { x, y } = publicKey.export({ format: "jwk" });
    return {
      privateKey,
      cose: new Map<number, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, raw(x!)],
        [-3, raw(y!)],
      ]),
    };
  },
  EdDSA: () => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const { x } = publicKey.export({ format: "jwk" });
    return {
      privateKey,
      cose: new Map<number, Cbor>([
        [1, 1],
        [3, -8],
        [-1, 6],
        [-2, raw(x!)],
      ]),
    };
  },
  /** Not in the list of the service. */
  ES384: () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-384" });
    const { x, y } = publicKey.export({ format: "jwk" });
    return {
      privateKey,
      cose: new Map<number, Cbor>([
        [1, 2],
        [3, -35],
        [-1, 2],
        [-2, raw(x!)],
        [-3, raw(y!)],
      ]),
    };
  },
} satisfies Record<string, () => { privateKey: KeyObject; cose: ReadonlyMap<number, Cbor> }>;
const raw = (base64url: string): Buffer => Buffer.from(base64url, "base64url");

/** One passkey of an authenticator in software, with the browser around it. */
export class SoftwareAuthenticator {
  readonly id = randomBytes(32);
  counter = 0;
  /** Whether its passkeys are copied to other devices. */
  backed_up = false;
  #user_handle: string | null = null;
  readonly #origin: string;
  readonly #keys: ReturnType<(typeof algorithms)[keyof typeof algorithms]>;

  constructor(origin: string, algorithm: keyof typeof algorithms = "ES256") {
    this.#origin = origin;
    this.#keys = algorithms[algorithm]();
  }

  create(options: NewPasskeyRequest, twist: Twist = {}): NewPasskeyAnswer {
    this.#user_handle = options.user.id;
    const client = this.#client("webauthn.create", options.challenge, twist);
    const size = Buffer.alloc(2);
    size.writeUInt16BE(this.id.length);
    const attested = Buffer.concat([Buffer.alloc(16), size, this.id, cbor(this.#keys.cose)]);
    const data = Buffer.concat([this.#data(options.rp.id, twist, 0x40), attested]);
    const attestation = new Map<string, Cbor>([
      ["fmt", "none"],
      ["attStmt", new Map()],
      ["authData", data],
    ]);
    return {
      id: text(this.id),
      type: "public-key",
      response: {
        clientDataJSON: text(client),
        attestationObject: text(cbor(attestation)),
        transports: ["internal", "hybrid"],
      },
    };
  }

  get(options: PasskeyRequest, twist: Twist = {}): PasskeyAnswer {
    this.counter += 1;
    const client = this.#client("webauthn.get", options.challenge, twist);
    const data = this.#data(options.rpId, twist);
    const signed = Buffer.concat([data, sha256(client)]);
    const { privateKey } = this.#keys;
    const digest = privateKey.asymmetricKeyType === "ed25519" ? null : "sha256";
    const handle = twist.user_handle === undefined ? this.#user_handle : twist.user_handle;
    return {
      id: text(this.id),
      type: "public-key",
      response: {
        clientDataJSON: text(client),
        authenticatorData: text(data),
        signature: text(twist.signature ?? sign(digest, signed, privateKey)),
        ...(handle !== null && { userHandle: handle }),
      },
    };
  }

  #client(type: string, challenge: string, twist: Twist): Buffer {
    const { origin = this.#origin } = twist;
    const content = { type: twist.type ?? type, challenge: twist.challenge ?? challenge, origin, crossOrigin: false };
    return Buffer.from(JSON.stringify(content));
  }

  #data(rp_id: string, twist: Twist, more_flags = 0): Buffer {
    const { user_present = true, user_verified = true, counter = this.counter } = twist;
    const backup = this.backed_up ? 0x18 : 0;
    const flags = (user_present ? 1 : 0) | (user_verified ? 4 : 0) | backup | more_flags;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(twist.rp_id ?? rp_id), Buffer.of(flags), count]);
  }
}
