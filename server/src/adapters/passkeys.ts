import { type NewPasskeyAnswer, type PasskeyAnswer, passkeyAlgorithms } from "@pestle/contract";
import type { RelyingParty } from "../domain/accounts/relying-party.ts";

/** What an answer must fit. */
type Expected = RelyingParty & { challenge: string; user_verification: boolean };
/** What an authenticator says about itself with each use. */
type PasskeyState = { sign_count: number; backup_eligible: boolean; backed_up: boolean };
type VerifiedPasskey = PasskeyState & { public_key: Buffer };
type StoredPasskey = { public_key: Buffer; sign_count: number };

/** Verifies what authenticators answer (WebAuthn). Throws if anything does not fit. */
export type PasskeyVerifier = {
  created(answer: NewPasskeyAnswer, expected: Expected): Promise<VerifiedPasskey>;
  used(answer: PasskeyAnswer, stored: StoredPasskey, expected: Expected): Promise<PasskeyState>;
};

/** Loads with the first passkey, because it brings parsers for every kind of attestation. */
const library = () => import("@simplewebauthn/server");

export const webauthn: PasskeyVerifier = {
  async created({ id, response: { transports: _, ...response } }, expected) {
    const { verified, registrationInfo: info } = await (await library()).verifyRegistrationResponse({
      response: { id, rawId: id, type: "public-key", response, clientExtensionResults: {} },
      ...common(expected),
      supportedAlgorithmIDs: [...passkeyAlgorithms],
    });
    if (!verified || info.credential.id !== id) throw new Error("the passkey is not valid");
    return {
      public_key: Buffer.from(info.credential.publicKey),
      sign_count: info.credential.counter,
      ...backup(info),
    };
  },

  async used({ id, response: { userHandle: _, ...response } }, { public_key, sign_count }, expected) {
    const { verified, authenticationInfo: info } = await (await library()).verifyAuthenticationResponse({
      response: { id, rawId: id, type: "public-key", response, clientExtensionResults: {} },
      ...common(expected),
      credential: { id, publicKey: new Uint8Array(public_key), counter: sign_count },
    });
    if (!verified) throw new Error("the signature is wrong");
    return { sign_count: info.newCounter, ...backup(info) };
  },
};

const common = ({ challenge, origin, rp_id, user_verification }: Expected) => ({
  expectedChallenge: challenge,
  expectedOrigin: origin,
  expectedRPID: rp_id,
  requireUserVerification: user_verification,
});

const backup = (info: { credentialDeviceType: "singleDevice" | "multiDevice"; credentialBackedUp: boolean }) => ({
  backup_eligible: info.credentialDeviceType === "multiDevice",
  backed_up: info.credentialBackedUp,
});
