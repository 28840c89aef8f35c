import { PROVIDER_KINDS, type ProviderKind, type ProviderName, providerKinds, providers } from "@pestle/contract";
import type { Deps } from "../../deps.ts";
import { type Finding, finding } from "../operations/check-up.ts";

/** Production cannot work without these; without the others it does less. */
const NEEDED: readonly ProviderKind[] = ["payments", "carrier"];

/** One finding per kind of provider. `watch` is absent in a command: only the service has figures of its calls. */
export const checkProviders = (chosen: Deps["providers"], watch?: Pick<Deps["provider_watch"], "stateOf">): Finding[] =>
  PROVIDER_KINDS.map((kind) => checkKind(kind, chosen[kind], watch));

function checkKind(
  kind: ProviderKind,
  name: Deps["providers"][ProviderKind],
  watch: Pick<Deps["provider_watch"], "stateOf"> | undefined,
): Finding {
  const { setting, missing, choices } = providerKinds[kind];
  const what = `provider of ${providerKinds[kind].title.toLowerCase()}`;
  if (name === null) {
    const offered = choices.filter((one) => one !== "none").join(", ");
    const says = `${setting} names none. ${missing} Set it to ${offered}, or to none`;
    return finding(what, NEEDED.includes(kind) ? "warning" : "ok", says);
  }
  if (name === "none") return finding(what, "ok", `none, as ${setting} says. ${missing}`);
  if (name === "simulated") return finding(what, "warning", `simulated in production: ${PRETENDS[kind]}`);
  if (!isProvider(name)) return finding(what, "ok", `${name}, as ${setting} says`);
  const { title } = providers[name];
  const state = watch?.stateOf(name);
  if (state === undefined || state.requests === 0) return finding(what, "ok", `${title}; no call since the start`);
  const { breaker, last_failure, last_success_at } = state;
  if (breaker !== "closed")
    return finding(what, "failed", `${title} does not answer (${last_failure?.error_code}): see its status page`);
  if (last_failure !== null && (last_success_at === null || last_failure.at > last_success_at))
    return finding(what, "warning", `${title} did not answer the last call (${last_failure.error_code})`);
  return finding(what, "ok", `${title} answers`);
}

const PRETENDS: Record<ProviderKind, string> = {
  payments: "no card is charged",
  carrier: "labels and tracking numbers are invented, and no parcel is tracked",
  addresses: "no address is verified",
  mail: "no email is sent",
  sms: "no text message is sent",
};

export const isProvider = (name: string): name is ProviderName => name in providers;

/** The kinds that production simulates, for the red line on every screen and in the log. */
export const simulatedKinds = (chosen: Deps["providers"]): ProviderKind[] =>
  PROVIDER_KINDS.filter((kind) => chosen[kind] === "simulated");

/** What the log says at each start; empty if production simulates nothing and lacks nothing that it needs. */
export const providerWarnings = (chosen: Deps["providers"]): string[] =>
  checkProviders(chosen)
    .filter(({ state }) => state === "warning")
    .map(({ what, says }) => `${what}: ${says}`);
