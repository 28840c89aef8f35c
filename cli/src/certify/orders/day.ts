import type { SceneName } from "./scenes.ts";

/** A request of the partner's system, as certify saw it. */
export type Call = {
  at_ms: number;
  /** Null if it is about no prescription of the day. */
  scene: SceneName | null;
  method: string;
  /** Without the query and without `/v1`. */
  path: string;
  query: string;
  key: string | null;
  body: string;
  /** Whether the path or the query contains a credential. */
  exposed: boolean;
  /** What the system got. Null if the connection broke, or nothing has come yet. */
  status: number | null;
  /** Whether certify decided the answer, so that the request says nothing about the sandbox. */
  played: boolean;
};

/** Everything that the judgement reads. */
export type Day = {
  calls: readonly Call[];
  /** How many orders each patient has at the end. Undefined for a scene that was not played. */
  orders: Readonly<Partial<Record<SceneName, number>>>;
  /** The scenes whose hold the system has ended. */
  ended_holds: ReadonlySet<SceneName>;
  /** When the access token ended, and when the part about it was over. */
  token_part: { from_ms: number; to_ms: number } | null;
  /** The `Retry-After` that certify sent. */
  retry_after_s: number;
};
