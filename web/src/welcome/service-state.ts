export type ServiceState = "checking" | "ready" | "starting" | "unavailable";

/** Combines two probes. Each is an HTTP status, or null if there was no response. */
export function serviceState(probes: { healthz: number | null; readyz: number | null }): ServiceState {
  if (probes.readyz === 200) return "ready";
  if (probes.healthz === 200) return "starting";
  return "unavailable";
}
