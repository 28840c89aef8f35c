import {
  type Environment,
  type PortalApi,
  portalDraws,
  type QuotaDraw,
  type QuotaName,
  quotaDraws,
  quotaNames,
  quotas,
  type ShownQuota,
  type SimulationType,
  simulationDraws,
} from "@pestle/contract";

/** What an account uses of each quota. */
export type QuotaState = Readonly<Record<QuotaName, { used: number; most: number }>>;
/** What a request adds to each quota. */
export type Drawn = Readonly<Partial<Record<QuotaName, number>>>;

/** The rows and events that a write stores beside what the caller sent. */
const BYTES_PER_WRITE = 4 * 1024;

export const stateOf = (
  given: (name: QuotaName) => { used: number; most?: number | null; environment: Environment },
): QuotaState =>
  Object.fromEntries(
    quotaNames.map((name) => {
      const { used, most, environment } = given(name);
      return [name, { used, most: most ?? quotas[name][environment] }];
    }),
  ) as QuotaState;

/** What a request of the partner API adds; undefined if it stores nothing that a quota counts. */
export function drawnBy(
  operation: string,
  environment: Environment,
  body: Readonly<Record<string, unknown>>,
  bytes: number,
): Drawn | undefined {
  if (operation === "simulate") return drawnBySimulation(body, bytes);
  if (!Object.hasOwn(quotaDraws, operation)) return undefined;
  return amounts(quotaDraws[operation as keyof typeof quotaDraws], environment, bytes);
}

/** The same for a request of the portal. */
export function drawnInPortal(
  route: string,
  environment: Environment,
  body: Readonly<Record<string, unknown>>,
  bytes: number,
): Drawn | undefined {
  const operation = portalDraws[route as keyof PortalApi];
  if (operation === undefined) return undefined;
  if (operation !== "simulate prescription") return drawnBy(operation, environment, body, bytes);
  return drawnBySimulation({ ...body, simulation_type: "prescription" }, bytes);
}

function drawnBySimulation(body: Readonly<Record<string, unknown>>, bytes: number): Drawn | undefined {
  const { simulation_type: type, simulation } = body;
  if (typeof type !== "string" || !Object.hasOwn(simulationDraws, type)) return undefined;
  const drawn = amounts(simulationDraws[type as SimulationType], "sandbox", bytes);
  return namesPatient(simulation) ? { ...drawn, patients: 0 } : drawn;
}

/** A simulation that names its patient mostly means one that exists. The next count finds the others. */
function namesPatient(simulation: unknown): boolean {
  const { patient, patient_id, script } = (simulation ?? {}) as Record<string, unknown>;
  const named = (patient ?? {}) as Record<string, unknown>;
  return patient_id !== undefined || script !== undefined || named["patient_id"] !== undefined;
}

function amounts({ of, only_in, gives_back }: QuotaDraw, environment: Environment, bytes: number): Drawn | undefined {
  if (of.length === 0 || (only_in !== undefined && only_in !== environment)) return undefined;
  const amount = (name: QuotaName) => (name === "stored_bytes" ? bytes + BYTES_PER_WRITE : gives_back ? -1 : 1);
  return Object.fromEntries(of.map((name) => [name, amount(name)]));
}

/** The first quota that has no room. The registration of an endpoint counts the endpoints itself, exactly. */
export const exhaustedBy = (drawn: Drawn, state: QuotaState): QuotaName | undefined =>
  quotaNames.find(
    (name) =>
      name !== "webhook_endpoints" && (drawn[name] ?? 0) > 0 && state[name].used + drawn[name]! > state[name].most,
  );

export const shownQuotas = (state: QuotaState): ShownQuota[] =>
  quotaNames.map((quota) => ({ quota, counts: quotas[quota].counts, ...state[quota] }));

/** In the form of the RateLimit headers: the limit of each quota that the request counts against, and the rest. */
export function quotaHeaders(drawn: Drawn, state: QuotaState): Record<string, string> {
  const names = quotaNames.filter((name) => drawn[name] !== undefined && drawn[name] !== 0);
  const left = (name: QuotaName) => Math.max(0, state[name].most - state[name].used);
  return {
    "quota-policy": names.map((name) => `"${name}";q=${state[name].most}`).join(", "),
    quota: names.map((name) => `"${name}";r=${left(name)}`).join(", "),
  };
}
