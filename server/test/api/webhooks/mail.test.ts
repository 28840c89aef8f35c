import { createHash, createVerify, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { until } from "../../../../chaos/until.ts";
import { openMail } from "../../../src/adapters/messages/mail.ts";
import { checkDatabase } from "../../../src/usecases/operations/check-up.ts";
import { postLetter } from "../../../src/usecases/operations/letters/post-letter.ts";
import { openReceiver } from "../../support/receiver.ts";
import { openSmtpStandIn } from "../../support/stand-ins/smtp.ts";
import { startTestApp } from "../../support/test-app.ts";
import { selfSigned } from "../../support/tools/self-signed.ts";
import { addEndpoint, writeEvents } from "../../support/webhooks.ts";

const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
const openMailServer: typeof openSmtpStandIn = async (...given) => {
  const server = await openSmtpStandIn(...given);
  servers.push(server);
  return server;
};
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

test("a letter carries a DKIM signature that the published key verifies", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const { url, letters } = await openMailServer();
  const from = "pharmacy@larkspur.example";
  const mail = openMail({ smtp_url: url, from, dkim: { domain: "larkspur.example", selector: "s1", key } })!;
  await mail.send({ ...letter, text: "first\n  spaced \n\n" });
  const raw = letters[0]!.replaceAll("\r\n..", "\r\n.");
  const signed = verifiedDkim(raw, publicKey.export({ type: "spki", format: "pem" }) as string);
  expect(signed).toMatchObject({ d: "larkspur.example", s: "s1", a: "rsa-sha256", body: true, headers: true });
  expect(signed.h.toLowerCase().split(":")).toEqual(expect.arrayContaining(["from", "to", "subject", "message-id"]));
  // The check can fail: another subject, and another body.
  const other = (from: string, to: string) =>
    verifiedDkim(raw.replace(from, to), publicKey.export({ type: "spki", format: "pem" }) as string);
  expect(other("Subject: Notice", "Subject: Notices")).toMatchObject({ headers: false });
  expect(other("first", "First")).toMatchObject({ body: false });
  expect(await mail.check()).toContain("signed for larkspur.example");
});

/** Verifies a letter as RFC 6376 describes it (relaxed/relaxed), without the library that signed it. */
function verifiedDkim(raw: string, public_key: string) {
  const [head, ...rest] = raw.split("\r\n\r\n");
  const fields = head!.split(/\r\n(?![ \t])/).map((field) => {
    const at = field.indexOf(":");
    return { name: field.slice(0, at).toLowerCase().trim(), value: field.slice(at + 1) };
  });
  const signature = fields.find(({ name }) => name === "dkim-signature")!;
  const tags = Object.fromEntries(
    signature.value.split(";").map((tag) => {
      const [name, ...value] = tag.replaceAll(/\s/g, "").split("=");
      return [name!, value.join("=")];
    }),
  );
  expect(tags["c"]).toBe("relaxed/relaxed");
  const relaxed = (text: string) =>
    text
      .replaceAll(/\r\n/g, "")
      .replaceAll(/[ \t]+/g, " ")
      .trim();
  const body = `${rest.join("\r\n\r\n")}\r\n`
    .split("\r\n")
    .map((line) => line.replaceAll(/[ \t]+/g, " ").replace(/ $/, ""))
    .join("\r\n")
    .replace(/(\r\n)*$/, "\r\n");
  const names = tags["h"]!.toLowerCase().split(":");
  const named = names.flatMap((name) => fields.filter((field) => field.name === name).slice(-1));
  const unsigned = { name: "dkim-signature", value: signature.value.replace(/\bb=[^;]*/, "b=") };
  const text = [...named, unsigned].map(({ name, value }) => `${name}:${relaxed(value)}`).join("\r\n");
  return {
    ...{ d: tags["d"], s: tags["s"], a: tags["a"], h: tags["h"]! },
    body: createHash("sha256").update(body).digest("base64") === tags["bh"],
    headers: createVerify("sha256").update(text).verify(public_key, tags["b"]!, "base64"),
  };
}

test("the password never crosses a network unencrypted", async () => {
  const { url, told } = await openMailServer({ STARTTLS: "502 5.5.1 unknown" });
  // The unspecified address reaches this server on loopback but is not a loopback address.
  const smtp_url = url.replace("127.0.0.1", "0.0.0.0");
  const sending = openMail({ smtp_url, from: "pharmacy@larkspur.example" })!.send(letter);
  await expect(sending).rejects.toThrow(/^the mail server answered 502 to STARTTLS$/);
  expect(told).toEqual(["EHLO pestle", "STARTTLS"]);
});

test("a failure says whether another attempt can help", async () => {
  const { url, answers } = await openMailServer();
  const mail = openMail({ smtp_url: url, from: "pharmacy@larkspur.example" })!;
  const failing = async (word: string, reply: string) => {
    answers[word] = reply;
    const error = await mail.send(letter).catch((error: unknown) => error);
    delete answers[word];
    return error;
  };
  expect(await failing("RCPT", "550 5.1.1 nobody here")).toMatchObject({ code: "smtp_550", final: true });
  expect(await failing("letter", "554 5.7.1 spam")).toMatchObject({ code: "smtp_554", final: true });
  expect(await failing("RCPT", "451 4.7.1 later")).toMatchObject({ code: "smtp_451", final: false });
  // The operator's password is wrong: every letter waits for it.
  expect(await failing("AUTH", "535 5.7.8 no")).toMatchObject({ code: "smtp_535", final: false });
  expect(await failing("letter", "hang up")).toMatchObject({ final: false });
  answers["AUTH"] = "535 5.7.8 no";
  await expect(mail.check()).rejects.toThrow("the mail server answered 535");
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
  const { url, letters, answers } = await openMailServer({
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
  // The refused one is not tried again, and the operator sees that it failed.
  const state = "select state, attempts, error from letter where state <> 'sent'";
  await until("it has failed", async () => (await app.deps.db.raw(state)).rows[0]?.["state"] === "failed");
  expect((await app.deps.db.raw(state)).rows).toEqual([{ state: "failed", attempts: 1, error: "smtp_550" }]);
  const findings = await checkDatabase(app.config, app.deps.db, app.deps.now);
  expect(findings.find(({ what }) => what === "email")).toMatchObject({ state: "warning" });
  // A letter that the server cannot take now is kept and sent later, under the same name.
  answers["letter"] = "451 4.3.0 later";
  letters.splice(0);
  await postLetter(app.deps, { to: "a@larkspur.example", subject: "Later", text: "Hello." });
  await until("the server refused it", () => letters.length > 0);
  delete answers["letter"];
  app.advance(10 * 60_000);
  await until("it came again", () => letters.length > 1);
  const ids = letters.map((text) => /^Message-ID: (.*)$/m.exec(text)![1]);
  expect(new Set(ids).size).toBe(1);
  await app.stop();
  await gone.close();
});
