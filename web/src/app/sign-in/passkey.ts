import type {
  NewPasskeyAnswer,
  NewPasskeyRequest,
  PasskeyAnswer,
  PasskeyDescriptor,
  PasskeyPurpose,
  PasskeyRequest,
  SignInAnswer,
} from "@pestle/contract";
import { say } from "../../ui/words/say.tsx";
import { ApiError } from "../api.ts";
import { post } from "./post.ts";

/** Browsers keep passkeys for one host name, and only on secure pages. */
export const canUsePasskeys = (rp_id: string | null): boolean =>
  rp_id !== null && location.hostname === rp_id && "PublicKeyCredential" in window;

/** Asks the authenticator, and sends its answer. */
export async function givePasskey(purpose: PasskeyPurpose, csrf_token: string | null): Promise<SignInAnswer> {
  const options = await post("/session/passkey/options", { purpose }, csrf_token);
  return post("/session/passkey", { credential: await askPasskey(options) }, csrf_token);
}

async function askPasskey({ challenge, allowCredentials, ...options }: PasskeyRequest): Promise<PasskeyAnswer> {
  const publicKey = { ...options, challenge: bytesOf(challenge), allowCredentials: allowCredentials.map(known) };
  const { rawId, type, response } = await asked(navigator.credentials.get({ publicKey }));
  const { clientDataJSON, authenticatorData, signature, userHandle } = response as AuthenticatorAssertionResponse;
  return {
    id: textOf(rawId),
    type,
    response: {
      clientDataJSON: textOf(clientDataJSON),
      authenticatorData: textOf(authenticatorData),
      signature: textOf(signature),
      userHandle: userHandle === null ? null : textOf(userHandle),
    },
  };
}

/** Creates a passkey on this device, on a phone or on a security key, as the user chooses. */
export async function createPasskey(options: NewPasskeyRequest): Promise<NewPasskeyAnswer> {
  const { challenge, user, excludeCredentials, pubKeyCredParams, ...rest } = options;
  const publicKey = {
    ...rest,
    challenge: bytesOf(challenge),
    user: { ...user, id: bytesOf(user.id) },
    pubKeyCredParams: [...pubKeyCredParams],
    excludeCredentials: excludeCredentials.map(known),
  };
  const { rawId, type, response } = await asked(navigator.credentials.create({ publicKey }));
  const { clientDataJSON, attestationObject, getTransports } = response as AuthenticatorAttestationResponse;
  return {
    id: textOf(rawId),
    type,
    response: {
      clientDataJSON: textOf(clientDataJSON),
      attestationObject: textOf(attestationObject),
      // Older browsers do not have it.
      transports: (getTransports as (() => string[]) | undefined)?.call(response) ?? [],
    },
  };
}

/** Sentences for what browsers report by name. */
const reasons: Readonly<Record<string, string>> = {
  InvalidStateError: say("This device has a passkey for you already."),
  SecurityError: say("Passkeys work only under the host name of this service. Open the page with that name."),
  NotSupportedError: say("This device cannot create a passkey. Try another one."),
};

async function asked(coming: Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    return (await coming) as PublicKeyCredential;
  } catch (error) {
    const name = error instanceof DOMException ? error.name : "";
    throw new ApiError(0, reasons[name] ?? say("The passkey was not used. Try again."));
  }
}

const known = ({ id, type, transports }: PasskeyDescriptor): PublicKeyCredentialDescriptor => ({
  id: bytesOf(id),
  type,
  transports: [...transports] as AuthenticatorTransport[],
});

const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64url.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
const textOf = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
