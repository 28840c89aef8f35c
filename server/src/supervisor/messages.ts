/** Where the sandbox's process of the first worker listens. */
export type SandboxPlace = { socket_path: string | undefined; auth_url: string };

/** From the supervisor to a worker. The first one is `begin`. */
export type ToWorker =
  | { kind: "begin"; number: number; sandbox: SandboxPlace }
  /** The sandbox's process listens elsewhere now, or is down. */
  | { kind: "sandbox"; sandbox: SandboxPlace }
  /** Another worker asks for this one's metrics. */
  | { kind: "metrics_wanted"; question: number }
  /** The metrics of the other workers, by number. */
  | { kind: "metrics"; question: number; texts: Record<number, string> }
  | { kind: "stop" };

/** From a worker to the supervisor. */
export type FromWorker =
  /** It listens to the supervisor. */
  | { kind: "joined" }
  /** It serves. */
  | { kind: "ready" }
  | { kind: "sandbox"; sandbox: SandboxPlace }
  | { kind: "metrics_wanted"; question: number }
  | { kind: "metrics"; question: number; text: string };
