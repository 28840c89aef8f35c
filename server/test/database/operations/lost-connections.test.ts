import { createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { openBus } from "../../../src/db/bus.ts";
import { type Db, openDb, sql } from "../../../src/db/db.ts";
import { StatusRefusal } from "../../../src/domain/values/refusals.ts";

let server: Server | undefined;
let db: Db | undefined;
afterEach(async () => {
  await db?.close();
  server?.close();
  db = undefined;
});

/** A message of PostgreSQL's protocol: its letter, its length, its content. */
function message(letter: string, ...parts: (string | number[])[]): Buffer {
  const said = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const head = Buffer.alloc(5);
  head.write(letter);
  head.writeInt32BE(said.length + 4, 1);
  return Buffer.concat([head, said]);
}
const READY = message("Z", "I");
const WELCOME = Buffer.concat([message("R", [0, 0, 0, 0]), READY]);
const DONE = Buffer.concat([message("C", "SELECT 0\0"), READY]);
const FAREWELL = message(
  "E",
  "SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0",
  "Fbe-secure.c\0L241\0Rsecure_read\0\0",
);

/** A fake database that only scripts what a connection does next: like a killed one, seen by a busy process. */
async function dying(answer: (socket: Socket, letter: string) => void, named_statements = false): Promise<Db> {
  server = createServer((socket) => {
    let greeted = false;
    socket.on("error", () => {});
    socket.on("data", (data) => {
      answer(socket, greeted ? String.fromCharCode(data[0]!) : "");
      greeted = true;
    });
  });
  await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const connection = { host: "127.0.0.1", port, user: "pestle", database: "pestle" };
  return openDb({ connection, pool_size: 1, named_statements, silent_after_ms: 200 });
}
const isOut = (error: unknown) => error instanceof StatusRefusal && error.status === 503;

test("a connection that ends when the next transaction takes it fails that transaction, and not the process", async () => {
  let set_up = false;
  db = await dying((socket, letter) => {
    if (letter === "") socket.write(WELCOME);
    else if (!set_up) set_up = socket.write(DONE);
    // The answer and the end of the connection in one packet: the next waiter gets the connection in between.
    else if (letter !== "X") socket.end(Buffer.concat([DONE, FAREWELL]));
  });
  const first = db.raw("select");
  const second = db.transaction((tx) => tx.raw("select")).catch((error) => error);
  expect(await first).toEqual({ rows: [], count: 0 });
  expect(await second).toSatisfy(isOut);
});

test("a connection that ends when a listener takes it fails the listener, and not the process", async () => {
  db = await dying((socket, letter) => {
    if (letter === "") socket.end(Buffer.concat([WELCOME, FAREWELL]));
  });
  await expect(db.connect()).rejects.toThrow();
});

test("a statement that took too long gets 503 with Retry-After, and its connection stays", async () => {
  let connections = 0;
  let set_up = false;
  const canceled = message("E", "SERROR\0C57014\0Mcanceling statement due to statement timeout\0\0");
  db = await dying((socket, letter) => {
    if (letter === "") {
      connections += 1;
      socket.write(WELCOME);
    } else if (!set_up) set_up = socket.write(DONE);
    else socket.write(Buffer.concat([canceled, READY]));
  });
  for (let time = 0; time < 2; time++) {
    const refusal = await db.raw("select").catch((error) => error);
    expect([isOut(refusal), refusal.retry_after_s, connections]).toEqual([true, 5, 1]);
  }
});

const nothing = sql<[], never>`select`;
const something = sql<[number], never>`select $1::integer`;

test("a database that stops responding counts as unreachable after a timeout, and its connections are dropped", async () => {
  let connections = 0;
  db = await dying((socket, letter) => {
    if (letter !== "") return;
    connections += 1;
    socket.write(WELCOME);
  });
  expect(await db.run(nothing, []).catch((error) => error)).toSatisfy(isOut);
  expect(await db.transaction((tx) => tx.run(nothing, [])).catch((error) => error)).toSatisfy(isOut);
  expect(connections).toBe(2);
});

test("a database that stops responding during the handshake counts as unreachable too", async () => {
  // Each connection is set up before a caller gets it.
  db = await dying((socket, letter) => letter === "" && socket.write(WELCOME), true);
  expect(await db.run(nothing, []).catch((error) => error)).toSatisfy(isOut);
});

test("a transaction ends when a statement in it gets no answer, and the next one gets a working connection", async () => {
  let silent = true;
  db = await dying((socket, letter) => {
    if (letter === "") socket.write(WELCOME);
    // Answers begin, commit and rollback (Q), and other statements only once it responds again.
    else if (letter === "Q" || !silent) socket.write(DONE);
  });
  expect(await db.transaction((tx) => tx.run(something, [1])).catch((error) => error)).toSatisfy(isOut);
  silent = false;
  expect(await db.transaction((tx) => tx.run(something, [1]))).toBe(0);
});

test("a listening connection that stops responding is replaced", async () => {
  let beats = 0;
  db = await dying((socket, letter) => {
    if (letter === "") socket.write(WELCOME);
    // The first connection gets nothing after it starts to listen.
    else if (letter === "Q" && ++beats !== 2) socket.write(DONE);
  });
  let troubles = 0;
  const bus = openBus({
    connect: db.connect,
    onChange: () => {},
    onGap: () => {},
    revive: async () => {},
    onTrouble: () => {
      troubles += 1;
    },
    silent_after_ms: 100,
  });
  await bus.opened;
  expect([troubles, bus.fresh()]).toEqual([1, true]);
  await bus.close();
});
