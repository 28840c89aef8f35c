import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { goodParts, type Parts } from "./planted-receivers.ts";

/** A receiver built from parts, with its state at `/state`. */
export function plantedReceiver(changed: Partial<Parts>): (url: string) => RequestListener {
  const parts = { ...goodParts, ...changed };
  const seen = new Set<string>();
  const state = { events: [] as string[], orders: {} as Record<string, ReturnType<Parts["heard"]>> };
  const late: string[] = [];
  let down = false;
  let busy = false;

  /** The body; undefined if it is too long. */
  async function read(request: IncomingMessage): Promise<string | undefined> {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of request) {
      length += (chunk as Buffer).length;
      if (length <= parts.most_bytes) chunks.push(chunk as Buffer);
      else if (parts.dies_of_size) down = true;
      if (parts.first_chunk_only) break;
    }
    return length > parts.most_bytes ? undefined : Buffer.concat(chunks).toString("utf8");
  }

  async function take(request: IncomingMessage, url: string): Promise<number> {
    const raw = await read(request);
    if (raw === undefined) return 413;
    if (!parts.verified(raw, request.headers as Record<string, string>, url)) return parts.refusal_status;
    const event = JSON.parse(raw);
    const refused = parts.refused(event, state);
    if (refused !== undefined) return refused;
    if (!(await parts.claims(seen, event.event_id))) return parts.repeat_status;
    (parts.stores_late ? late : state.events).push(event.event_id);
    const { order_number, sequence } = event;
    if (order_number !== undefined) state.orders[order_number] = parts.heard(state.orders[order_number], sequence);
    return 200;
  }

  async function answer(request: IncomingMessage, response: ServerResponse, url: string): Promise<void> {
    if (down) return void request.socket.destroy();
    if (request.url?.endsWith("/state")) {
      response.end(JSON.stringify(state));
      // What it has answered already is stored only now.
      state.events.push(...late.splice(0));
      return;
    }
    if (parts.never_answers) return;
    if (parts.redirects) return void response.writeHead(307, { location: "/other" }).end();
    if (parts.one_at_a_time && busy) return void response.writeHead(503).end();
    busy = true;
    const status = await take(request, url).catch(() => 400);
    if (parts.one_at_a_time) for (let turn = 0; turn < 50; turn++) await setImmediate();
    busy = false;
    if (down) request.socket.destroy();
    else response.writeHead(status).end();
  }
  return (url) => (request, response) => void answer(request, response, url);
}

/** Serves receivers in one process, each below a path of its own. */
export async function serveReceivers(receivers: readonly ((url: string) => RequestListener)[]) {
  const server = createServer((request, response) => {
    const [, index] = (request.url ?? "").split("/");
    listeners[Number(index)]!(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const urls = receivers.map((_, index) => `http://127.0.0.1:${port}/${index}/hook`);
  const listeners = receivers.map((open, index) => open(urls[index]!));
  return {
    urls,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
