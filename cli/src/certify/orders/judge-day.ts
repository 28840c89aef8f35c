import type { CertifiedCheck, OrderCheck, OrderFinding } from "@pestle/contract";
import { orderCheckNames, orderChecks } from "@pestle/contract";
import type { Call, Day } from "./day.ts";
import { type SceneName, tokenScenes } from "./scenes.ts";

/** What is wrong; null if the check passed. */
type Judge = (day: Day) => OrderFinding | null;

/** The scenes in which the system must repeat the same request. */
const REPEATED: readonly SceneName[] = [
  ...(["lost_answer", "lost_request", "no_answer", "unavailable", "rate_limited", "gateway_page"] as const),
  ...tokenScenes,
];
/** A timer can fire, and an answer can arrive, some milliseconds early or late. */
const TOLERANCE_MS = 50;
const SHORTEST_PAUSE_MS = 100;
const ALL_PAUSES_MS = 500;
const MOST_TOKENS = 8;
const MOST_RENEWALS = 2;
const MOST_TRIES = { refused: 2, broken: 4 } as const;
const MOST_READS = 20;
const READ_WINDOW_MS = 10_000;

/** Judges the checks that the played scenes allow. A system that orders nothing is not judged further. */
export function judgeDay(day: Day): CertifiedCheck[] {
  const silent = day.orders.plain !== undefined && rules.orders_prescription.judge(day) === "not_ordered";
  return orderCheckNames.map((name) => {
    const { needs, judge } = rules[name];
    const played = needs.every((scene) => day.orders[scene] !== undefined);
    if (!played || (silent && name !== "orders_prescription")) return { name, result: "not_checked", finding: null };
    const code = judge(day);
    if (code === null) return { name, result: "passed", finding: null };
    return { name, result: "failed", finding: { code, status: null } };
  });
}

/** Whether the system is certified: each required check passed, and no other was left out. */
export const isCertified = (checks: readonly CertifiedCheck[]): boolean =>
  checks.every(
    ({ name, result }) => result === "passed" || (result === "failed" && !orderChecks[name as OrderCheck].required),
  );

/** The scenes that a check reads. */
export const scenesOfCheck = (name: OrderCheck): readonly SceneName[] => rules[name].needs;

const isOrder = ({ method, path, query }: Call) => method === "POST" && path === "/orders" && !/dry_run/.test(query);
const isToken = ({ method, path }: Call) => method === "POST" && path === "/oauth/token";
const ordersOf = ({ calls }: Day, ...scenes: readonly SceneName[]): Call[] =>
  calls.filter((call) => call.scene !== null && scenes.includes(call.scene) && isOrder(call));

const once =
  (...scenes: readonly SceneName[]): Judge =>
  ({ orders }) => {
    const counts = scenes.map((scene) => orders[scene] ?? 0);
    if (counts.includes(0)) return "not_ordered";
    return counts.some((count) => count > 1) ? "ordered_twice" : null;
  };

const firstOf =
  (...judges: readonly Judge[]): Judge =>
  (day) => {
    for (const judge of judges) {
      const found = judge(day);
      if (found !== null) return found;
    }
    return null;
  };

/** The system asked again after the try whose outcome it could not know. */
const noticed =
  (scene: SceneName): Judge =>
  (day) => {
    const [first] = ordersOf(day, scene);
    const later = day.calls.some((call) => call.scene === scene && first !== undefined && call.at_ms > first.at_ms);
    return later ? null : "not_noticed";
  };

const pausesOf = (calls: readonly Call[]): number[] =>
  calls.slice(1).map(({ at_ms }, index) => at_ms - calls[index]!.at_ms);

const waits =
  (scene: SceneName): Judge =>
  (day) => {
    const [pause] = pausesOf(ordersOf(day, scene));
    return pause !== undefined && pause < day.retry_after_s * 1000 - TOLERANCE_MS ? "too_early" : null;
  };

const backsOff: Judge = (day) => {
  const pauses = pausesOf(ordersOf(day, "gateway_page"));
  if (pauses.length === 0) return null;
  const all = pauses.reduce((sum, pause) => sum + pause, 0);
  const short = pauses.some((pause) => pause < SHORTEST_PAUSE_MS - TOLERANCE_MS / 2);
  return short || (pauses.length >= 3 && all < ALL_PAUSES_MS - TOLERANCE_MS) ? "no_pause" : null;
};

/** The order of fields makes no difference to the service. */
function sameBody(a: string, b: string): boolean {
  try {
    return sorted(a) === sorted(b);
  } catch {
    return a === b;
  }
}
const sorted = (text: string): string =>
  JSON.stringify(JSON.parse(text), (_name, value: unknown) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );

