import { randomUUID } from "node:crypto";
import type { QrPicture } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { qrCode } from "../../../src/adapters/documents/barcode.ts";
import type { StatusRefusal } from "../../../src/domain/values/refusals.ts";
import { createPerson } from "../../../src/usecases/accounts/create-person.ts";
import { resetSecondFactorByEmail } from "../../../src/usecases/accounts/manage-people.ts";
import {
  IDLE_MS,
  LONGEST_SESSION_MS,
  type SignIn,
  signIn as signInFrom,
} from "../../../src/usecases/accounts/sign-in.ts";
import { tidy } from "../../../src/usecases/operations/tidy.ts";
import { hashPassword } from "../../../src/vault/password-hash.ts";
import { base32, totpCode } from "../../../src/vault/totp.ts";
import { startTestApp, TEST_PASSWORD_COST, type TestApp } from "../../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const base = () => app.addresses.base_url;
type Told = { status: number; body: Record<string, unknown>; cookie: string | null; headers: Headers };
async function web(
  method: string,
  path: string,
  given: { body?: unknown; cookie?: string | null; csrf?: string; headers?: Record<string, string> } = {},
): Promise<Told> {
  const answer = await fetch(`${base()}/web${path}`, {
    method,
    headers: {
      ...(given.body === undefined ? {} : { "content-type": "application/json" }),
      ...(given.cookie ? { cookie: given.cookie } : {}),
      ...(given.csrf === undefined ? {} : { "x-csrf-token": given.csrf }),
      ...given.headers,
    },
    ...(given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
  });
  const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? null;
  return { status: answer.status, body: JSON.parse((await answer.text()) || "{}"), cookie, headers: answer.headers };
}
/** Real time passes too. */
const A_MINUTE_MS = 60_000;
const operator = () => app.demo.operator;
const signIn = (more: object = {}) => web("POST", "/session", { body: { ...operator(), ...more } });

describe("signing in", () => {
  test("sets a cookie that scripts cannot read and other sites do not get, and a token for changes", async () => {
    const signed = await signIn();
    expect([signed.status, signed.body["outcome"], signed.body["role"]]).toEqual([200, "signed_in", "admin"]);
    expect(signed.headers.get("set-cookie")).toMatch(
      /^pestle-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
    const again = await web("GET", "/session", { cookie: signed.cookie });
    expect(again.body["session"]).toMatchObject({ email: operator().email, complete: true });
  });

  test("a wrong password and an unknown address get the same answer, and ten of them block sign-in for a while", async () => {
    const wrong = await signIn({ password: "wrong wrong wrong" });
    const unknown = await signIn({ email: "nobody@larkspur.example" });
    const request_id = expect.any(String);
    expect([wrong.status, wrong.body]).toEqual([unknown.status, { ...unknown.body, request_id }]);
    expect(wrong.status).toBe(401);
    for (let i = 0; i < 9; i++) await signIn({ password: "wrong wrong wrong" });
    const blocked = await signIn();
    expect([blocked.status, Number(blocked.headers.get("retry-after")) > 0]).toEqual([429, true]);
    app.advance(15 * 60_000);
    expect((await signIn()).status).toBe(200);
  });

  test("concurrent guesses count as much as sequential ones", async () => {
    const email = "crowd@larkspur.example";
    const guesses = await Promise.all(
      Array.from({ length: 40 }, (_, number) =>
        web("POST", "/session", { body: { email, password: `guess ${number}` } }),
      ),
    );
    const count = (status: number) => guesses.filter((guess) => guess.status === status).length;
    expect([count(401), count(429)]).toEqual([10, 30]);
    app.advance(15 * 60_000);
  });

  describe("limits", () => {
    let number = 0;
    /** A clock that does not move on its own, so that a slow machine forgets no try. */
    let at = new Date();
    const attempt = (email: string, password: string, address: string) =>
      signInFrom(
        { ...app.deps, now: () => at },
        { email, password, code: null },
        { address, agent: null },
        randomUUID(),
      );
    const told = (answer: Promise<SignIn>) =>
      answer.then(
        ({ outcome }) => outcome,
        (error) => (error as StatusRefusal).status,
      );
    const guess = (email: string, address: string) => told(attempt(email, `guess ${number++}`, address));
    const later = (ms: number) => {
      at = new Date(at.getTime() + ms);
    };
    const count = (given: (string | number)[], one: string | number) => given.filter((other) => other === one).length;

    test("one name has a limit for all addresses together, and the person's own network stays open", async () => {
      const { email, password } = app.demo.people[0]!;
      const signInAt = (address: string) => told(attempt(email, password, address));
      expect(await signInAt("198.51.100.1")).toBe("signed_in");
      const answers: (string | number)[] = [];
      for (let host = 0; host < 40; host++) answers.push(await guess(email, `203.0.113.${host}`));
      expect([count(answers, "refused"), count(answers, 429)]).toEqual([30, 10]);
      expect([await signInAt("198.51.100.1"), await signInAt("198.51.100.2")]).toEqual(["signed_in", 429]);
      later(15 * 60_000);
      expect(await signInAt("198.51.100.2")).toBe("signed_in");
    });

    test("all addresses of one IPv6 /64 share a limit", async () => {
      const answers: (string | number)[] = [];
      for (let host = 1; host <= 60; host++) {
        answers.push(await guess(`person-${host}@larkspur.example`, `2001:db8:7:7::${host}`));
      }
      expect([count(answers, "refused"), count(answers, 429)]).toEqual([50, 10]);
      expect(await guess("person-1@larkspur.example", "2001:db8:7:8::1")).toBe("refused");
    });

    test("the wait grows with every further wrong password", async () => {
      const email = "growing@larkspur.example";
      for (let tries = 0; tries < 10; tries++) await guess(email, "192.0.2.9");
      const waits: number[] = [];
      for (let tries = 0; tries < 7; tries++) {
        const refused = await attempt(email, "x", "192.0.2.9").catch((error) => error as StatusRefusal);
        const { retry_after_s = 0 } = refused as StatusRefusal;
        waits.push(retry_after_s);
        later(retry_after_s * 1000);
        expect(await guess(email, "192.0.2.9")).toBe("refused");
      }
      expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900]);
    });
  });

  test("a hash of an earlier version still works, and sign-in renews it", async () => {
    const [email, password] = ["early@larkspur.example", "short one"];
    const password_hash = hashPassword(password, TEST_PASSWORD_COST - 1);
    const early = { email, name: "Early Bird", role: "technician", partner_id: null, password_hash };
    await app.deps.db.transaction((tx) => createPerson(tx, early, app.deps.now()));
    const kept = async () => {
      const { rows } = await app.deps.db.raw(`select password_hash from person where email = '${email}'`);
      return (rows[0] as { password_hash: string }).password_hash;
    };
    expect((await web("POST", "/session", { body: { email, password: "wrong" } })).status).toBe(401);
    expect(await kept()).toBe(password_hash);
    expect((await web("POST", "/session", { body: { email, password } })).status).toBe(200);
    expect(await kept()).toMatch(/^scrypt\$1024\$/);
    expect((await web("POST", "/session", { body: { email, password } })).status).toBe(200);
  });

  test("a change needs the token and our own page; without either it is 404", async () => {
    const { cookie, body } = await signIn();
    const csrf = String(body["csrf_token"]);
    expect((await web("DELETE", "/session", { cookie })).status).toBe(404);
    for (const origin of ["https://evil.example", "null", "nonsense"]) {
      expect((await web("DELETE", "/session", { cookie, csrf, headers: { origin } })).status).toBe(404);
    }
    expect(
      (await web("DELETE", "/session", { cookie, csrf, headers: { "sec-fetch-site": "cross-site" } })).status,
    ).toBe(404);
    expect((await web("DELETE", "/session", { cookie, csrf })).status).toBe(200);
    expect((await web("GET", "/session", { cookie })).body["session"]).toBeNull();
  });

  test("15 minutes without activity end a session, and 12 hours end every session", async () => {
    const first = await signIn();
    const present = { "x-pestle-present": "1" };
    app.advance(IDLE_MS - A_MINUTE_MS);
    expect((await web("GET", "/session", { cookie: first.cookie, headers: present })).body["session"]).not.toBeNull();
    app.advance(IDLE_MS - A_MINUTE_MS);
    // A page that refreshes itself does not keep a user signed in.
    expect((await web("GET", "/session", { cookie: first.cookie })).body["session"]).not.toBeNull();
    app.advance(A_MINUTE_MS + 1_000);
    expect((await web("GET", "/session", { cookie: first.cookie })).body["session"]).toBeNull();
    const second = await signIn();
    for (let passed = 0; passed <= LONGEST_SESSION_MS; passed += IDLE_MS - A_MINUTE_MS) {
      app.advance(IDLE_MS - A_MINUTE_MS);
      await web("GET", "/session", { cookie: second.cookie, headers: present });
    }
    expect((await web("GET", "/session", { cookie: second.cookie })).body["session"]).toBeNull();
  });
});

test("the job deletes sessions that can no longer be used", async () => {
  await signIn();
  app.advance(IDLE_MS + 1_000);
  const live = await signIn();
  await tidy(app.deps);
  const { rows } = await app.deps.db.raw("select session_hash from session");
  expect(rows).toHaveLength(1);
  expect((await web("GET", "/session", { cookie: live.cookie })).body["session"]).not.toBeNull();
});

describe("the second factor", () => {
  test("RFC 6238's vectors hold, and base32 is RFC 4648's", () => {
    const secret = Buffer.from("12345678901234567890");
    const vectors: [number, string][] = [
      [59, "287082"],
      [1111111109, "081804"],
      [1234567890, "005924"],
      [20000000000, "353130"],
    ];
    for (const [seconds, code] of vectors) expect(totpCode(secret, Math.floor(seconds / 30))).toBe(code);
    expect(base32(Buffer.from("foobar"))).toBe("MZXW6YTBOI");
  });

  test("once set up, a password alone opens nothing, and each code works once", async () => {
    const email = "second.factor@larkspur.example";
    const password = "a long enough password";
    await app.deps.db.transaction((tx) =>
      createPerson(
        tx,
        {
          email,
          name: "Two Factors",
          role: "pharmacist",
          partner_id: null,
          password_hash: hashPassword(password, TEST_PASSWORD_COST),
        },
        new Date(),
      ),
    );
    const signed = await web("POST", "/session", { body: { email, password } });
    const csrf = String(signed.body["csrf_token"]);
    const made = await web("POST", "/session/second_factor", { body: {}, cookie: signed.cookie, csrf });
    expect(made.body["address"]).toMatch(/^otpauth:\/\/totp\//);
    const { size, path } = made.body["qr_code"] as QrPicture;
    const drawn = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
    for (const [, x, y, run] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g)) {
      drawn[Number(y)]!.fill(true, Number(x), Number(x) + Number(run));
    }
    expect(drawn).toEqual(await qrCode(String(made.body["address"])));
    const secret = decode(String(made.body["secret"]));
    const code = () => totpCode(secret, Math.floor(app.deps.now().getTime() / 30_000));
    expect((await web("POST", "/session/code", { body: { code: "000000" }, cookie: signed.cookie, csrf })).status).toBe(
      401,
    );
    expect((await web("POST", "/session/code", { body: { code: code() }, cookie: signed.cookie, csrf })).status).toBe(
      200,
    );
    app.advance(60_000);
    const half = await web("POST", "/session", { body: { email, password } });
    expect(half.body["outcome"]).toBe("needs_code");
    const used = code();
    const whole = await web("POST", "/session/code", {
      body: { code: used },
      cookie: half.cookie,
      csrf: String(half.body["csrf_token"]),
    });
    expect([whole.status, whole.body["complete"]]).toEqual([200, true]);
    expect((await web("POST", "/session", { body: { email, password, code: used } })).status).toBe(401);
    app.advance(60_000);
    expect((await web("POST", "/session", { body: { email, password, code: code() } })).body["outcome"]).toBe(
      "signed_in",
    );
  });
});

describe("recovery codes", () => {
  const password = "a long enough password";
  /** A person with an authenticator, and the answer to its first code. */
  async function enrolled(email: string) {
    const password_hash = hashPassword(password, TEST_PASSWORD_COST);
    const given = { email, name: "Lost Phone", role: "technician", partner_id: null, password_hash };
    const person_id = await app.deps.db.transaction((tx) => createPerson(tx, given, app.deps.now()));
    const signed = await web("POST", "/session", { body: { email, password } });
    const session = { cookie: signed.cookie, csrf: String(signed.body["csrf_token"]) };
    // Without a second factor there is nothing to recover.
    expect((await web("POST", "/session/recovery_codes", { ...session, body: {} })).status).toBe(422);
    const made = await web("POST", "/session/second_factor", { ...session, body: {} });
    const secret = decode(String(made.body["secret"]));
    const code = () => totpCode(secret, Math.floor(app.deps.now().getTime() / 30_000));
    const confirmed = await web("POST", "/session/code", { ...session, body: { code: code() } });
    expect(confirmed.status).toBe(200);
    const signInWith = async (recovery: string) =>
      (await web("POST", "/session", { body: { email, password, code: recovery } })).status;
    const left = async () => {
      const { body } = await web("GET", "/session", { cookie: session.cookie });
      return (body["session"] as { recovery_codes_left: number }).recovery_codes_left;
    };
    const actions = async () => {
      const { rows } = await app.deps.db.raw(
        "select action from audit_entry where person_id = $1 and action like 'recovery%' order by audit_id",
        [person_id],
      );
      return (rows as { action: string }[]).map(({ action }) => action);
    };
    const codes = confirmed.body["recovery_codes"] as string[];
    return { person_id, session, codes, code, signInWith, left, actions };
  }

  test("come with the second factor, are stored as hashes, and each replaces it once", async () => {
    const { person_id, session, codes, code, signInWith, left, actions } =
      await enrolled("lost.phone@larkspur.example");
    expect([codes.length, new Set(codes).size]).toEqual([10, 10]);
    expect(codes.join(" ")).toMatch(/^([a-z2-7]{4}(-[a-z2-7]{4}){3} ?){10}$/);
    const { rows } = await app.deps.db.raw("select * from recovery_code where person_id = $1", [person_id]);
    expect(rows).toHaveLength(10);
    expect(JSON.stringify([rows, app.lines()])).not.toContain(codes[0]!);
    expect(await signInWith(codes[0]!)).toBe(200);
    expect(await signInWith(codes[0]!)).toBe(401);
    expect(await signInWith(codes[1]!.toUpperCase().replaceAll("-", " "))).toBe(200);
    expect(await left()).toBe(8);
    // Only the first code of a factor shows the recovery codes.
    app.advance(60_000);
    const again = await web("POST", "/session/code", { ...session, body: { code: code() } });
    expect([again.status, again.body["recovery_codes"]]).toEqual([200, undefined]);
    expect(await actions()).toEqual(["recovery_codes_created", "recovery_code_used", "recovery_code_used"]);
  });

  test("finish a sign-in that waits for the second factor, and confirm a sensitive change", async () => {
    const email = "half.way@larkspur.example";
    const { codes, left } = await enrolled(email);
    const half = await web("POST", "/session", { body: { email, password } });
    expect(half.body["outcome"]).toBe("needs_code");
    const session = { cookie: half.cookie, csrf: String(half.body["csrf_token"]) };
    const whole = await web("POST", "/session/code", { ...session, body: { code: codes[0] } });
    expect(whole.body).toMatchObject({ outcome: "signed_in", recovery_codes_left: 9 });
    const confirmed = await web("POST", "/session/verify", { ...session, body: { code: codes[1] } });
    expect([confirmed.status, confirmed.body["recovery_codes_left"], await left()]).toEqual([200, 8, 8]);
  });

  test("one code sent twice at the same moment works once, and guesses are limited", async () => {
    const { codes, signInWith, left } = await enrolled("two.hands@larkspur.example");
    const both = await Promise.all([signInWith(codes[0]!), signInWith(codes[0]!)]);
    expect([both.sort(), await left()]).toEqual([[200, 401], 9]);
    const guesses: number[] = [];
    for (let tries = 0; tries < 11; tries++) guesses.push(await signInWith("aaaa-bbbb-cccc-dddd"));
    expect(guesses.at(-1)).toBe(429);
    app.advance(15 * 60_000);
  });

  test("new ones replace the old, after a recent sign-in; another person's do not count", async () => {
    const { session, codes, signInWith, actions } = await enrolled("new.codes@larkspur.example");
    const other = await enrolled("other.codes@larkspur.example");
    const renew = () => web("POST", "/session/recovery_codes", { ...session, body: {} });
    for (const _ of [1, 2]) {
      app.advance(8 * 60_000);
      await web("GET", "/session", { cookie: session.cookie, headers: { "x-pestle-present": "1" } });
    }
    const refused = await renew();
    expect([refused.status, refused.body["error"]]).toEqual([403, expect.objectContaining({ key: "verify" })]);
    expect((await web("POST", "/session/verify", { ...session, body: { password } })).status).toBe(200);
    const { body } = await renew();
    const fresh = body["codes"] as string[];
    expect(fresh).toHaveLength(10);
    expect([await signInWith(codes[2]!), await signInWith(other.codes[2]!), await signInWith(fresh[2]!)]).toEqual([
      401, 401, 200,
    ]);
    expect(await actions()).toEqual(["recovery_codes_created", "recovery_codes_created", "recovery_code_used"]);
  });

  test("a reset of the second factor removes them, in the dashboard and with the command", async () => {
    for (const [email, reset] of [
      ["reset.one@larkspur.example", "second_factor"],
      ["reset.two@larkspur.example", "command"],
    ] as const) {
      const { person_id, codes, signInWith, session } = await enrolled(email);
      if (reset === "command") {
        await resetSecondFactorByEmail(app.deps, email.toUpperCase(), app.deps.now());
      } else {
        const { body, cookie } = await signIn();
        const path = `/dashboard/people/${person_id}/second_factor`;
        expect((await web("POST", path, { cookie, csrf: String(body["csrf_token"]), body: {} })).status).toBe(200);
      }
      const { rows } = await app.deps.db.raw("select * from recovery_code where person_id = $1", [person_id]);
      expect(rows).toEqual([]);
      expect((await web("GET", "/session", { cookie: session.cookie })).body["session"]).toBeNull();
      // The password alone signs in: the code no longer means anything.
      expect(await signInWith(codes[0]!)).toBe(200);
    }
  });
});

function decode(text: string): Buffer {
  const bits = [...text]
    .map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

test("a user who knows the password can change it, which ends the user's other sessions", async () => {
  const [email, password, new_password] = [
    "mara.lind@larkspur.example",
    "a first long password",
    "another long password",
  ];
  const mara = {
    email,
    name: "Mara Lind",
    role: "technician",
    partner_id: null,
    password_hash: hashPassword(password, TEST_PASSWORD_COST),
  };
  await app.deps.db.transaction((tx) => createPerson(tx, mara, app.deps.now()));
  const here = await web("POST", "/session", { body: { email, password } });
  const elsewhere = await web("POST", "/session", { body: { email, password } });
  const csrf = String(here.body["csrf_token"]);
  const change = (body: object) => web("POST", "/session/password", { body, cookie: here.cookie, csrf });
  const wrong = await change({ password: "not the password", new_password });
  expect([wrong.status, wrong.body["error"]]).toEqual([
    422,
    { error_code: 422, message: "The current password is wrong." },
  ]);
  const weak = { short: /12 characters/, "Password2026!": /too common/, "mara.lind2026": /mostly your name/ };
  for (const [weak_password, message] of Object.entries(weak)) {
    const refused = await change({ password, new_password: weak_password });
    expect([refused.status, refused.body["error"]]).toEqual([
      422,
      { error_code: 422, message: expect.stringMatching(message) },
    ]);
  }
  expect((await web("POST", "/session", { body: { email, password } })).status).toBe(200);
  expect((await change({ password, new_password })).status).toBe(200);
  expect((await web("GET", "/session", { cookie: here.cookie })).body["session"]).not.toBeNull();
  expect((await web("GET", "/session", { cookie: elsewhere.cookie })).body["session"]).toBeNull();
  expect((await web("POST", "/session", { body: { email, password } })).status).toBe(401);
  expect((await web("POST", "/session", { body: { email, password: new_password } })).status).toBe(200);
});
