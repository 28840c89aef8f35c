import type { Deps } from "../../deps.ts";
import { networkOf } from "../../domain/accounts/network.ts";
import { type TryLimit, tryLimits } from "../../domain/accounts/tries.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";

type Try = readonly [key: string, limit: TryLimit];

/**
 * Takes a try from each limit before comparing anything, so that parallel requests get no extra tries. Refuses with 429
 * if a limit is used up. Call the returned function after a correct try to give the tries back.
 */
function takeTries({ tries }: Pick<Deps, "tries">, now: Date, wanted: readonly Try[]): () => void {
  const taken: Try[] = [];
  const giveBack = () => {
    for (const one of taken) tries.takeBack(...one);
  };
  for (const one of wanted) {
    const wait_s = tries.take(...one, now.getTime());
    if (wait_s > 0) {
      giveBack();
      throw new StatusRefusal(429, wait_s);
    }
    taken.push(one);
  }
  return giveBack;
}

/**
 * Takes a try to sign in under a name. A name has a limit of its own for all addresses together. A network from which the
 * person signed in lately is exempt from it, so that a stranger's wrong tries do not keep the person out.
 */
export function takeSignInTries(deps: Pick<Deps, "tries" | "now">, email: string, remote_address: string): () => void {
  const [now, name, network] = [deps.now(), email.toLowerCase(), networkOf(remote_address)];
  const here = `sign-in ${network} ${name}`;
  const wasRight = takeTries(deps, now, [
    [here, tryLimits.name_from_network],
    [`sign-in ${network}`, tryLimits.network],
    ...(deps.tries.trusts(here, now.getTime()) ? [] : [[`sign-in name ${name}`, tryLimits.name] as const]),
  ]);
  return () => {
    wasRight();
    deps.tries.forget(here);
    deps.tries.trust(here, now.getTime());
  };
}

/** Takes a try to sign in with a passkey, whose owner is not known yet. */
export const takePasskeyTries = (deps: Pick<Deps, "tries" | "now">, remote_address: string): (() => void) =>
  takeTries(deps, deps.now(), [[`sign-in ${networkOf(remote_address)}`, tryLimits.network]]);

/** Limits letters: an address gets few of them, and a network causes few. These tries are never given back. */
export function takeLinkTries(deps: Pick<Deps, "tries" | "now">, email: string, remote_address: string): void {
  takeTries(deps, deps.now(), [
    [`link ${networkOf(remote_address)}`, tryLimits.network],
    [`link name ${email.toLowerCase()}`, tryLimits.letters],
  ]);
}

/** Limits the tokens that a person gets at the API reference. These tries are never given back. */
export const takeReferenceTry = (deps: Pick<Deps, "tries" | "now">, person_id: string): void =>
  void takeTries(deps, deps.now(), [[`reference ${person_id}`, tryLimits.reference_tokens]]);

/** Takes a try of a signed-in or half signed-in person, from any address: a code or the current password. */
export function takePersonTry(deps: Pick<Deps, "tries" | "now">, what: string, person_id: string): () => void {
  const key = `${what} ${person_id}`;
  const wasRight = takeTries(deps, deps.now(), [[key, tryLimits.name_from_network]]);
  return () => {
    wasRight();
    deps.tries.forget(key);
  };
}
