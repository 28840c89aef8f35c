import { connect } from "node:net";

/** What came back, byte for byte: no client library stands between the test and the wire. */
export type RawAnswer = {
  status: number;
  /** By lower-case name; a header that was sent twice has two values. */
  headers: Map<string, string[]>;
  body: Buffer;
};
export type Exchange = {
  answers: RawAnswer[];
  /** Statuses of the 1xx answers on the way. */
  interim: number[];
  /** Bytes after the last whole answer. */
  rest: Buffer;
  /** Whether the server ended the connection before the client did. */
  closed: boolean;
};

export type ExchangeOptions = {
  /** How many answers to wait for; with `"closed"` until the server ends the connection. */
  until?: number | "closed";
  /** Answers to HEAD announce a length and carry no body. */
  head?: boolean;
  /** No exchange may take longer: a hang is a failure, not a slow test. */
  deadline_ms?: number;
};

const DEADLINE_MS = 5_000;

/** Sends bytes over a connection of its own and reads what comes back, until the deadline at most. */
export function exchange(
  url: string,
  bytes: string | Buffer | readonly (string | Buffer)[],
  { until = 1, head = false, deadline_ms = DEADLINE_MS }: ExchangeOptions = {},
): Promise<Exchange> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let received: Buffer = Buffer.alloc(0);
    const read = (closed: boolean) => ({ ...readAnswers(received, head), closed });
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no end within ${deadline_ms} ms; received: ${received.toString("latin1").slice(0, 300)}`));
    }, deadline_ms);
    const finish = (closed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(read(closed));
    };
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (until !== "closed" && read(false).answers.length >= until) finish(false);
    });
    socket.on("end", () => finish(true));
    // A server that answers and closes while the client still writes causes a reset; what arrived before it counts.
    socket.on("error", () => finish(true));
    for (const part of typeof bytes === "string" || Buffer.isBuffer(bytes) ? [bytes] : bytes) {
      socket.write(typeof part === "string" ? Buffer.from(part, "latin1") : part);
    }
  });
}

/** A request as bytes, with nothing added to what is given. Strings of the head are Latin-1, those of the body UTF-8. */
export function requestBytes(line: string, headers: readonly string[], body: string | Buffer = ""): Buffer {
  return Buffer.concat([
    Buffer.from(`${[line, ...headers].join("\r\n")}\r\n\r\n`, "latin1"),
    typeof body === "string" ? Buffer.from(body) : body,
  ]);
}

function readAnswers(received: Buffer, head: boolean): Omit<Exchange, "closed"> {
  const answers: RawAnswer[] = [];
  const interim: number[] = [];
  let rest = received;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) break;
    const [line = "", ...lines] = rest.subarray(0, end).toString("latin1").split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]);
    if (Number.isNaN(status)) break;
    const headers = new Map<string, string[]>();
    for (const header of lines) {
      const name = header.slice(0, header.indexOf(":")).toLowerCase();
      headers.set(name, [...(headers.get(name) ?? []), header.slice(name.length + 1).trim()]);
    }
    const bodiless = head || status < 200 || status === 204 || status === 304;
    const length = bodiless ? 0 : Number(headers.get("content-length")?.[0] ?? 0);
    if (rest.length < end + 4 + length) break;
    const body = rest.subarray(end + 4, end + 4 + length);
    rest = rest.subarray(end + 4 + length);
    if (status < 200) interim.push(status);
    else answers.push({ status, headers, body });
  }
  return { answers, interim, rest };
}
