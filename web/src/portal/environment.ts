import { type Environment, environments } from "@pestle/contract";

const KEPT_AS = "pestle-environment";

/** The one that an address below `/portal` names, the one somebody was in last, or the sandbox, where everybody begins. */
export function environmentIn(pathname: string): Environment {
  const named = pathname.split("/")[1];
  const known = (name: unknown) => environments.find((one) => one === name);
  return known(named) ?? known(localStorage.getItem(KEPT_AS)) ?? "sandbox";
}

export const rememberEnvironment = (environment: Environment): void => localStorage.setItem(KEPT_AS, environment);

/** A screen's path with the current environment in it; null where there is no such screen. */
export function resolveScreen(path: string, pathname: string): string | null {
  const environment = environmentIn(pathname);
  return path === SANDBOX_PATH && environment !== "sandbox" ? null : path.replace("$environment", environment);
}

export const SANDBOX_PATH = "/$environment/sandbox";