const repeatsWithKey: Judge = (day) =>
  REPEATED.some((scene) => {
    const [first, ...repeats] = ordersOf(day, scene);
    return first !== undefined && repeats.some(({ key, body }) => key !== first.key || !sameBody(body, first.body));
  })
    ? "other_key"
    : null;

const ownKeyForEach: Judge = ({ calls }) => {
  const scenes = new Map<string, SceneName | null>();
  for (const { key, scene } of calls.filter(isOrder)) {
    if (key === null) continue;
    if (scenes.has(key) && scenes.get(key) !== scene) return "key_reused";
    scenes.set(key, scene);
  }
  return null;
};

const tokensIn = ({ calls, token_part }: Day): Call[] =>
  token_part === null
    ? []
    : calls.filter((call) => isToken(call) && call.at_ms >= token_part.from_ms && call.at_ms <= token_part.to_ms);

const askedAgain: Judge = (day) => {
  const asked = tokensIn(day);
  const refused = asked.findIndex(({ status }) => status === 503);
  return refused >= 0 && !asked.slice(refused + 1).some(({ status }) => status === 200) ? "not_asked_again" : null;
};

const polls: Judge = ({ calls }) => {
  const reads = new Map<string, number[]>();
  for (const { method, path, query, at_ms } of calls) {
    if (method !== "GET") continue;
    const address = `${path}?${query}`;
    const times = reads.get(address) ?? [];
    reads.set(address, [...times, at_ms]);
    const first_ms = times.at(-MOST_READS);
    if (first_ms !== undefined && at_ms - first_ms < READ_WINDOW_MS) return "polled";
  }
  return null;
};

const stopsAfter =
  (scene: keyof typeof MOST_TRIES): Judge =>
  (day) =>
    ordersOf(day, scene).length > MOST_TRIES[scene] ? "sent_too_often" : null;

const endsHold =
  (scene: SceneName): Judge =>
  (day) => {
    if ((day.orders[scene] ?? 0) === 0) return "not_ordered";
    return day.ended_holds.has(scene) ? null : "still_held";
  };

/** `needs`: without these scenes the check says nothing. */
const rules: Readonly<Record<OrderCheck, { needs: readonly SceneName[]; judge: Judge }>> = {
  orders_prescription: { needs: ["plain"], judge: once("plain") },
  sends_key: {
    needs: [],
    judge: ({ calls }) => (calls.some((one) => isOrder(one) && one.key === null) ? "no_key" : null),
  },
  own_key_for_each: { needs: [], judge: ownKeyForEach },
  repeats_with_key: { needs: [], judge: repeatsWithKey },
  lost_answer: { needs: ["lost_answer"], judge: firstOf(once("lost_answer"), noticed("lost_answer")) },
  lost_request: { needs: ["lost_request"], judge: once("lost_request") },
  no_answer: { needs: ["no_answer"], judge: once("no_answer") },
  unavailable: { needs: ["unavailable"], judge: once("unavailable") },
  waits_after_503: { needs: ["unavailable"], judge: waits("unavailable") },
  rate_limited: { needs: ["rate_limited"], judge: once("rate_limited") },
  waits_after_429: { needs: ["rate_limited"], judge: waits("rate_limited") },
  gateway_page: { needs: ["gateway_page"], judge: once("gateway_page") },
  backs_off: { needs: ["gateway_page"], judge: backsOff },
  in_progress: { needs: ["in_progress"], judge: firstOf(once("in_progress"), noticed("in_progress")) },
  already_ordered: { needs: ["already_ordered"], judge: once("already_ordered") },
  renews_token: { needs: tokenScenes, judge: once(...tokenScenes) },
  renews_once: {
    needs: tokenScenes,
    judge: (day) => {
      const renewed = tokensIn(day).filter(({ status }) => status === 200);
      return renewed.length > MOST_RENEWALS ? "renewed_too_often" : null;
    },
  },
  token_server_down: { needs: tokenScenes, judge: askedAgain },
  keeps_token: {
    needs: [],
    judge: ({ calls }) => (calls.filter(isToken).length > MOST_TOKENS ? "too_many_tokens" : null),
  },
  stops_after_422: { needs: ["refused"], judge: stopsAfter("refused") },
  stops_after_500: { needs: ["broken"], judge: stopsAfter("broken") },
  email_hold: { needs: ["email_hold"], judge: endsHold("email_hold") },
  address_hold: { needs: ["address_hold"], judge: endsHold("address_hold") },
  declined_card: { needs: ["declined_card"], judge: endsHold("declined_card") },
  back_order: { needs: ["back_order"], judge: once("back_order") },
  canceled_by_pharmacy: { needs: ["canceled"], judge: once("canceled") },
  no_polling: { needs: [], judge: polls },
  no_credentials_in_urls: {
    needs: [],
    judge: ({ calls }) => (calls.some(({ exposed }) => exposed) ? "credential_in_url" : null),
  },
};
