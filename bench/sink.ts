import { type AddressInfo, createServer } from "node:net";

/** Commands of a sink: reset the counts (and whether to record arrival times), or report the counts since then. */
export type SinkQuestion = { begin: { note_events: boolean } } | "tell";
export type SinkTally = {
  url: string;
  count: number;
  first_ms: number;
  last_ms: number;
  /** First arrival of each event, in milliseconds of Unix time. */
  events: [event_id: string, at_ms: number][];
};

/**
 * Accepts requests and answers 200, and does little more than count, because a web server would measure itself.
 * Started with fork.
 */
const ANSWER = Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
const tally = { count: 0, first_ms: 0, last_ms: 0, events: new Map<string, number>() };
let note_events = false;

const server = createServer((socket) => {
  let received: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    for (;;) {
      const head_end = received.indexOf("\r\n\r\n");
      if (head_end < 0) return;
      const head = received.toString("latin1", 0, head_end);
      const length = head_end + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (received.length < length) return;
      received = received.subarray(length);
      note(head);
      socket.write(ANSWER);
    }
  });
});

function note(head: string): void {
  const now_ms = performance.timeOrigin + performance.now();
  if (tally.count === 0) tally.first_ms = now_ms;
  tally.count += 1;
  tally.last_ms = now_ms;
  if (!note_events) return;
  const event_id = /\r\nwebhook-id: (\S+)/i.exec(head)?.[1] ?? "";
  if (!tally.events.has(event_id)) tally.events.set(event_id, now_ms);
}

const listening = new Promise<string>((resolve) =>
  server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
);

process.on("message", async (question: SinkQuestion) => {
  const url = await listening;
  if (question !== "tell") {
    Object.assign(tally, { count: 0, first_ms: 0, last_ms: 0 });
    tally.events.clear();
    note_events = question.begin.note_events;
  }
  process.send?.({ tally: { ...tally, url, events: [...tally.events] } satisfies SinkTally });
});
