import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

type Seen = { method: string; url: string; headers: IncomingHttpHeaders; body: string };
/**
 * `reset`: the connection breaks before the server receives the request; `lost`: after the server responds; `hang`: no
 * response; `overtaken`: responds as if another copy of the request is in progress, and forwards it after the next one.
 */
export type Mishap =
  | "reset"
  | "lost"
  | "hang"
  | "overtaken"
  | { status: number; headers?: Record<string, string>; body?: unknown };

/** A real loopback server in front of another. Each request gets the next failure; when none is left, it passes through. */
export async function startFlakyProxy(target: string, mishaps: Mishap[] = []) {
  const seen: Seen[] = [];
  let overtaken: (() => Promise<unknown>) | undefined;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const { method = "", url = "", headers } = request;
    seen.push({ method, url, headers, body: String(body) });
    const mishap = mishaps.shift();
    if (mishap === "hang") return;
    if (mishap === "reset") return void request.socket.destroy();
    if (typeof mishap === "object") return answer(response, mishap);
    const behind = overtaken;
    overtaken = undefined;
    const { host: _host, connection: _connection, "content-length": _length, ...kept } = headers;
    const init = { method, headers: kept as Record<string, string> };
    const pass = () => fetch(`${target}${url}`, method === "GET" ? init : { ...init, body });
    if (mishap === "overtaken") {
      overtaken = pass;
      return answer(response, { status: 409, body: { error: { error_code: 409, message: "In the way." } } });
    }
    const passed = await pass();
    if (mishap === "lost") return void request.socket.destroy();
    const text = await passed.text();
    response.writeHead(passed.status, Object.fromEntries([...passed.headers].filter(([name]) => !hopByHop.has(name))));
    await behind?.();
    response.end(text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    mishaps,
    breakConnections: () => server.closeAllConnections(),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const hopByHop = new Set(["connection", "keep-alive", "content-length", "transfer-encoding"]);

function answer(response: ServerResponse, { status, headers = {}, body = {} }: Exclude<Mishap, string>): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}
