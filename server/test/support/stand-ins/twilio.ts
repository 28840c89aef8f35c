import { createHmac, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** What goes wrong with one call. `after`: Twilio has taken the message. */
type Fault = "lose request" | "lose answer" | "500 before" | "500 after" | "429" | "garbage after" | { refuse: number };

export type SentText = {
  sid: string;
  to: string;
  from: string;
  body: string;
  status: string;
  status_callback: string;
  date_created: string;
};

const HOST = "127.0.0.1";

/** Twilio on loopback: strict about path, method, sign-in and form. Only what it took counts as sent. */
export async function openTwilioStandIn(now: () => Date = () => new Date()) {
  const account_sid = `AC${randomBytes(16).toString("hex")}`;
  const auth_token = randomBytes(16).toString("hex");
  const from = "+12075550199";
  const sent: SentText[] = [];
  const calls: string[] = [];
  const faults: Fault[] = [];
  let active = true;

  const server = createServer((request, response) => {
    void handle(request, response).catch((error: Error) => answer(response, 599, { message: error.message }));
  });
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url!, `http://${HOST}`);
    calls.push(`${request.method} ${url.pathname}`);
    const basic = `Basic ${Buffer.from(`${account_sid}:${auth_token}`).toString("base64")}`;
    if (request.headers.authorization !== basic) return answer(response, 401, { code: 20003, status: 401 });
    const account = `/2010-04-01/Accounts/${account_sid}`;
    if (request.method === "GET" && url.pathname === `${account}.json`)
      return answer(response, 200, { sid: account_sid, status: active ? "active" : "suspended" });
    if (url.pathname !== `${account}/Messages.json`) return answer(response, 404, { code: 20404, status: 404 });
    if (request.method === "GET") return list(url.searchParams, response);
    if (request.method !== "POST") return answer(response, 405, { code: 20004, status: 405 });
    const fault = faults.shift();
    if (fault === "lose request") return void request.socket.destroy();
    if (fault === "500 before") return answer(response, 500, { code: 20500, status: 500 });
    if (fault === "429") return answer(response, 429, { code: 20429, status: 429 });
    if (typeof fault === "object")
      return answer(response, 400, { code: fault.refuse, status: 400, message: "refused" });
    const refused = take(request, Buffer.concat(chunks).toString("utf8"));
    if (refused !== null) return answer(response, 400, { code: refused, status: 400, message: "refused" });
    if (fault === "lose answer") return void request.socket.destroy();
    if (fault === "500 after") return answer(response, 500, { code: 20500, status: 500 });
    if (fault === "garbage after") return void response.writeHead(201).end("<html>proxy</html>");
    answer(response, 201, shown(sent.at(-1)!));
  }

  /** The code of the refusal; null if the message was taken. */
  function take(request: IncomingMessage, text: string): number | null {
    if (request.headers["content-type"] !== "application/x-www-form-urlencoded") return 20001;
    const form = new URLSearchParams(text);
    const known = ["To", "From", "Body", "StatusCallback"];
    if ([...form.keys()].some((name) => !known.includes(name))) return 20001;
    const [to = "", sender, body = "", status_callback = ""] = known.map((name) => form.get(name) ?? undefined);
    if (!/^\+1[2-9]\d{9}$/.test(to)) return 21211;
    if (sender !== from) return 21606;
    if (body === "" || body.length > 1600) return 21617;
    if (!URL.canParse(status_callback)) return 21609;
    const sid = `SM${randomBytes(16).toString("hex")}`;
    // Twilio's times have no milliseconds.
    const date_created = now().toUTCString().replace("GMT", "+0000");
    sent.push({ sid, to, from, body, status: "queued", status_callback, date_created });
    return null;
  }

  function list(query: URLSearchParams, response: ServerResponse): void {
    const unknown = [...query.keys()].filter((name) => !["To", "DateSent>", "PageSize"].includes(name));
    const day = query.get("DateSent>") ?? "";
    if (unknown.length > 0 || !/^\d{4}-\d{2}-\d{2}$/.test(day)) {
      answer(response, 400, { code: 20001, status: 400 });
      return;
    }
    const since = Date.parse(day);
    const messages = sent.filter(({ to, date_created }) => to === query.get("To") && Date.parse(date_created) >= since);
    answer(response, 200, { messages: messages.map(shown), next_page_uri: null });
  }

  const shown = ({ sid, to, from, body, status, date_created }: SentText) => ({
    ...{ sid, to, from, body, status, date_created, date_sent: null, error_code: null, account_sid },
  });

  /** Signed as Twilio documents it, by code that shares nothing with the service. */
  function signature(url: string, fields: Record<string, string>): string {
    const names = Object.keys(fields).sort();
    const text = names.reduce((all, name) => all + name + fields[name], url);
    return createHmac("sha1", auth_token).update(Buffer.from(text, "utf8")).digest("base64");
  }
  const post = (url: string, fields: Record<string, string>, signed?: string) =>
    fetch(url, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { "x-twilio-signature": signed ?? signature(url, fields) },
    });

  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  const { port } = server.address() as { port: number };
  return {
    sent,
    calls,
    faults,
    from,
    /** For `startTestApp`. */
    env: {
      SMS: "twilio",
      TWILIO_ACCOUNT_SID: account_sid,
      TWILIO_AUTH_TOKEN: auth_token,
      TWILIO_FROM: from,
      TWILIO_API_BASE: `http://${HOST}:${port}`,
    },
    suspend() {
      active = false;
    },
    post,
    /** A status callback about a message. */
    report: ({ sid, to, status_callback }: SentText, MessageStatus: string, more: Record<string, string> = {}) =>
      post(status_callback, { MessageSid: sid, To: to, From: from, AccountSid: account_sid, MessageStatus, ...more }),
    /** A text message of a patient, as Twilio passes it on. */
    text: (base_url: string, phone: string, Body: string, MessageSid = `SM${randomBytes(16).toString("hex")}`) =>
      post(`${base_url}/providers/twilio/messages`, {
        MessageSid,
        From: phone,
        To: from,
        Body,
        AccountSid: account_sid,
      }),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
