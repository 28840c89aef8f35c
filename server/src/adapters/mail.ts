import { randomUUID } from "node:crypto";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

type Letter = { to: string; subject: string; text: string };
/** Sends letters through the operator's mail server; null where none is set. */
export type Mail = { send(letter: Letter): Promise<void> } | null;

const PORTS = { "smtp:": 587, "smtps:": 465 } as const;
const TIMEOUT_MS = 15_000;

/** Speaks as much SMTP (RFC 5321) as a notice needs, and sends no password over a line that others can read. */
export function openMail({ smtp_url, from, ca }: { smtp_url: string; from: string; ca?: string }): Mail {
  if (smtp_url === "") return null;
  const { protocol, hostname, port, username, password } = new URL(smtp_url);
  const scheme = protocol as keyof typeof PORTS;
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const secure = { host, ...(isIP(host) === 0 ? { servername: host } : {}), ...(ca === undefined ? {} : { ca }) };
  const at = { host, port: port === "" ? PORTS[scheme] : Number(port) };
  return {
    async send(letter) {
      const line = new Line(scheme === "smtps:" ? connectTls({ ...at, ...secure }) : connectPlain(at));
      try {
        await line.expect(220);
        let offered = await line.say("EHLO pestle", 250);
        if (scheme === "smtp:" && /\bSTARTTLS\b/i.test(offered)) {
          await line.say("STARTTLS", 220);
          line.replace((plain) => connectTls({ socket: plain, ...secure }));
          offered = await line.say("EHLO pestle", 250);
        }
        if (username !== "") {
          if (!line.isPrivate(host)) throw new Error("the mail server offers no TLS, and the password stays here");
          const secret = `\0${decodeURIComponent(username)}\0${decodeURIComponent(password)}`;
          await line.say(`AUTH PLAIN ${Buffer.from(secret).toString("base64")}`, 235);
        }
        await line.say(`MAIL FROM:<${from}>`, 250);
        await line.say(`RCPT TO:<${letter.to}>`, 250);
        await line.say("DATA", 354);
        await line.say(`${written(letter, from)}\r\n.`, 250);
        await line.say("QUIT", 221);
      } finally {
        line.end();
      }
    },
  };
}

function written({ to, subject, text }: Letter, from: string): string {
  const head = [
    `From: <${from}>`,
    `To: <${to}>`,
    `Subject: ${subject}`,
    `Date: ${new Date().toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${randomUUID()}@${from.split("@")[1]}>`,
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Auto-Submitted: auto-generated",
  ];
  // A dot alone on a line would end the letter.
  return [...head, "", ...text.split("\n")].map((line) => line.replace(/^\./, "..")).join("\r\n");
}

/** A conversation, one question at a time. */
class Line {
  #socket: Socket;
  #heard = "";
  #fault: Error | undefined;
  #listening: () => void = () => {};

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#listen();
  }

  /** The same line from now on through another socket. */
  replace(wrap: (socket: Socket) => Socket): void {
    for (const event of ["data", "error", "close", "timeout"]) this.#socket.removeAllListeners(event);
    // What was said before the line was private is not to be believed afterwards.
    this.#heard = "";
    this.#socket = wrap(this.#socket);
    this.#listen();
  }

  isPrivate(host: string): boolean {
    return "encrypted" in this.#socket || /^(127\.|localhost$|::1$)/.test(host);
  }

  async say(text: string, code: number): Promise<string> {
    this.#socket.write(`${text}\r\n`);
    return this.expect(code);
  }

  async expect(code: number): Promise<string> {
    for (;;) {
      // The last line of an answer has a space after its code.
      const [answer] = /^(?:\d{3}-.*\r?\n)*\d{3}(?: .*)?\r?\n/.exec(this.#heard) ?? [];
      if (answer !== undefined) {
        this.#heard = this.#heard.slice(answer.length);
        const told = Number(answer.slice(0, 3));
        if (told !== code) throw new Error(`the mail server answered ${told} where ${code} was expected`);
        return answer;
      }
      if (this.#fault !== undefined) throw this.#fault;
      await new Promise<void>((resolve) => {
        this.#listening = resolve;
      });
    }
  }

  end(): void {
    this.#socket.destroy();
  }

  #listen(): void {
    const broken = (fault: Error) => {
      this.#fault ??= fault;
      this.#listening();
    };
    this.#socket.setTimeout(TIMEOUT_MS, () => broken(new Error("the mail server does not answer")));
    this.#socket.on("error", broken);
    this.#socket.on("close", () => broken(new Error("the mail server closed the connection")));
    this.#socket.on("data", (chunk: Buffer) => {
      this.#heard += chunk.toString("latin1");
      this.#listening();
    });
  }
}
