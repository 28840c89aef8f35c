import { type Environment, environments } from "@pestle/contract";

const KEPT_AS = "pestle-environment";
const BELOW = /^\/portal\/([a-z]+)(?=\/|$)/;

/** The one that the address names, the one somebody was in last, or the sandbox, where everybody begins. */
export function currentEnvironment(): Environment {
  const named = BELOW.exec(location.pathname)?.[1] ?? localStorage.getItem(KEPT_AS);
  return environments.find((one) => one === named) ?? "sandbox";
}

export const rememberEnvironment = (environment: Environment): void => localStorage.setItem(KEPT_AS, environment);

/** A screen's path with the current environment in it; null where there is no such screen. */
export function resolveScreen(path: string): string | null {
  const environment = currentEnvironment();
  return path === SANDBOX_PATH && environment !== "sandbox" ? null : path.replace("$environment", environment);
}

export const SANDBOX_PATH = "/$environment/sandbox";
