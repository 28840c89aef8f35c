import type { Answer, Outgoing } from "./transport.ts";

/** Keeps answers by their ETag, so that what has not changed is not sent again. */
export type AnswerCache = {
  /** Makes a GET conditional if its answer is kept. What it returns completes the answer that comes. */
  ask(outgoing: Outgoing): (answer: Answer) => Answer;
};

/** The answers that were used longest ago are forgotten first. Kept as text: whoever changes a body changes his own. */
export function createAnswerCache(most: number): AnswerCache {
  const kept = new Map<string, { etag: string; text: string }>();
  const keep = (url: string, etag: string, text: string) => {
    kept.delete(url);
    kept.set(url, { etag, text });
    for (const oldest of kept.keys()) {
      if (kept.size <= most) break;
      kept.delete(oldest);
    }
  };
  return {
    ask({ method, url: { href }, headers }) {
      // Whoever sends a condition wants to see its answer.
      if (method !== "GET" || most <= 0 || headers.has("if-none-match")) return (answer) => answer;
      const known = kept.get(href);
      if (known !== undefined) headers.set("if-none-match", known.etag);
      return (answer) => {
        if (answer.status === 304 && known !== undefined) {
          keep(href, known.etag, known.text);
          return { ...answer, body: JSON.parse(known.text) };
        }
        const etag = answer.headers.get("etag");
        if (answer.status === 200 && etag !== null) keep(href, etag, JSON.stringify(answer.body));
        return answer;
      };
    },
  };
}
