import type { Demo } from "../../server/src/seed/demo-file.ts";

/** One request and the statuses that are right. */
export type SoakRequest = {
  kind: string;
  method: "GET" | "POST" | "PATCH";
  url: string;
  headers: Record<string, string>;
  body?: string;
  right: readonly number[];
  /** Looks at the answer, for the requests that follow. */
  learn?: (answer: { status: number; headers: Record<string, string | string[] | undefined>; text: string }) => void;
};
export type Account = {
  token: string;
  client_id: string;
  client_secret: string;
  auth_url: string;
  endpoint_id: string | null;
};

const READS = [
  "/shipping_methods",
  "/products",
  "/brands",
  "/order_actions",
  "/orders?limit=10",
  "/webhook_events?limit=10",
  "/statements",
];
/** Of a thousand requests. The rest are reads. */
const SHARES = {
  token: 60,
  revoke: 30,
  dry_run: 100,
  replay: 30,
  order: 8,
  cancel: 8,
  event: 15,
  refused: 20,
} as const;
/** The token server limits each client, so a fast machine reaches that limit. The client does without the token. */
const OVER_LIMIT = 429;
/** What a client remembers for later requests. The oldest are forgotten. */
const REMEMBERED = 50;
const SKU = "packaging-pouch";
/** Each account has this patient. */
export const SOAK_PATIENT = "soak";

/**
 * The requests of an account, mixed. An order is canceled by a later request, so that its units return, and a token revoked, so that
 * the account's rows grow slowly: 16 in a thousand requests leave an order or an event behind.
 */
export function soakRequests(demo: Pick<Demo, "base_url">, account: Account, random: () => number, name: string) {
  const etags = new Map<string, string>();
  const orders: string[] = [];
  const tokens: string[] = [];
  let last_order: { key: string; body: string; text: string } | undefined;
  let number = 0;
  const headers = {
    accept: "application/json",
    "content-type": "application/json",
    authorization: `Bearer ${account.token}`,
  };
  const at = (path: string) => `${demo.base_url}${path}`;
  const remember = (list: string[], one: string) => {
    list.push(one);
    if (list.length > REMEMBERED) list.shift();
  };
  const orderBody = (reference: string) =>
    JSON.stringify({
      reference,
      shipping: { method_id: 1 },
      patient: { patient_id: SOAK_PATIENT },
      items: [{ sku: SKU, quantity: 1 }],
    });
  const formOf = (given: Record<string, string>) => ({
    method: "POST" as const,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: String(new URLSearchParams({ ...given, client_id: account.client_id, client_secret: account.client_secret })),
  });

  const read = (): SoakRequest => {
    const path = READS[Math.floor(random() * READS.length)]!;
    const etag = random() < 0.5 ? etags.get(path) : undefined;
    return {
      kind: etag === undefined ? "read" : "conditional read",
      ...{ method: "GET", url: at(path), right: etag === undefined ? [200] : [200, 304] },
      headers: etag === undefined ? headers : { ...headers, "if-none-match": etag },
      learn({ headers: told }) {
        if (typeof told["etag"] === "string") etags.set(path, told["etag"]);
      },
    };
  };
  const others: Record<keyof typeof SHARES, () => SoakRequest | undefined> = {
    token: () => ({
      ...{ kind: "token", url: `${account.auth_url}/oauth/token`, right: [200, OVER_LIMIT] },
      ...formOf({ grant_type: "client_credentials", scope: "partners" }),
      learn({ status, text }) {
        if (status !== OVER_LIMIT) remember(tokens, (JSON.parse(text) as { access_token: string }).access_token);
      },
    }),
    revoke() {
      const token = tokens.shift();
      if (token === undefined) return undefined;
      const url = `${account.auth_url}/oauth/revoke`;
      return { kind: "revoke", url, right: [200, OVER_LIMIT], ...formOf({ token }) };
    },
    dry_run: () => ({
      ...{ kind: "dry run", method: "POST", url: at("/orders?dry_run=true"), headers, right: [200] },
      body: orderBody(`${name}-dry`),
    }),
    order() {
      const key = `${name}-${number++}`;
      const body = orderBody(key);
      return {
        ...{ kind: "order", method: "POST", url: at("/orders"), body, right: [201] },
        headers: { ...headers, "idempotency-key": key },
        learn({ text }) {
          remember(orders, (JSON.parse(text) as { order_number: string }).order_number);
          last_order = { key, body, text };
        },
      };
    },
    replay() {
      if (last_order === undefined) return undefined;
      const { key, body, text: first } = last_order;
      return {
        ...{ kind: "replay", method: "POST", url: at("/orders"), body, right: [201] },
        headers: { ...headers, "idempotency-key": key },
        learn({ text }) {
          if (text !== first) throw new Error("a replay differs from the first answer");
        },
      };
    },
    /** Refused if the simulated pharmacy of the sandbox has shipped it. */
    cancel() {
      const order_number = orders.shift();
      if (order_number === undefined) return undefined;
      return {
        ...{ kind: "cancel", method: "POST", headers, right: [201, 422] },
        url: at(`/orders/${order_number}/partner_order_action_requests`),
        body: JSON.stringify({ event: "cancel" }),
      };
    },
    event() {
      // In production an endpoint has a certificate, which a receiver on this machine has not.
      if (account.endpoint_id === null) return undefined;
      return {
        ...{ kind: "event", method: "POST", headers, body: "{}", right: [202] },
        url: at(`/webhook_endpoints/${account.endpoint_id}/test`),
      };
    },
    refused: () => ({
      ...{ kind: "refused", method: "POST", url: at("/orders"), headers, body: "{}", right: [422] },
    }),
  };
  return (): SoakRequest => {
    let drawn = random() * 1000;
    for (const [kind, share] of Object.entries(SHARES) as [keyof typeof SHARES, number][]) {
      drawn -= share;
      if (drawn < 0) return others[kind]() ?? read();
    }
    return read();
  };
}
