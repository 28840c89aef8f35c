import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../../../../chaos/until.ts";
import { dateIn, startOfDay } from "../../../src/domain/values/calendar.ts";
import { webRoutes } from "../../../src/http/web-routes.ts";
import { resetPassword } from "../../../src/usecases/accounts/manage-people.ts";
import { removeSsoProvider, setSsoProvider } from "../../../src/usecases/accounts/sso/manage-sso.ts";
import { sendDigests } from "../../../src/usecases/fulfillment/people/send-digests.ts";
import { sendLetters } from "../../../src/usecases/operations/letters/send-letters.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { OWN_PASSWORD, signedIn, type WebPerson, webPerson } from "../../support/web.ts";

let app: TestApp;
let admin: WebPerson;
let mail_server: Server;
const letters: string[] = [];
beforeAll(async () => {
  mail_server = createServer((socket) => {
    let heard = "";
    let writing = false;
    socket.on("error", () => {});
    socket.write("220 ready\r\n");
    socket.on("data", (chunk) => {
      heard += chunk.toString();
      for (;;) {
        const end = heard.indexOf(writing ? "\r\n.\r\n" : "\r\n");
        if (end < 0) return;
        const line = heard.slice(0, end);
        heard = heard.slice(end + (writing ? 5 : 2));
        if (writing) letters.push(line.replaceAll("=\r\n", "").replaceAll("=3D", "="));
        writing = !writing && line === "DATA";
        socket.write(writing ? "354 go on\r\n" : line === "QUIT" ? "221 bye\r\n" : "250 ok\r\n");
      }
    });
  });
  await new Promise<void>((resolve) => mail_server.listen(0, "127.0.0.1", resolve));
  const { port } = mail_server.address() as { port: number };
  app = await startTestApp({ env: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: "pharmacy@larkspur.example" } });
  admin = await webPerson(app, "admin");
});
afterAll(async () => {
  await app.stop();
  await new Promise((resolve) => mail_server.close(resolve));
});

const send = async (path: string, body: object, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${app.addresses.base_url}/web${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes
  return { status: answer.status, body: (await answer.json()) as any, headers: answer.headers };
};
const letterTo = (email: string) =>
  until("the letter arrives", () => letters.find((letter) => letter.includes(`To: ${email}`)));
const tokenIn = (letter: string) => /#link=([\w-]{43})/.exec(letter)![1]!;
const newPerson = async (more: object = {}) => {
  const given = { email: `${crypto.randomUUID()}@larkspur.example`, name: "Ada Quill", role: "admin", ...more };
  return { ...(await admin.send("POST", "/dashboard/people", given)).body, email: given.email };
};

describe("an issued password", () => {
  test("opens nothing until its owner has changed it", async () => {
    const { email, password } = await newPerson();
    const signed = await send("/session", { email, password });
    expect(signed.body).toMatchObject({ outcome: "needs_password", needs: "password", complete: false });
    const headers = {
      cookie: signed.headers.get("set-cookie")!.split(";")[0]!,
      "x-csrf-token": signed.body.csrf_token,
    };
    const get = (path: string) => fetch(`${app.addresses.base_url}/web${path}`, { headers });
    expect((await get("/dashboard/home")).status).toBe(401);
    expect((await get("/sessions")).status).toBe(404);
    expect((await send("/session/second_factor", {}, headers)).status).toBe(404);
    const same = await send("/session/password", { password, new_password: password }, headers);
    expect([same.status, same.body.error.message]).toEqual([
      422,
      "Choose a password that differs from the current one.",
    ]);
    const chosen = await send("/session/password", { password, new_password: OWN_PASSWORD }, headers);
    expect(chosen.body).toMatchObject({ outcome: "signed_in", complete: true });
    expect((await get("/dashboard/home")).status).toBe(200);
    expect((await send("/session", { email, password: OWN_PASSWORD })).body.outcome).toBe("signed_in");
  });

  test("the demo's people keep theirs", async () => {
    expect((await send("/session", app.demo.people[0]!)).body.outcome).toBe("signed_in");
  });
});

describe("sessions", () => {
  test("their owner sees and ends them", async () => {
    const { email, password } = await newPerson();
    const here = await signedIn(app, { email, password });
    const there = await signedIn(app, { email, password: OWN_PASSWORD });
    const third = await signedIn(app, { email, password: OWN_PASSWORD });
    const { sessions } = (await here.get("/sessions")).body;
    expect(sessions).toHaveLength(3);
    expect(sessions.filter((one: { current: boolean }) => one.current)).toMatchObject([{ address: "127.0.0.1" }]);
    const [other] = (await there.get("/sessions")).body.sessions.filter((one: { current: boolean }) => one.current);
    expect((await here.send("DELETE", `/sessions/${other.session_id}`)).body.sessions).toHaveLength(2);
    expect((await there.get("/dashboard/home")).status).toBe(401);
    expect((await here.send("DELETE", "/sessions")).body.sessions).toHaveLength(1);
    expect((await third.get("/dashboard/home")).status).toBe(401);
    // No one can end another person's session.
    const [mine] = (await here.get("/sessions")).body.sessions;
    await admin.send("DELETE", `/sessions/${mine.session_id}`);
    expect((await here.get("/dashboard/home")).status).toBe(200);
  });

  test("an admin sees and ends those of another person", async () => {
    const tech = await webPerson(app, "technician");
    const path = `/dashboard/people/${tech.person_id}`;
    expect((await admin.get(`${path}/sessions`)).body.sessions).toMatchObject([{ current: false }]);
    expect((await admin.send("POST", `${path}/end_sessions`)).body).toEqual({ ended: 1 });
    expect((await tech.get("/dashboard/home")).status).toBe(401);
  });
});

describe("step-up", () => {
  test("every change of credentials and people, and every export, is behind it", () => {
    const sensitive = webRoutes.filter(
      ({ method, path }) =>
        /[./]csv$/.test(path) || (method !== "GET" && /\/(credentials|people|team)(\/|$)/.test(path)),
    );
    expect(sensitive.length).toBeGreaterThan(20);
    // To end a stolen session must not take longer than necessary.
    const open = sensitive.filter(({ step_up, path }) => !step_up && !path.endsWith("/end_sessions"));
    expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  test("a change of people, credentials and an export need a recent sign-in, and the password renews it", async () => {
    const own = await startTestApp();
    const person = await webPerson(own, "admin");
    const portal = await signedIn(own, own.demo.partners[0]!.portal);
    // Two steps, so that the sessions do not end for want of activity.
    for (const _ of [1, 2]) {
      own.advance(10 * 60_000);
      for (const one of [person, portal]) await one.send("POST", "/session/forgotten", { email: "x@larkspur.example" });
    }
    const invite = () => person.send("POST", "/dashboard/people", { email: "n@l.example", name: "N", role: "lead" });
    const refused = await invite();
    expect([refused.status, refused.body.error.key]).toEqual([403, "verify"]);
    const asked = [
      person.get("/dashboard/orders.csv"),
      person.send("POST", `/dashboard/partners/${own.demo.partners[0]!.account_id}/credentials`, { name: "n" }),
      portal.send("POST", "/portal/sandbox/credentials", { name: "n" }),
      portal.send("POST", "/portal/sandbox/team", { name: "n" }),
    ];
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect((await person.get("/dashboard/home")).status).toBe(200);

    const wrong = await person.send("POST", "/session/verify", { password: "not the password" });
    expect([wrong.status, (await invite()).status]).toEqual([422, 403]);
    expect((await person.send("POST", "/session/verify", { password: "a long enough password" })).status).toBe(200);
    expect((await invite()).status).toBe(201);
    await own.stop();
  });
});

describe("a link by email", () => {
  test("a forgotten password: the same answer for every address, and a link that works once within an hour", async () => {
    const { email, password } = await newPerson();
    const session = await signedIn(app, { email, password });
    const unknown = await send("/session/forgotten", { email: "unknown@larkspur.example" });
    const known = await send("/session/forgotten", { email: email.toUpperCase() });
    expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
    const token = tokenIn(await letterTo(email));
    const { rows } = await app.deps.db.raw("select * from sign_in_link");
    expect(JSON.stringify([rows, app.lines()])).not.toContain(token);

    expect((await send("/session/link", { token })).body).toEqual({ email, name: "Ada Quill", purpose: "reset" });
    const use = (new_password: string) => send("/session/link/password", { token, new_password });
    expect((await use("Password2026!")).status).toBe(422);
    // Two at once: one of them wins.
    const both = await Promise.all([use("three quiet rivers"), use("three quiet rivers")]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 422]);
    expect((await use("four quiet rivers")).status).toBe(422);
    expect((await session.get("/dashboard/home")).status).toBe(401);
    expect((await send("/session", { email, password: OWN_PASSWORD })).status).toBe(401);
    expect((await send("/session", { email, password: "three quiet rivers" })).body.outcome).toBe("signed_in");
    expect(letters.some((letter) => letter.includes("unknown@larkspur.example"))).toBe(false);
  });

  test("an invitation: the person chooses the password, and the link expires after three days", async () => {
    const first = await newPerson({ by_email: true });
    expect(first).toMatchObject({ password: null, mailed: true });
    const letter = await letterTo(first.email);
    expect(letter).toContain(`${app.addresses.base_url}/dashboard#link=`);
    const chosen = { token: tokenIn(letter), new_password: "three quiet rivers" };
    expect((await send("/session/link/password", chosen)).status).toBe(200);
    const signed = await send("/session", { email: first.email, password: "three quiet rivers" });
    expect(signed.body.outcome).toBe("signed_in");

    const second = await newPerson({ by_email: true });
    const token = tokenIn(await letterTo(second.email));
    app.advance(72 * 3600_000 + 1_000);
    const late = await send("/session/link", { token });
    expect([late.status, late.body.error.message]).toEqual([
      422,
      "This link has expired or was already used. Ask for a new one.",
    ]);
  });

  test("an admin resets a password by email: the old one ends, no one sees the new one, and the link lets them choose", async () => {
    admin = await webPerson(app, "admin");
    const made = await newPerson();
    const there = await signedIn(app, { email: made.email, password: made.password });
    const path = `/dashboard/people/${made.person.person_id}/password`;
    const { body, text } = await admin.send("POST", path, { by_email: true });
    expect(body).toMatchObject({ password: null, mailed: true });
    expect((await there.get("/dashboard/home")).status).toBe(401);
    expect((await send("/session", { email: made.email, password: OWN_PASSWORD })).status).toBe(401);
    const letter = await letterTo(made.email);
    expect(text).not.toContain(tokenIn(letter));
    const chosen = { token: tokenIn(letter), new_password: "five quiet rivers" };
    expect((await send("/session/link/password", chosen)).status).toBe(200);
    expect((await send("/session", { email: made.email, password: "five quiet rivers" })).body.outcome).toBe(
      "signed_in",
    );
    const none = await resetPassword({ ...app.deps, mail: null }, admin, made.person.person_id, true, "r").catch(
      String,
    );
    expect(none).toMatch(/Pestle cannot send email/);
  });

  test("where single sign-on is the only way, the letter names the page and has no link", async () => {
    const provider = { issuer: "https://id.larkspur.example", client_id: "pestle", domains: ["larkspur.example"] };
    const now = app.deps.now();
    admin = await webPerson(app, "admin");
    await app.deps.db.transaction((tx) => setSsoProvider(app.deps, tx, null, { ...provider, sso_only: true }, now));
    try {
      const { email, ...invited } = await newPerson({ by_email: true });
      expect(invited).toMatchObject({ password: null, mailed: true });
      const letter = await letterTo(email);
      expect(letter).toContain("single sign-on");
      expect(letter).toContain(`${app.addresses.base_url}/dashboard`);
      expect(letter).not.toContain("#link=");
      letters.length = 0;
      expect((await send("/session/forgotten", { email })).status).toBe(200);
      expect(await letterTo(email)).not.toContain("#link=");
    } finally {
      await app.deps.db.transaction((tx) => removeSsoProvider(tx, null));
    }
  });

  test("letters to one address are limited", async () => {
    const email = "flood@larkspur.example";
    const statuses = [];
    for (let count = 0; count < 6; count++) statuses.push((await send("/session/forgotten", { email })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
  });
});

test("the daily digest goes once each morning, from seven o'clock on, to staff who turned it on, with counts only", async () => {
  const [reader, other] = [await webPerson(app, "pharmacist"), await webPerson(app, "technician")];
  expect((await reader.get("/dashboard/digest")).body).toEqual({ daily_digest: false, mail: true });
  expect((await reader.send("PUT", "/dashboard/digest", { daily_digest: "yes" })).status).toBe(422);
  expect((await reader.send("PUT", "/dashboard/digest", { daily_digest: true })).body.daily_digest).toBe(true);
  expect((await other.get("/dashboard/digest")).body.daily_digest).toBe(false);
  const { rows } = await app.deps.db.raw("select email from person where person_id = $1", [reader.person_id]);
  const email = String(rows[0]!["email"]);
  const digests = () => letters.filter((letter) => letter.includes("Subject: Your day at"));
  const zone = app.deps.config.TIME_ZONE;
  const at = (days: number, hours: number) => {
    const start = new Date(app.deps.now().getTime() + days * 24 * 3600_000);
    const midnight = startOfDay(zone, dateIn(zone, start));
    return { ...app.deps, now: () => new Date(midnight.getTime() + hours * 3600_000) };
  };
  // Not on the day of the choice, and not before the morning.
  await sendDigests(at(0, 12));
  await sendDigests(at(1, 5));
  await sendLetters(at(1, 5));
  expect(digests()).toEqual([]);
  await Promise.all([sendDigests(at(1, 10)), sendDigests(at(1, 10))]);
  await sendDigests(at(1, 20));
  await sendLetters(at(1, 20));
  expect(digests()).toHaveLength(1);
  expect(digests()[0]).toContain(`To: ${email}`);
  expect(digests()[0]).toMatch(/Clinical review: \d+/);
  expect(digests()[0]).toContain("You have no unread notifications.");
  await sendDigests(at(2, 10));
  await sendLetters(at(2, 10));
  expect(digests()).toHaveLength(2);
  await reader.send("PUT", "/dashboard/digest", { daily_digest: false });
  await sendDigests(at(3, 10));
  await sendLetters(at(3, 10));
  expect(digests()).toHaveLength(2);
  await sendDigests({ ...at(4, 10), mail: null });
});
