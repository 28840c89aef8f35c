import type { ExceptionId } from "@pestle/contract";

/**
 * What certify does with one try of POST /orders:
 * - `drop_before`, `drop_after`: the connection breaks before or after the sandbox has the order.
 * - `silence`: no answer.
 * - `unavailable`, `rate_limited`: 503 and 429 with Retry-After. `gateway_page`: 503 with HTML.
 * - `in_progress`: the sandbox has the order, and the answer is 409 without its number.
 * - `ordered_before`: certify has placed the same order with another key, so the sandbox answers 409.
 * - `refused`, `broken`: 422 and 500.
 */
export type Fault =
  | "drop_before"
  | "drop_after"
  | "silence"
  | "unavailable"
  | "rate_limited"
  | "gateway_page"
  | "in_progress"
  | "ordered_before"
  | "refused"
  | "broken";

type Scene = {
  /** The scenes of a part happen at the same time, and the parts one after the other. */
  readonly part: 1 | 2 | 3;
  /** The tries of POST /orders that certify plays, in this order. The next ones reach the sandbox. */
  readonly faults?: readonly Fault[];
  /** Every try gets it. */
  readonly always?: Fault;
  /** What the prescription says about the patient. */
  readonly patient?: object;
  /** The order gets this exception, from its cause or by simulation. */
  readonly hold?: ExceptionId;
  /** The hold counts as answered once the system has ended it. */
  readonly must_end?: true;
  /** The pharmacy cancels the order. */
  readonly canceled?: true;
};

/** The prescriptions of the day, and what happens to the order of each. */
export const scenes = {
  plain: { part: 1 },
  lost_answer: { part: 1, faults: ["drop_after"] },
  lost_request: { part: 1, faults: ["drop_before"] },
  no_answer: { part: 1, faults: ["silence"] },
  unavailable: { part: 1, faults: ["unavailable"] },
  rate_limited: { part: 1, faults: ["rate_limited"] },
  gateway_page: { part: 1, faults: ["gateway_page", "gateway_page", "gateway_page"] },
  in_progress: { part: 1, faults: ["in_progress"] },
  already_ordered: { part: 1, faults: ["ordered_before"] },
  refused: { part: 1, always: "refused" },
  broken: { part: 1, always: "broken" },
  token_one: { part: 2 },
  token_two: { part: 2 },
  token_three: { part: 2 },
  token_four: { part: 2 },
  email_hold: { part: 3, patient: { email: null }, hold: 65, must_end: true },
  address_hold: { part: 3, patient: { address: { street1: "77 Larch St" } }, hold: 77, must_end: true },
  declined_card: { part: 3, hold: 80, must_end: true },
  back_order: { part: 3, hold: 76 },
  canceled: { part: 3, canceled: true },
} as const satisfies Record<string, Scene>;

export type SceneName = keyof typeof scenes;
export const sceneNames = Object.keys(scenes) as SceneName[];
export const sceneOf = (name: SceneName): Scene => scenes[name];
/** The access token ends when this part begins. */
export const TOKEN_PART = 2;
export const tokenScenes = sceneNames.filter((name) => sceneOf(name).part === TOKEN_PART);
