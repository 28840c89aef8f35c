import { connect } from "node:net";
import { performance } from "node:perf_hooks";

/**
 * Requests in their final bytes, sent in turn over keep-alive connections, one at a time on each. Where
 * `numbered` is given, its mark in a request becomes a running number of as many digits.
 */
export type Load = {
  url: string;
  requests: string[];
  connections: number;
  duration_ms: number;
  /** Goes on until as many were answered, however long that takes. */
  at_least?: number;
  numbered?: { mark: string; first: number };
};
export type Measured = {
  count: number;
  per_second: number;
  p50_ms: number;
  p99_ms: number;
  not_ok: string[];
  cpu: number;
};

/**
 * The load comes from a process of its own that does little more than write and count: with a general HTTP client the
 * client would be measured. Started with fork; a message is a load, the answer is what was measured.
 */
process.on("message", (load: Load) => {
  measure(load).then(
    (measured) => process.send?.({ measured }),
    (error: Error) => process.send?.({ failed: error.message }),
  );
});

async function measure(load: Load): Promise<Measured> {
  const { url, requests, connections, duration_ms, at_least = 0, numbered } = load;
  const { hostname, port } = new URL(url);
  const templates = requests.map((text) => templateOf(text, numbered?.mark));
  const latencies_ms: number[] = [];
  const not_ok = new Set<string>();
  let next = 0;
  const begin_ms = performance.now();
  const begin_cpu = process.cpuUsage();
  const end_ms = begin_ms + duration_ms;

  const drive = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      socket.setNoDelay(true);
      let sent_ms = 0;
      let received: Buffer = Buffer.alloc(0);
      const send = () => {
        sent_ms = performance.now();
        if (sent_ms >= end_ms && next >= at_least) {
          socket.end();
          return resolve();
        }
        const template = templates[next % templates.length]!;
        socket.write(numbered === undefined ? template.bytes : withNumber(template, numbered.first + next));
        next++;
      };
      socket.on("connect", send);
      socket.on("error", reject);
      socket.on("close", () => reject(new Error("the server closed a connection")));
      socket.on("data", (chunk) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const length = answerLength(received);
        if (length === undefined || received.length < length) return;
        latencies_ms.push(performance.now() - sent_ms);
        const status = received.toString("latin1", 9, 12);
        if (status !== "200") not_ok.add(status);
        received = received.subarray(length);
        send();
      });
    });

  await Promise.all(Array.from({ length: connections }, drive));
  const took_s = (performance.now() - begin_ms) / 1000;
  const { user, system } = process.cpuUsage(begin_cpu);
  latencies_ms.sort((a, b) => a - b);
  const at = (part: number) => latencies_ms[Math.floor(latencies_ms.length * part)] ?? 0;
  const count = latencies_ms.length;
  return {
    count,
    per_second: count / took_s,
    p50_ms: at(0.5),
    p99_ms: at(0.99),
    not_ok: [...not_ok],
    cpu: (user + system) / 1e6 / took_s,
  };
}

type Template = { bytes: Buffer; places: number[]; width: number };

function templateOf(text: string, mark: string | undefined): Template {
  const places = mark === undefined ? [] : [...text.matchAll(new RegExp(mark, "g"))].map(({ index }) => index);
  return { bytes: Buffer.from(text, "latin1"), places, width: mark?.length ?? 0 };
}

/** A copy each time: what was written before may still be on its way. */
function withNumber({ bytes, places, width }: Template, number: number): Buffer {
  const request = Buffer.from(bytes);
  const digits = String(number).padStart(width, "0");
  for (const place of places) request.write(digits, place, "latin1");
  return request;
}

/** Bytes of the first answer, when its head is complete. */
function answerLength(received: Buffer): number | undefined {
  const head_end = received.indexOf("\r\n\r\n");
  if (head_end < 0) return undefined;
  const head = received.toString("latin1", 0, head_end);
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
  if (length === undefined) throw new Error("an answer without content-length");
  return head_end + 4 + Number(length);
}
