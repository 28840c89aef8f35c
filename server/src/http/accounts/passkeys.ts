import {
  type NewPasskeyAnswer,
  type PasskeyAnswer,
  type PasskeyPurpose,
  passkeyPurposes,
  type ShownPasskeys,
} from "@pestle/contract";
import type { Deps } from "../../deps.ts";
import { refuse, StatusRefusal } from "../../domain/values/refusals.ts";
import { isSentObject } from "../../domain/values/unknown-fields.ts";
import {
  addPasskey,
  beginPasskey,
  changePasskeyName,
  passkeysOf,
  removePasskey,
} from "../../usecases/accounts/factors/passkeys.ts";
import { beginUse, usePasskey } from "../../usecases/accounts/factors/sign-in-with-passkey.ts";
import { LONGEST_SESSION_MS, type SignedIn } from "../../usecases/accounts/sign-in.ts";
import { type Answer, json } from "../answer.ts";
import type { WebRoute } from "../web-api.ts";
import { answerOf, cookie, placeOf, refused, SSO_ONLY, shown, textOf } from "./web-session.ts";

/** Passkeys: sign in with one, and manage your own. */
export const passkeyRoutes: readonly WebRoute[] = [
  {
    method: "POST",
    path: "/session/passkey/options",
    roles: "anyone",
    handler: async (deps, { body, person }) =>
      json(200, await beginUse(deps, purposeOf(body.purpose), person as SignedIn | undefined)),
  },
  {
    method: "POST",
    path: "/session/passkey",
    roles: "anyone",
    handler: async (deps, { body, person, request, reply }) => {
      const credential = answerIn(body.credential);
      const used = await usePasskey(deps, credential, person as SignedIn | undefined, placeOf(request), request.id);
      if (used.outcome === "refused") return refused(REFUSED);
      if (used.outcome === "sso_only") return refused(SSO_ONLY);
      if (used.opened === null) return json(200, await answerOf(deps, person));
      reply.header("set-cookie", cookie(request, used.opened.cookie, LONGEST_SESSION_MS / 1000));
      return json(200, { outcome: used.opened.outcome, ...shown(deps, used.opened.session) });
    },
  },
  {
    method: "GET",
    path: "/session/passkeys",
    roles: "signed_in",
    handler: (deps, { person }) => ownPasskeys(deps, person),
  },
  {
    method: "POST",
    path: "/session/passkey/new",
    roles: "signed_in",
    step_up: true,
    handler: async (deps, { person }) => json(200, await beginPasskey(deps, mayRegister(person))),
  },
  {
    method: "POST",
    path: "/session/passkeys",
    roles: "signed_in",
    step_up: true,
    handler: async (deps, { person, body, request }) => {
      const given = { name: textOf(body, "name"), credential: newAnswerIn(body.credential) };
      const shown_once = await addPasskey(deps, mayRegister(person), given, request.id);
      return json(201, { ...(await answerOf(deps, person)), ...shown_once });
    },
  },
  {
    method: "PATCH",
    path: "/session/passkeys/:passkey_id",
    roles: "signed_in",
    handler: async (deps, { person, params, body, request }) => {
      if (!person.complete) throw new StatusRefusal(404);
      await changePasskeyName(deps, person, params.passkey_id, textOf(body, "name"), request.id);
      return ownPasskeys(deps, person);
    },
  },
  {
    method: "DELETE",
    path: "/session/passkeys/:passkey_id",
    roles: "signed_in",
    step_up: true,
    handler: async (deps, { person, params, request }) => {
      if (!person.complete) throw new StatusRefusal(404);
      await removePasskey(deps, person, params.passkey_id, request.id);
      return ownPasskeys(deps, person);
    },
  },
];

const REFUSED = "The passkey was not accepted. Try again, or sign in another way.";

/** With only a password, a person may set up a second factor only if one is required and none exists. */
function mayRegister(person: SignedIn): SignedIn {
  if (!person.complete && person.needs !== "set_up") throw new StatusRefusal(404);
  return person;
}

async function ownPasskeys(deps: Deps, person: SignedIn): Promise<Answer<ShownPasskeys>> {
  if (!person.complete) throw new StatusRefusal(404);
  return json(200, { passkeys: await passkeysOf(deps, person.person_id) });
}

const purposeOf = (value: unknown): PasskeyPurpose =>
  passkeyPurposes.find((one) => one === value) ?? refuse(42200, "purpose");

/** Far more than any authenticator sends. The largest part is an attestation with its certificates. */
const LONGEST = 20_000;
/** A credential id has at most 1023 bytes. */
const LONGEST_ID = 1364;
const MOST_TRANSPORTS = 10;

function answerIn(value: unknown): PasskeyAnswer {
  const { id, response } = partsIn(value);
  return {
    id,
    type: "public-key",
    response: {
      clientDataJSON: bytesIn(response, "clientDataJSON"),
      authenticatorData: bytesIn(response, "authenticatorData"),
      signature: bytesIn(response, "signature"),
      userHandle: response["userHandle"] == null ? null : bytesIn(response, "userHandle"),
    },
  };
}

function newAnswerIn(value: unknown): NewPasskeyAnswer {
  const { id, response } = partsIn(value);
  const transports = response["transports"] ?? [];
  const named = (one: unknown) => typeof one === "string" && /^[a-z-]{1,20}$/.test(one);
  if (!Array.isArray(transports) || transports.length > MOST_TRANSPORTS || !transports.every(named)) {
    return refuse(42200, "credential");
  }
  return {
    id,
    type: "public-key",
    response: {
      clientDataJSON: bytesIn(response, "clientDataJSON"),
      attestationObject: bytesIn(response, "attestationObject"),
      transports,
    },
  };
}

function partsIn(value: unknown): { id: string; response: Readonly<Record<string, unknown>> } {
  if (!isSentObject(value)) return refuse(42200, "credential");
  const { id, type, response } = value as Record<string, unknown>;
  if (type !== "public-key" || !isSentObject(response) || !isBytes(id, LONGEST_ID)) return refuse(42200, "credential");
  return { id, response };
}

const bytesIn = (response: Readonly<Record<string, unknown>>, field: string): string => {
  const value = response[field];
  return isBytes(value, LONGEST) ? value : refuse(42200, "credential");
};
const isBytes = (value: unknown, longest: number): value is string =>
  typeof value === "string" && value.length <= longest && /^[\w-]+$/.test(value);
