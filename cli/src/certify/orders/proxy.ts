import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Call } from "./day.ts";
import { playedAnswers, type Reply } from "./played-answers.ts";
import { type Fault, type SceneName, sceneOf } from "./scenes.ts";

/** The sandbox behind the proxy. */
export type Upstream = { base_url: string; auth_url: string; fetch: typeof globalThis.fetch };

/** An order of a scene, as the sandbox's last answer about it shows it. */
export type SeenOrder = { order_number: string; exception_ids: number[] };

/**
 * The partner's system calls it as both API and token server. It passes everything on, except
 * what the scenes play, and remembers every request.
 */
export type DayProxy = {
  readonly url: string;
  readonly calls: readonly Call[];
  /** The first order of each scene that the sandbox answered, also if that answer was lost on the way to the system. */
  readonly orders: ReadonlyMap<SceneName, SeenOrder>;
  /** Requests about this patient belong to the scene. */
  expect(scene: SceneName, patient_id: string): void;
  /** How many tries of the scene certify still plays. */
  left(scene: SceneName): number;
  /**
   * Ends every access token that the system has, and refuses the next token request with 503. So many orders with an ended
   * token are answered at the same time, so that it shows whether each of them renews the token.
   */
  endTokens(orders: number): void;
  /** Resolves at the next request or answer. */
  changed(signal: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
};

export type ProxyOptions = {
  port?: number;
  retry_after_s: number;
  client_secret: string;
  now_ms?: () => number;
};

const MOST_BODY_BYTES = 4_000_000;
/** How long an order with an ended token waits for the others. */
const TOGETHER_MS = 2_000;
/** They belong to one connection, or Node sets them. */
const OWN_HEADERS = /^(host|connection|keep-alive|transfer-encoding|content-length|accept-encoding|expect|upgrade)$/;
const OWN_ANSWER_HEADERS = /^(connection|keep-alive|transfer-encoding|content-length|content-encoding)$/;

export async function openProxy(upstream: Upstream, options: ProxyOptions): Promise<DayProxy> {
  const { port = 0, retry_after_s, client_secret, now_ms = () => performance.now() } = options;
  const calls: Call[] = [];
  const orders = new Map<SceneName, SeenOrder>();
  const scene_of_patient = new Map<string, SceneName>();
  const scene_of_order = new Map<string, SceneName>();
  const tries = new Map<SceneName, number>();
  const live_tokens = new Set<string>();
  const ended_tokens = new Set<string>();
  let refuse_token = false;
  const together = { missing: 0, wait: new AbortController() };
  const changes = new EventEmitter();
  const change = () => void changes.emit("change");

  const server = createServer((request, response) => {
    void answer(request, response).catch(() => request.socket.destroy());
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const { pathname, search } = new URL(request.url ?? "/", url);
    const path = pathname.replace(/^\/v1(?=\/)/, "");
    const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? null;
    const call: Call = {
      at_ms: now_ms(),
      scene: sceneAbout(path, search, body),
      method: request.method ?? "GET",
      path,
      query: search.slice(1),
      key: request.headers["idempotency-key"]?.toString() ?? null,
      body,
      exposed: isExposed(request.url ?? ""),
      status: null,
      played: false,
    };
    calls.push(call);
    change();
    if (token !== null) live_tokens.add(token);
    const reply = await replyTo(call, token, request, pathname + search);
    if (reply === "silence") return;
    if (reply === "broken connection") request.socket.destroy();
    else {
      call.status = reply.status;
      response.writeHead(reply.status, reply.headers).end(reply.body);
    }
    change();
  }

  async function replyTo(call: Call, token: string | null, request: IncomingMessage, address: string) {
    const forward = (headers = request.headers) => send(call, address, headers);
    if (call.path === "/oauth/token") {
      if (refuse_token) {
        refuse_token = false;
        call.played = true;
        return playedAnswers.unavailable(upstream.base_url, 1);
      }
      const reply = await forward();
      const { access_token } = readObject(reply.body);
      if (typeof access_token === "string") live_tokens.add(access_token);
      return reply;
    }
    if (token !== null && ended_tokens.has(token)) {
      call.played = true;
      if (call.scene !== null) await waitForOthers();
      return playedAnswers.token_ended(upstream.base_url);
    }
    const fault = nextFault(call);
    if (fault === undefined) return forward();
    call.played = true;
    return play(fault, forward, request);
  }

  /** A system that orders one prescription after the other waits in vain, but not for long. */
  async function waitForOthers(): Promise<void> {
    const { wait } = together;
    together.missing -= 1;
    if (together.missing <= 0) wait.abort();
    await delay(TOGETHER_MS, undefined, { signal: wait.signal }).catch(() => undefined);
    wait.abort();
  }

  function nextFault({ scene, method, path, query }: Call): Fault | undefined {
    if (scene === null || method !== "POST" || path !== "/orders" || /dry_run=true/.test(query)) return undefined;
    const { always, faults = [] } = sceneOf(scene);
    const done = tries.get(scene) ?? 0;
    tries.set(scene, done + 1);
    return always ?? faults[done];
  }

  async function play(
    fault: Fault,
    forward: (headers?: IncomingMessage["headers"]) => Promise<Reply>,
    request: IncomingMessage,
  ) {
    const { base_url } = upstream;
    if (fault === "drop_before") return "broken connection";
    if (fault === "silence") return "silence";
    if (fault === "drop_after") {
      await forward();
      return "broken connection";
    }
    if (fault === "ordered_before") {
      await forward({ ...request.headers, "idempotency-key": `certify-${crypto.randomUUID()}` });
      return forward();
    }
    if (fault === "in_progress") await forward();
    return playedAnswers[fault](base_url, retry_after_s);
  }

  async function send(call: Call, address: string, headers: IncomingMessage["headers"]): Promise<Reply> {
    const to = call.path === "/oauth/token" ? upstream.auth_url : upstream.base_url;
    const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      OWN_HEADERS.test(name) || value === undefined ? [] : [[name, String(value)]],
    );
    const { method, body } = call;
    const bodied = method !== "GET" && method !== "HEAD";
    const response = await upstream.fetch(to + address, {
      method,
      headers: sent,
      redirect: "manual",
      ...(bodied && body !== "" && { body }),
    });
    const text = await response.text();
    if (call.scene !== null && response.ok) noteOrder(call.scene, call, text);
    const kept = [...response.headers].filter(([name]) => !OWN_ANSWER_HEADERS.test(name));
    return { status: response.status, headers: Object.fromEntries(kept), body: text };
  }

  function noteOrder(scene: SceneName, { method, path }: Call, text: string): void {
    if (method !== "POST" || path !== "/orders") return;
    const { order_number, exceptions } = readObject(text) as { order_number?: unknown; exceptions?: { id: number }[] };
    if (typeof order_number !== "string") return;
    scene_of_order.set(order_number, scene);
    if (!orders.has(scene)) orders.set(scene, { order_number, exception_ids: (exceptions ?? []).map(({ id }) => id) });
  }

  function sceneAbout(path: string, search: string, body: string): SceneName | null {
    const [, noun, id = ""] = path.split("/");
    const query = new URLSearchParams(search);
    if (noun === "orders" && id !== "") return scene_of_order.get(decodeURIComponent(id)) ?? null;
    if (noun === "patients") return scene_of_patient.get(decodeURIComponent(id)) ?? null;
    const { patient } = readObject(body) as { patient?: { patient_id?: string } };
    const patient_id = query.get("patient_id") ?? patient?.patient_id ?? "";
    const order_number = query.get("order_number") ?? "";
    return scene_of_patient.get(patient_id) ?? scene_of_order.get(order_number) ?? null;
  }

  const isExposed = (address: string) => {
    const text = decoded(address);
    return [client_secret, ...live_tokens].some((secret) => secret !== "" && text.includes(secret));
  };

  return {
    url,
    calls,
    orders,
    expect: (scene, patient_id) => void scene_of_patient.set(patient_id, scene),
    left: (scene) => Math.max(0, (sceneOf(scene).faults?.length ?? 0) - (tries.get(scene) ?? 0)),
    endTokens(expected) {
      for (const token of live_tokens) ended_tokens.add(token);
      together.missing = expected;
      together.wait = new AbortController();
      refuse_token = true;
    },
    changed: (signal) => once(changes, "change", { signal }).catch(() => undefined),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += (chunk as Buffer).length;
    if (length > MOST_BODY_BYTES) throw new Error("the body is too long");
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function readObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
