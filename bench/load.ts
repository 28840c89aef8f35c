import { connect } from "node:net";
import { performance } from "node:perf_hooks";

/**
 * Requests in their final bytes, sent in turn over keep-alive connections, one at a time on each. If `numbered` is
 * set, its placeholder in a request becomes a running number with as many digits.
 */
export type Load = {
  url: string;
  /** The same service at other addresses. The connections alternate. */
  others?: string[];
  requests: string[];
  connections: number;
  duration_ms: number;
  /** Continues until this many have an answer, regardless of the time. */
  at_least?: number;
  numbered?: { mark: string; first: number };
  /** The status that every answer must have; 200 by default. */
  status?: number;
  /** Requests due each second, regardless of earlier answers. Without it, each connection sends as fast as it can. */
  due_per_second?: number;
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
 * Generates load in its own process that does little more than write and count, because a general HTTP client would
 * measure itself. Started with fork: a message is a load, and the answer is the measurement.
 */
process.on("message", (load: Load) => {
  measure(load).then(
    (measured) => process.send?.({ measured }),
    (error: Error) => process.send?.({ failed: error.message }),
  );
});

async function measure(load: Load): Promise<Measured> {
  const {
    url,
    others = [],
    requests,
    connections,
    duration_ms,
    at_least = 0,
    numbered,
    status = 200,
    due_per_second,
  } = load;
  const addresses = [url, ...others].map((one) => new URL(one));
  const templates = requests.map((text) => templateOf(text, numbered?.mark));
  const latencies_ms: number[] = [];
  const not_ok = new Set<string>();
  let next = 0;
  const begin_ms = performance.now();
  const begin_cpu = process.cpuUsage();
  const end_ms = begin_ms + duration_ms;
  const dueAt = (number: number) =>
    due_per_second === undefined ? performance.now() : begin_ms + (number * 1000) / due_per_second;

  const drive = (_: unknown, nth: number) =>
    new Promise<void>((resolve, reject) => {
      const { hostname, port } = addresses[nth % addresses.length]!;
      const socket = connect(Number(port), hostname);
      socket.setNoDelay(true);
      // Measured from the due time: a request that waited for a free connection was slow for its caller.
      let due_ms = 0;
      let received: Buffer = Buffer.alloc(0);
      const send = () => {
        due_ms = dueAt(next);
        if (due_ms >= end_ms && next >= at_least) {
          socket.end();
          return resolve();
        }
        const number = next++;
        const wait_ms = due_ms - performance.now();
        if (wait_ms > 0) setTimeout(write, wait_ms, number);
        else write(number);
      };
      const write = (number: number) => {
        const template = templates[number % templates.length]!;
        socket.write(numbered === undefined ? template.bytes : withNumber(template, numbered.first + number));
      };
      socket.on("connect", send);
      socket.on("error", reject);
      socket.on("close", () => reject(new Error("the server closed a connection")));
      socket.on("data", (chunk) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const length = answerLength(received);
        if (length === undefined || received.length < length) return;
        latencies_ms.push(performance.now() - due_ms);
        const answered = received.toString("latin1", 9, 12);
        if (answered !== String(status)) not_ok.add(answered);
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

/** A new copy each time, because the socket may still be sending the previous one. */
function withNumber({ bytes, places, width }: Template, number: number): Buffer {
  const request = Buffer.from(bytes);
  const digits = String(number).padStart(width, "0");
  for (const place of places) request.write(digits, place, "latin1");
  return request;
}

/** Bytes of the first answer, once its head is complete. */
function answerLength(received: Buffer): number | undefined {
  const head_end = received.indexOf("\r\n\r\n");
  if (head_end < 0) return undefined;
  const head = received.toString("latin1", 0, head_end);
  if (head.startsWith("304", 9)) return head_end + 4;
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
  if (length === undefined) throw new Error("an answer without content-length");
  return head_end + 4 + Number(length);
}
