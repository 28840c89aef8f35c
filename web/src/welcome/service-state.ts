export type ServiceState = "checking" | "ready" | "starting" | "unavailable";

/** What two probes say together; a probe is its HTTP status, or null when nobody answered. */
export function serviceState(probes: { healthz: number | null; readyz: number | null }): ServiceState {
  if (probes.readyz === 200) return "ready";
  if (probes.healthz === 200) return "starting";
  return "unavailable";
}
