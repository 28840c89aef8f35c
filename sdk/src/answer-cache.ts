import type { Answer, Outgoing } from "./transport.ts";

/** Caches responses by ETag, so that unchanged ones are not sent again. */
export type AnswerCache = {
  /** Makes a GET conditional if its response is cached. The returned function fills in the body of a 304. */
  ask(outgoing: Outgoing): (answer: Answer) => Answer;
};

/** A least-recently-used cache. Stores text, so that callers cannot modify a cached body. */
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
      // A caller that sends its own condition handles the 304 itself.
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
