import { type Environment, environments } from "@pestle/contract";

const KEPT_AS = "pestle-environment";

/** The environment in the URL, else the last one used, else sandbox. */
export function environmentIn(pathname: string): Environment {
  const named = pathname.split("/")[1];
  const known = (name: unknown) => environments.find((one) => one === name);
  return known(named) ?? known(localStorage.getItem(KEPT_AS)) ?? "sandbox";
}

export const rememberEnvironment = (environment: Environment): void => localStorage.setItem(KEPT_AS, environment);

/** A screen's path in the current environment, or null if it has no such screen. */
export function resolveScreen(path: string, pathname: string): string | null {
  const environment = environmentIn(pathname);
  return path === SANDBOX_PATH && environment !== "sandbox" ? null : path.replace("$environment", environment);
}

export const SANDBOX_PATH = "/$environment/sandbox";
