import { liveSession } from "../../usecases/accounts/sign-in.ts";
import type { HomeListener } from "../../usecases/operations/watch-home.ts";
import { askedEnvironment, queryOf } from "../dashboard-route.ts";
import type { WebHandler } from "../web-api.ts";

/** Sends something at least this often, so that no proxy closes the connection as idle. */
const BEAT_MS = 15_000;
const SESSION_CHECK_MS = 15_000;
/** Skips updates while this much is unread. A slow reader gets the current state once it has caught up. */
const MOST_UNREAD_BYTES = 64 * 1024;

/** Server-sent events: the home page, at once and after each change. */
export const streamHome: WebHandler<"GET /dashboard/stream"> = async (deps, call) => {
  const { person, reply } = call;
  const environment = askedEnvironment(queryOf(call, "environment"));
  const { raw } = reply;
  // Proxies must not cache or buffer the stream.
  reply.headers({ "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" });
  reply.header("x-accel-buffering", "no");
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  reply.hijack();
  raw.flushHeaders();

  const opened_ms = deps.now().getTime();
  let [told, beat_ms, checked_ms] = ["", opened_ms, opened_ms];
  const say = (text: string) => {
    if (raw.writableLength > MOST_UNREAD_BYTES) return false;
    raw.write(text);
    beat_ms = deps.now().getTime();
    return true;
  };
  // The stream ends with its session, and does not extend it.
  const check = async () => {
    const session = await liveSession(deps, person.session_hash, false).catch(() => person);
    if (session !== undefined || raw.writableEnded) return;
    raw.end("event: signed_out\ndata: {}\n\n");
    stop();
  };
  const listener: HomeListener = {
    tell(homeOf) {
      const now_ms = deps.now().getTime();
      const data = JSON.stringify(homeOf(environment, person.person_id));
      if (data !== told && say(`event: home\ndata: ${data}\n\n`)) told = data;
      else if (now_ms - beat_ms > BEAT_MS) say(": still here\n\n");
      if (now_ms - checked_ms <= SESSION_CHECK_MS) return;
      checked_ms = now_ms;
      void check();
    },
    end: () => void raw.end(),
  };
  // A client that disconnected during the session lookup emits no further `close` event.
  if (raw.destroyed) return undefined;
  const stop = deps.home_watch.listen(listener);
  raw.on("close", stop);
  raw.on("error", stop);
  return undefined;
};
