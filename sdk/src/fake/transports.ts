/** One request and its answer, as text. It holds no credentials: tokens and secrets are left out. */
export type Exchange = {
  readonly method: string;
  readonly url: string;
  readonly body: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly answer: string;
};

/** The headers that a client reads. */
const KEPT_HEADERS = ["content-type", "etag", "retry-after", "idempotent-replayed", "x-request-id", "link"];

/** A transport that records each exchange while it passes through, for `replayTransport`. */
export function recordTransport(fetch: typeof globalThis.fetch = globalThis.fetch): {
  fetch: typeof globalThis.fetch;
  exchanges: Exchange[];
} {
  const exchanges: Exchange[] = [];
  return {
    exchanges,
    async fetch(input, init) {
      const request = new Request(input, init);
      const body = await request.clone().text();
      const response = await fetch(request);
      const answer = await response.text();
      const headers = Object.fromEntries([...response.headers].filter(([name]) => KEPT_HEADERS.includes(name)));
      const { method, url } = request;
      exchanges.push({ method, url, ...withoutSecrets(url, body, answer), status: response.status, headers });
      return new Response(answer === "" ? null : answer, { status: response.status, headers: response.headers });
    },
  };
}

/** The token server's requests and answers are credentials. */
function withoutSecrets(url: string, body: string, answer: string): { body: string; answer: string } {
  if (!url.endsWith("/oauth/token")) return { body, answer };
  return { body: "", answer: '{"access_token":"recorded","token_type":"Bearer","expires_in":3600,"scope":"partners"}' };
}

/**
 * A transport that answers from a recording: each request gets the answer of the first unused exchange with its method,
 * path, query and body, or 501 if there is none. Tokens can be repeated.
 */
export function replayTransport(exchanges: readonly Exchange[]): {
  fetch: typeof globalThis.fetch;
  /** The exchanges that no request has used yet. */
  unused(): Exchange[];
} {
  const left = [...exchanges];
  return {
    unused: () => left.filter(({ url }) => !url.endsWith("/oauth/token")),
    async fetch(input, init) {
      const request = new Request(input, init);
      const body = await request.text();
      const isToken = request.url.endsWith("/oauth/token");
      const index = left.findIndex(
        (one) =>
          one.method === request.method && pathOf(one.url) === pathOf(request.url) && (isToken || one.body === body),
      );
      const found = left[index];
      if (found === undefined) {
        const message = `The recording has no unused answer to ${request.method} ${pathOf(request.url)} with this body.`;
        // An error would look like a broken connection, and the client would try again.
        return Response.json({ error: { error_code: 501, message } }, { status: 501 });
      }
      if (!isToken) left.splice(index, 1);
      const { status, headers, answer } = found;
      return new Response(answer === "" ? null : answer, { status, headers });
    },
  };
}

/** The recording may come from another host. */
const pathOf = (url: string): string => url.replace(/^\w+:\/\/[^/]+/, "");
