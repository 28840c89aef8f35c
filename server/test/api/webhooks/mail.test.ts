import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { afterEach, expect, test } from "vitest";
import { until } from "../../../../chaos/until.ts";
import { openMail } from "../../../src/adapters/messages/mail.ts";
import { openReceiver } from "../../support/receiver.ts";
import { startTestApp } from "../../support/test-app.ts";
import { selfSigned } from "../../support/tools/self-signed.ts";
import { addEndpoint, writeEvents } from "../../support/webhooks.ts";

/** A mail server on loopback: the commands that it receives, and its answer to each. */
const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});
async function openMailServer(
  answers: Record<string, string | ((line: string) => string)> = {},
  tls?: { key: Buffer; cert: Buffer },
) {
  const told: string[] = [];
  const letters: string[] = [];
  const talk = (socket: Socket, greeting = "220-mail.test\r\n220 ready\r\n") => {
    let heard = "";
    let writing = false;
    socket.on("error", () => {});
    socket.write(greeting);
    socket.on("data", (chunk) => {
      heard += chunk.toString();
      for (;;) {
        const end = heard.indexOf(writing ? "\r\n.\r\n" : "\r\n");
        if (end < 0) return;
        const line = heard.slice(0, end);
        heard = heard.slice(end + (writing ? 5 : 2));
        if (writing) letters.push(line);
        else told.push(line);
        const word = writing ? "letter" : line.split(/[ :]/)[0]!;
        writing = !writing && word === "DATA" && answers["DATA"] === undefined;
        const known: Record<string, string> = {
          EHLO: "250-mail.test\r\n250 SIZE 1000",
          DATA: "354 go on",
          AUTH: "235 ok",
          QUIT: "221 bye",
        };
        const hello = tls === undefined || socket instanceof TLSSocket ? known["EHLO"] : "250 STARTTLS";
        if (word === "STARTTLS" && tls !== undefined) {
          socket.removeAllListeners("data");
          // More than the client requested: nothing sent before TLS may count afterwards.
          socket.write("220 go ahead\r\n250 not from me\r\n", () =>
            talk(new TLSSocket(socket, { isServer: true, ...tls }), ""),
          );
          return;
        }
        const given = answers[word];
        const own = typeof given === "function" ? given(line) : given;
        socket.write(`${own ?? (word === "EHLO" ? hello : known[word]) ?? "250 ok"}\r\n`);
      }
    });
  };
  const server = createServer((socket) => talk(socket));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return { url: `smtp://pharmacy:se%20same@127.0.0.1:${port}`, told, letters };
}
const letter = { to: "dev@larkspur.example", subject: "Notice", text: "first\n.second\n..third" };

test("the client sends a complete mail, including leading dots", async () => {
  const { url, told, letters } = await openMailServer();
  await openMail({ smtp_url: url, from: "pharmacy@larkspur.example" })!.send(letter);
  expect(told).toEqual([
    "EHLO pestle",
    `AUTH PLAIN ${Buffer.from("\0pharmacy\0se same").toString("base64")}`,
    "MAIL FROM:<pharmacy@larkspur.example>",
    "RCPT TO:<dev@larkspur.example>",
    "DATA",
  ]);
  expect(letters[0]).toContain("\r\nTo: dev@larkspur.example\r\nSubject: Notice\r\n");
  expect(letters[0]).toContain("Auto-Submitted: auto-generated\r\n");
  expect(letters[0]!.endsWith("\r\n\r\nfirst\r\n..second\r\n...third")).toBe(true);
});

test.each(["AUTH", "MAIL", "RCPT", "DATA", "letter"])(
  "a mail server that rejects at %s is an error that says so",
  async (word) => {
    const { url } = await openMailServer({ [word]: "550 5.7.1 no, o'brien@secret.example" });
    const sending = openMail({ smtp_url: url, from: "pharmacy@larkspur.example" })!.send(letter);
    await expect(sending).rejects.toThrow(/^the mail server answered 550 to (AUTH PLAIN|MAIL FROM|RCPT TO|DATA)$/);
  },
);

test("the client upgrades the connection before it sends the password; an invalid certificate ends it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pestle-mail-"));
  const { key, cert } = selfSigned(folder, "mail.test", "127.0.0.1");
  const { url, told, letters } = await openMailServer({}, { key: readFileSync(key), cert: readFileSync(cert) });
  const given = { smtp_url: url, from: "pharmacy@larkspur.example" };
  await openMail({ ...given, ca: readFileSync(cert, "utf8") })!.send(letter);
  expect(told.slice(0, 3)).toEqual(["EHLO pestle", "STARTTLS", "EHLO pestle"]);
  expect(letters).toHaveLength(1);
  told.splice(0);
  await expect(openMail(given)!.send(letter)).rejects.toThrow(/self.signed/);
  expect(told).toEqual(["EHLO pestle", "STARTTLS"]);
  rmSync(folder, { recursive: true, force: true });
});

test("the password never crosses a network unencrypted", async () => {
  const { url, told } = await openMailServer({ STARTTLS: "502 5.5.1 unknown" });
  // The unspecified address reaches this server on loopback but is not a loopback address.
  const smtp_url = url.replace("127.0.0.1", "0.0.0.0");
  const sending = openMail({ smtp_url, from: "pharmacy@larkspur.example" })!.send(letter);
  await expect(sending).rejects.toThrow(/^the mail server answered 502 to STARTTLS$/);
  expect(told).toEqual(["EHLO pestle", "STARTTLS"]);
});

test("without a mail server there is no mail", () => {
  expect(openMail({ smtp_url: "", from: "" })).toBeNull();
});

test("the partner's users get a mail when an endpoint is disabled, and no request waits for the mail server", async () => {
  const { url, letters } = await openMailServer();
  const app = await startTestApp({ env: { SMTP_URL: url, MAIL_FROM: "pharmacy@larkspur.example" } });
  const gone = await openReceiver((_, response) => response.writeHead(410).end());
  const endpoint = await addEndpoint(app, { url: `${gone.url}?token=hidden` });
  await writeEvents(app, [{}]);
  await until("a letter came", () => letters.length > 0);
  expect(letters[0]).toContain(`To: ${app.demo.partners[0]!.portal.email}\r\n`);
  expect(letters[0]).toContain(endpoint.endpoint_id);
  expect(letters[0]).toContain("answered 410");
  expect(letters[0]).not.toContain("hidden");
  await app.stop();
  await gone.close();
});

test("one unreachable user does not prevent the mail to the others", async () => {
  const { url, letters } = await openMailServer({
    RCPT: (line) => (line.includes("<a.former@") ? "550 5.1.1 nobody here" : "250 ok"),
  });
  const app = await startTestApp({ env: { SMTP_URL: url, MAIL_FROM: "pharmacy@larkspur.example" } });
  const { account_id, portal } = app.demo.partners[0]!;
  await app.deps.db.raw(
    `insert into person (person_id, email, name, role, partner_id, password_hash, created_at)
    select 'former', 'a.former@willow-telehealth.example', 'A. Former', 'partner_developer', partner_id, '', now()
    from account where account_id = $1`,
    [account_id],
  );
  const gone = await openReceiver((_, response) => response.writeHead(410).end());
  await addEndpoint(app, { url: gone.url });
  await writeEvents(app, [{}]);
  await until("a letter came", () => letters.some((text) => text.includes(`To: ${portal.email}\r\n`)));
  await app.stop();
  await gone.close();
});
