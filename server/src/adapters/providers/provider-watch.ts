import type { ProviderName } from "@pestle/contract";

/** One call of a provider, without bodies and names of people. */
type Exchange = {
  exchange_id: string;
  provider: ProviderName;
  /** Such as `authorize payment`. */
  what: string;
  /** The order that the call is about; undefined for others. */
  about?: { account_id: string; order_number: string } | undefined;
  at: Date;
  /** Null without an answer. */
  status: number | null;
  duration_ms: number;
  tries: number;
  /** The provider's own code, or the kind of failure on the way to it. */
  error_code: string | null;
  /** The provider's id of the request, for its support. */
  provider_request_id: string | null;
};

export type BreakerState = "closed" | "open" | "half_open";
type ProviderState = {
  requests: number;
  failures: number;
  last_success_at: Date | null;
  last_failure: { at: Date; what: string; error_code: string | null } | null;
  breaker: BreakerState;
};

/**
 * What the calls of providers report to. Keeps the figures of this process, and buffers exchanges about orders until a job
 * writes them. If the buffer is full because the database is down, new exchanges are dropped, so that memory stays bounded.
 */
export type ProviderWatch = {
  observe(exchange: Exchange, answered: boolean): void;
  setBreaker(provider: ProviderName, state: BreakerState): void;
  stateOf(provider: ProviderName): ProviderState;
  /** The oldest buffered exchanges about orders; they stay until `remove`. */
  oldest(most: number): Exchange[];
  remove(count: number): void;
};

type Meter = {
  observeProvider(provider: string, what: string, outcome: "answered" | "failed", seconds: number): void;
  setBreaker(provider: string, open: boolean): void;
};

const MOST_WAITING = 5_000;
const NONE: ProviderState = { requests: 0, failures: 0, last_success_at: null, last_failure: null, breaker: "closed" };

export function createProviderWatch(meter: Meter): ProviderWatch {
  // Keyed by our own table of providers, so it cannot grow.
  const states = new Map<ProviderName, ProviderState>();
  let waiting: Exchange[] = [];
  const stateOf = (provider: ProviderName) => states.get(provider) ?? NONE;
  return {
    observe(exchange, answered) {
      const { provider, what, at, error_code, duration_ms } = exchange;
      const state = stateOf(provider);
      states.set(provider, {
        ...state,
        requests: state.requests + 1,
        ...(answered
          ? { last_success_at: at }
          : { failures: state.failures + 1, last_failure: { at, what, error_code } }),
      });
      meter.observeProvider(provider, what, answered ? "answered" : "failed", duration_ms / 1000);
      if (exchange.about !== undefined && waiting.length < MOST_WAITING) waiting.push(exchange);
    },
    setBreaker(provider, breaker) {
      states.set(provider, { ...stateOf(provider), breaker });
      meter.setBreaker(provider, breaker === "open");
    },
    stateOf,
    oldest: (most) => waiting.slice(0, most),
    remove(count) {
      waiting = waiting.slice(count);
    },
  };
}
