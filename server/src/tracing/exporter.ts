import { request as ask, type ClientRequest } from "node:http";
import { request as askSecurely } from "node:https";
import { otlpBody } from "./otlp.ts";
import type { EndedSpan } from "./tracer.ts";

const SEND_EVERY_MS = 5_000;
/** About 2 MiB. While the collector is down, newer spans are dropped. */
const MOST_WAITING = 4_096;
const BATCH = 512;
const ANSWER_WITHIN_MS = 10_000;
/** A collector that does not answer must not delay the end of the process. */
const LAST_WITHIN_MS = 2_000;
/** Overloaded or restarting. Any other refusal would refuse the same spans again. */
const AGAIN = new Set([429, 502, 503, 504]);

type Report = {
  /** Spans that were not sent. */
  onDropped: (count: number) => void;
  onTrouble: (fault: string) => void;
};

/** Sends spans in batches to a collector, over OTLP/HTTP with JSON. Nothing waits for it. */
export function otlpExporter(
  to: { url: string; headers: Readonly<Record<string, string>> },
  about: { resource: Readonly<Record<string, string>>; version: string },
  { onDropped, onTrouble }: Report,
) {
  const waiting: EndedSpan[] = [];
  let sending: Promise<void> | undefined;
  let open: ClientRequest | undefined;
  let timer: NodeJS.Timeout | undefined;

  function add(span: EndedSpan): void {
    if (waiting.length >= MOST_WAITING) {
      onDropped(1);
      return;
    }
    waiting.push(span);
    if (waiting.length >= BATCH) void send();
    else timer ??= setTimeout(send, SEND_EVERY_MS).unref();
  }

  function send(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    sending ??= sendOne().finally(() => {
      sending = undefined;
      if (waiting.length > 0) timer ??= setTimeout(send, SEND_EVERY_MS).unref();
    });
    return sending;
  }

  /** Sends batches until one fails or no full one is left. */
  async function sendOne(): Promise<void> {
    do {
      const batch = waiting.splice(0, BATCH);
      if (batch.length === 0) return;
      const fault = await post(to, otlpBody(about.resource, about.version, batch), (request) => {
        open = request;
      });
      if (fault === undefined) continue;
      onTrouble(fault.says);
      const room = fault.again ? Math.max(0, MOST_WAITING - waiting.length) : 0;
      waiting.unshift(...batch.slice(0, room));
      if (batch.length > room) onDropped(batch.length - room);
      return;
    } while (waiting.length >= BATCH);
  }

  return {
    add,
    async close(): Promise<void> {
      let late = false;
      const ends = setTimeout(() => {
        late = true;
        open?.destroy();
      }, LAST_WITHIN_MS);
      await sending;
      if (!late) await send();
      clearTimeout(ends);
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

/** Resolves with what went wrong, if anything did. */
function post(
  { url, headers }: { url: string; headers: Readonly<Record<string, string>> },
  body: string,
  onSent: (request: ClientRequest) => void,
): Promise<{ says: string; again: boolean } | undefined> {
  return new Promise((resolve) => {
    const given = { ...headers, "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const send = url.startsWith("https:") ? askSecurely : ask;
    const sent = send(url, { method: "POST", headers: given, timeout: ANSWER_WITHIN_MS }, (answer) => {
      const { statusCode = 0 } = answer;
      answer.resume().on("error", () => {});
      resolve(
        statusCode < 300 ? undefined : { says: `the collector answers ${statusCode}`, again: AGAIN.has(statusCode) },
      );
    });
    onSent(sent);
    sent.on("timeout", () => sent.destroy());
    sent.on("error", (error: NodeJS.ErrnoException) =>
      resolve({ says: `the collector is out of reach (${error.code ?? "no answer"})`, again: true }),
    );
    sent.end(body);
  });
}
