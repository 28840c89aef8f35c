import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createNetServer, type Socket } from "node:net";

export type Received = { at_ms: number; path: string; headers: IncomingHttpHeaders; body: string };
export type Receiver = {
  url: string;
  /** Requests in order of arrival. */
  received: Received[];
  /** How many connections were opened. */
  connections(): number;
  /** Resolves when that many requests have arrived. */
  arrived(count: number): Promise<Received[]>;
  close(): Promise<void>;
};
type Answer = (request: Received, response: Parameters<RequestListener>[1]) => void;

/** A partner's endpoint on loopback that records requests and answers as configured. */
export async function openReceiver(
  answer: Answer = (_, response) => response.end("ok"),
  tls?: { key: string; cert: string },
): Promise<Receiver> {
  const received: Received[] = [];
  const waiting: { count: number; tell: () => void }[] = [];
  let connections = 0;
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const one = {
        at_ms: Date.now(),
        path: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(chunks).toString("latin1"),
      };
      received.push(one);
      for (const { count, tell } of waiting) if (received.length >= count) tell();
      answer(one, response);
    });
  };
  const server: Server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.on(tls === undefined ? "connection" : "secureConnection", () => {
    connections += 1;
  });
  const port = await listen(server);
  return {
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}/hook`,
    received,
    connections: () => connections,
    arrived: (count) =>
      new Promise((resolve) => {
        const tell = () => resolve(received);
        waiting.push({ count, tell });
        if (received.length >= count) tell();
      }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** For endpoints that do not speak proper HTTP: `onSocket` gets the raw socket. */
export async function openRawReceiver(onSocket: (socket: Socket) => void): Promise<Pick<Receiver, "url" | "close">> {
  const sockets = new Set<Socket>();
  const server = createNetServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    onSocket(socket);
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/hook`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const listen = (server: { listen(port: number, host: string, done: () => void): unknown; address(): unknown }) =>
  new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );
