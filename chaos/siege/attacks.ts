import { randomBytes } from "node:crypto";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";

/** Where to attack, and with which tokens. A bare server has the same address everywhere. */
export type Target = {
  base_url: string;
  auth_url: string;
  sandbox_auth_url: string;
  account_id: string;
  /** Tokens of sandbox accounts, whose owners are the neighbors. */
  sandbox_tokens: string[];
  /** Tokens of several credentials of one production partner, which floods the others; none without that flood. */
  flooder_tokens: string[];
};

/** Answers by status. `closed`: the server ended the connection without one. `open`: still no answer at the end. */
type Answers = Record<string, number>;
export type AttackTally = { sent: number; answers: Answers; faults: string[] };

type Attack = {
  about: string;
  /** Requests each second, or for `hold` new connections each second, at full strength. */
  per_second: number;
  /** Requests or connections that may be open at once, at full strength. */
  most_open: number;
} & ({ ask(target: Target, number: number): Asked } | { hold: Hold });

type Asked = { url: string; method: "GET" | "POST"; headers: Record<string, string>; body?: Buffer | string };
/** Bytes to send at once, and then one at a time each second. A reader that does not read leaves its answers unread. */
type Hold = { url(target: Target): string; first(target: Target): string; drip: string; reads: boolean };

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const JSON_TYPE = { accept: "application/json", "content-type": "application/json" };
const MIB = 1024 * 1024;
const filler = "x".repeat(MIB);
const manyFields = `{${Array.from({ length: 60_000 }, (_, index) => `"f${index}":1`).join(",")}}`;
const bigEvent = JSON.stringify({
  simulation_type: "event",
  simulation: { event_type: "RX_RECEIVED", medication_requests: [{ note: "n".repeat(48 * 1024) }] },
});

const word = (bytes: number) => randomBytes(bytes).toString("base64url");
const bearer = (token: string) => ({ accept: "application/json", authorization: `Bearer ${token}` });
const sandboxToken = ({ sandbox_tokens }: Target, number: number) => sandbox_tokens[number % sandbox_tokens.length]!;
const flooderToken = ({ flooder_tokens }: Target, number: number) => flooder_tokens[number % flooder_tokens.length]!;
const FLOODED_LISTS = ["orders?limit=200", "webhook_events?limit=200", "products", "refill_schedules?limit=200"];
/** Read completely, priced and refused, so it costs what an order costs but its rows. */
const refusedOrder = JSON.stringify({
  patient_id: "flood",
  items: [{ prescription_id: 1, product_sku: "none", quantity: 1 }],
});

/** A token request from a client that does not exist. The id differs each time, so that nothing can be shared. */
const tokenRequest = (url: string, id: string): Asked => ({
  url: `${url}/oauth/token`,
  method: "POST",
  headers: FORM,
  body: `grant_type=client_credentials&client_id=${id}&client_secret=guess`,
});

const attacks = {
  giant_ids: {
    about: "token requests with a client id of nearly 1 MiB",
    per_second: 4,
    most_open: 8,
    ask: ({ auth_url }) => tokenRequest(auth_url, `${word(9)}${filler.slice(0, MIB - 200)}`),
  },
  many_ids: {
    about: "token requests with ids of 2 KiB, none twice",
    per_second: 40,
    most_open: 16,
    ask: ({ auth_url, sandbox_auth_url }, number) =>
      tokenRequest(number % 2 === 0 ? auth_url : sandbox_auth_url, `${word(9)}${filler.slice(0, 2048)}`),
  },
  unknown_bearers: {
    about: "reads with tokens of the right form that do not exist",
    per_second: 100,
    most_open: 32,
    ask: ({ base_url, account_id }) => ({
      url: `${base_url}/v1/orders`,
      method: "GET",
      headers: bearer(`${account_id}_${word(32)}`),
    }),
  },
  guesses: {
    about: "sign-ins with an unknown address and a wrong password",
    per_second: 5,
    most_open: 8,
    ask: ({ base_url }) => ({
      url: `${base_url}/web/session`,
      method: "POST",
      headers: JSON_TYPE,
      body: JSON.stringify({ email: `${word(6)}@people.example`, password: word(12) }),
    }),
  },
  unknown_fields: {
    about: "orders with 60,000 unknown fields",
    per_second: 2,
    most_open: 4,
    ask: (target, number) => ({
      url: `${target.base_url}/v1/orders`,
      method: "POST",
      headers: { ...JSON_TYPE, ...bearer(sandboxToken(target, number)) },
      body: manyFields,
    }),
  },
  big_events: {
    about: "simulated events of nearly 64 KiB",
    per_second: 4,
    most_open: 8,
    ask: (target, number) => ({
      url: `${target.base_url}/v1/simulate`,
      method: "POST",
      headers: { ...JSON_TYPE, ...bearer(sandboxToken(target, number)) },
      body: bigEvent,
    }),
  },
  deep_pages: {
    about: "the largest pages of the largest list",
    per_second: 16,
    most_open: 16,
    ask: (target, number) => ({
      url: `${target.base_url}/v1/webhook_events?limit=200`,
      method: "GET",
      headers: bearer(sandboxToken(target, number)),
    }),
  },
  noise: {
    about: "ordinary reads of the sandbox, far over its rate limit",
    per_second: 200,
    most_open: 32,
    ask: (target, number) => ({
      url: `${target.base_url}/v1/${number % 2 === 0 ? "orders?limit=200" : "products"}`,
      method: "GET",
      headers: bearer(sandboxToken(target, number)),
    }),
  },
  partner_reads: {
    about: "reads of a production partner with several credentials, up to their rate limits and beyond",
    per_second: 600,
    most_open: 96,
    ask: (target, number) => ({
      url: `${target.base_url}/v1/${FLOODED_LISTS[number % FLOODED_LISTS.length]}`,
      method: "GET",
      headers: bearer(flooderToken(target, number)),
    }),
  },
  partner_orders: {
    about: "orders of the same partner, which are all refused",
    per_second: 200,
    most_open: 96,
    ask: (target, number) => ({
      url: `${target.base_url}/v1/orders`,
      method: "POST",
      headers: { ...JSON_TYPE, ...bearer(flooderToken(target, number)) },
      body: refusedOrder,
    }),
  },
  slow_headers: {
    about: "requests whose headers arrive a byte a second",
    per_second: 20,
    most_open: 60,
    hold: {
      url: ({ base_url }) => base_url,
      first: () => "GET /v1/orders HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ",
      drip: "s",
      reads: true,
    },
  },
  slow_bodies: {
    about: "requests whose body arrives a byte a second",
    per_second: 20,
    most_open: 60,
    hold: {
      url: ({ auth_url }) => auth_url,
      first: () =>
        "POST /oauth/token HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 4000\r\n\r\n",
      drip: "s",
      reads: true,
    },
  },
  slow_readers: {
    about: "readers that ask for much and read nothing",
    per_second: 10,
    most_open: 30,
    hold: {
      url: ({ base_url }) => base_url,
      first: () => "GET /openapi.json HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n".repeat(40),
      // An empty line before a request is allowed. Without writing, a reader that does not read never sees the end.
      drip: "\r\n",
      reads: false,
    },
  },
  connections: {
    about: "connections that never send anything",
    per_second: 60,
    most_open: 600,
    hold: { url: ({ base_url }) => base_url, first: () => "", drip: "", reads: true },
  },
} as const satisfies Record<string, Attack>;

export type AttackName = keyof typeof attacks;
/** The flood of one production partner is no attack: it has a campaign of its own. */
export const partnerFlood = ["partner_reads", "partner_orders"] as const satisfies AttackName[];
export const attackNames = (Object.keys(attacks) as AttackName[]).filter(
  (name) => !(partnerFlood as readonly AttackName[]).includes(name),
);

const TICK_MS = 20;
const DRIP_EVERY_MS = 1_000;
/** The attackers' addresses, all of them this machine. The victim that is measured uses 127.0.0.1. */
const ADDRESSES = Array.from({ length: 8 }, (_, index) => `127.0.0.${index + 2}`);
const MOST_FAULTS = 20;
const RETRY_AFTER_ANSWERS = new Set(["503"]);

type Tallies = Record<string, AttackTally>;
/** What two floods of the same attacks sent and got. */
export function addedTally(one: Tallies, other: Tallies): Tallies {
  const all = { ...one };
  for (const [name, { sent, answers, faults }] of Object.entries(other)) {
    const before = all[name] ?? { sent: 0, answers: {}, faults: [] };
    const counted = { ...before.answers };
    for (const [answer, times] of Object.entries(answers)) counted[answer] = (counted[answer] ?? 0) + times;
    all[name] = { sent: before.sent + sent, answers: counted, faults: [...before.faults, ...faults] };
  }
  return all;
}

export type Running = { stop(): Promise<AttackTally> };

/** Runs one attack at the given part of its full strength until it is stopped. */
export function startAttack(name: AttackName, target: Target, strength: number): Running {
  const attack: Attack = attacks[name];
  const tally: AttackTally = { sent: 0, answers: {}, faults: [] };
  const most_open = Math.max(1, Math.round(attack.most_open * strength));
  const begin_ms = Date.now();
  let number = 0;
  let open = 0;
  const count = (answer: string) => {
    tally.answers[answer] = (tally.answers[answer] ?? 0) + 1;
  };
  const finished = (answer: string) => {
    open--;
    count(answer);
  };
  const fault = (text: string) => {
    if (tally.faults.length < MOST_FAULTS) tally.faults.push(`${name}: ${text}`);
  };
  const begun = "hold" in attack ? holder(attack.hold, target) : asker(attack, target, fault);
  const timer = setInterval(() => {
    const due = Math.floor(((Date.now() - begin_ms) / 1000) * attack.per_second * strength) + 1;
    while (number < due && open < most_open) {
      open++;
      tally.sent++;
      begun.one(number++, finished);
    }
    // A request that could not be sent in time is not sent later, because that would be another attack.
    number = Math.max(number, due);
  }, TICK_MS);
  return {
    async stop() {
      clearInterval(timer);
      begun.close();
      if (open > 0) tally.answers["open"] = open;
      return structuredClone(tally);
    },
  };
}

type Begun = { one(number: number, finished: (answer: string) => void): void; close(): void };

/** Complete requests over connections that stay open. */
function asker({ ask, most_open }: Attack & { ask: unknown }, target: Target, fault: (text: string) => void): Begun {
  const agents = ADDRESSES.map(
    (localAddress) => new Agent({ keepAlive: true, maxSockets: Math.ceil(most_open / 2), localAddress } as object),
  );
  return {
    one(number, finished) {
      const { url, method, headers, body } = (ask as (target: Target, number: number) => Asked)(target, number);
      const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
      const agent = agents[number % agents.length]!;
      let done = false;
      const end = (answer: string) => {
        if (!done) finished(answer);
        done = true;
      };
      const sent = request(url, { method, headers: { ...headers, ...length }, agent }, (answer) => {
        const status = String(answer.statusCode);
        const asked_for = RETRY_AFTER_ANSWERS.has(status) && answer.headers["retry-after"] !== undefined;
        if (status.startsWith("5") && !asked_for) fault(`${status} from ${method} ${new URL(url).pathname}`);
        answer.on("data", () => {});
        answer.on("end", () => end(status));
        answer.on("close", () => end("closed"));
      });
      sent.on("error", () => end("closed"));
      sent.end(body);
    },
    close: () => {
      for (const agent of agents) agent.destroy();
    },
  };
}

/** Connections that take as long as the server lets them. */
function holder({ url, first, drip, reads }: Hold, target: Target): Begun {
  const sockets = new Set<Socket>();
  const timer = setInterval(() => {
    if (drip !== "") for (const socket of sockets) if (socket.writable) socket.write(drip);
  }, DRIP_EVERY_MS);
  return {
    one(number, finished) {
      const { hostname: host, port } = new URL(url(target));
      const socket = connect({ host, port: Number(port), localAddress: ADDRESSES[number % ADDRESSES.length] });
      let answer = "closed";
      sockets.add(socket);
      if (!reads) socket.pause();
      socket.on("connect", () => {
        const bytes = first(target);
        if (bytes !== "") socket.write(bytes);
      });
      socket.on("data", (chunk: Buffer) => {
        if (reads && answer === "closed") answer = chunk.toString("latin1", 9, 12);
      });
      socket.on("error", () => {});
      socket.on("end", () => socket.destroy());
      socket.on("close", () => {
        if (sockets.delete(socket)) finished(answer);
      });
    },
    close() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
  };
}
