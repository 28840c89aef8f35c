import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Order } from "@pestle/contract";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { loadCommands } from "../../../src/cli/commands.ts";
import { IDLE_MS } from "../../../src/usecases/accounts/sign-in.ts";
import { newOrder, placed } from "../../support/orders.ts";
import { arrived } from "../../support/simulate.ts";
import { startTestApp, TEST_MASTER_KEY, type TestApp } from "../../support/test-app.ts";
import { runCli } from "../../support/tools/run-cli.ts";
import { refusalOf, runCommand } from "../../support/tools/run-command.ts";

const commands = await loadCommands();

let app: TestApp;
let folder: string;
let file: string;
let env: Record<string, string>;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  folder = mkdtempSync(join(tmpdir(), "pestle-staff-"));
  const { DATABASE_URL, DATABASE_OWNER_URL, DATABASE_JOBS_URL, DATA_DIR } = app.config;
  const XDG_CONFIG_HOME = join(folder, "config");
  file = join(XDG_CONFIG_HOME, "pestle/staff.json");
  env = {
    DATABASE_URL,
    DATABASE_OWNER_URL,
    DATABASE_JOBS_URL,
    DATA_DIR,
    MASTER_KEY: TEST_MASTER_KEY,
    XDG_CONFIG_HOME,
    LOG_LEVEL: "warn",
  };
});
afterEach(() => rmSync(join(folder, "config"), { recursive: true, force: true }));
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (name: string, options: Record<string, unknown> = {}, argument = "", settings = {}) =>
  runCommand({ ...env, ...settings }, name, options, argument);
const refused = (...given: Parameters<typeof run>) => refusalOf(run(...given));
const person = (index: number) => app.demo.people[index]!;
const login = (index: number) => run("user login", { email: person(index).email });
const newMade = async (): Promise<Order> => placed(app, (await newOrder(app)).body);
const approve = ({ order_number }: Order, options: Record<string, unknown> = {}) =>
  refused("order approve", { account: app.demo.partners[0]!.account_id, ...options }, order_number);
const sessions = async (email: string) => {
  const text = "select count(*) as count from session join person using (person_id) where email = $1";
  return (await app.deps.db.raw(text, [email])).rows[0]!["count"];
};

describe("a command of pharmacy staff", () => {
  test("does not act for a person who is only named", async () => {
    const made = await newMade();
    const { email } = person(1);
    expect(await approve(made)).toBe("1 You are not signed in. Run `pestle user login --email EMAIL` first.");
    expect(await approve(made, { as: email })).toBe(
      `1 ${email} is not signed in on this machine. Run \`pestle user login --email ${email}\` first.`,
    );
    await login(0);
    // Another person's session is no help.
    expect(await approve(made, { as: email })).toContain("is not signed in on this machine");
    expect(await approve(made)).toBe("1 Your role does not allow this.");
  });

  test("acts for the person who signed in, and `--as` chooses among several", async () => {
    const made = await newMade();
    await login(1);
    expect(await approve(made)).toBe("done");
    await login(2);
    const again = await newMade();
    expect(await approve(again)).toBe(
      `1 Several people are signed in: ${person(1).email}, ${person(2).email}. Choose one with --as EMAIL.`,
    );
    expect(await approve(again, { as: person(2).email.toUpperCase() })).toBe("done");
    const shown = await run(
      "order show",
      { account: app.demo.partners[0]!.account_id, as: person(1).email },
      again.order_number,
    );
    expect(shown.text).toContain(`pharmacist ${person(2).email}`);
  });

  test("has the same option on every command that acts for a person", () => {
    const acting = commands.filter(({ options = [] }) => options.some(([flags]) => flags.startsWith("--as ")));
    expect(acting.length).toBeGreaterThan(15);
    for (const { options = [] } of acting) {
      const [, meaning, rules] = options.find(([flags]) => flags.startsWith("--as "))!;
      expect([meaning, rules]).toEqual([expect.stringContaining("pestle user login"), undefined]);
    }
  });
});

describe("pestle user login", () => {
  test("keeps a session that only its owner can read, bound to the person, and never the password", async () => {
    const { email, password, name, role } = person(1);
    const typed = ["user", "login", "--email", email, "--password-stdin", "--json"];
    const ran = await runCli(typed, env, `${password}\n`);
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    expect(ran.json()).toMatchObject({ email, name, role, file });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const kept = readFileSync(file, "utf8");
    expect(kept).not.toContain(password);
    const [entry] = JSON.parse(kept).people;
    expect(entry).toMatchObject({ email, person_id: expect.any(String), expires_at: expect.any(String) });
    // The token of one person does not act for another.
    writeFileSync(file, JSON.stringify({ people: [{ ...entry, person_id: "another" }] }), { mode: 0o600 });
    expect(await approve(await newMade())).toMatch(/^1 The session of .+ has ended\./);
  });

  test("refuses a wrong password, a partner's user and a missing password", async () => {
    const { email } = person(1);
    const wrong = await runCli(["user", "login", "--email", email, "--password-stdin"], env, "not the password\n");
    expect(wrong).toMatchObject({ code: 1, stderr: "pestle: The email, the password or the code is wrong.\n" });
    const { portal } = app.demo.partners[0]!;
    const before = await sessions(portal.email);
    const typed = ["user", "login", "--email", portal.email, "--password-stdin"];
    expect(await runCli(typed, env, `${portal.password}\n`)).toMatchObject({
      code: 1,
      stderr: "pestle: Only pharmacy staff can work at the command line.\n",
    });
    expect(await sessions(portal.email)).toBe(before);
    expect(await refused("user login", { email: "who@larkspur.example" })).toContain("Give --password-stdin.");
  });

  test("needs the second factor where it is required", async () => {
    const { email } = person(1);
    expect(await refused("user login", { email }, "", { SECOND_FACTOR: "required" })).toContain(
      "set up your authenticator app",
    );
    expect(await approve(await newMade())).toContain("You are not signed in.");
  });

  test("does not use a file that other users can read, or that is not ours", async () => {
    await login(1);
    chmodSync(file, 0o644);
    expect(await approve(await newMade())).toMatch(/^1 Other users can read .+staff\.json/);
    writeFileSync(file, "[]");
    chmodSync(file, 0o600);
    expect(await approve(await newMade())).toMatch(/was not written by `pestle user login`/);
  });

  test("ends with the session: after a logout, a reset password, or a while without commands", async () => {
    const { email } = person(1);
    await login(1);
    const { token } = JSON.parse(readFileSync(file, "utf8")).people[0];
    expect((await run("user logout", { email })).text).toBe(`Signed out: ${email}.`);
    expect((await run("user logout")).text).toBe("You were not signed in.");
    expect(await approve(await newMade())).toContain("You are not signed in.");
    expect(token).toMatch(/^[\w-]{43}$/);
    await login(1);
    await app.deps.db.raw("update session set last_seen_at = last_seen_at - $1::bigint * interval '1 ms'", [
      IDLE_MS + 60_000,
    ]);
    expect(await approve(await newMade())).toBe(
      `1 The session of ${email} has ended. Run \`pestle user login --email ${email}\` again.`,
    );
    await login(1);
    await app.deps.db.raw("update person set license_expires_on = '2020-01-31' where email = $1", [email]);
    expect(await approve(await newMade())).toContain("no current pharmacist license");
  });
});

describe("pestle user license", () => {
  test("sets and removes a license, and rejects invalid fields", async () => {
    const { email } = person(2);
    const license = { licenseNumber: "RPH-9", licenseState: "ny", licenseExpires: "2099-05-31", npi: "1234567893" };
    expect((await run("user license", { email, ...license })).text).toBe(
      `${email} has license RPH-9 (NY), which expires on 2099-05-31.`,
    );
    expect(await refused("user license", { email, ...license, npi: "1" })).toContain("The NPI is not valid.");
    expect(await refused("user license", { email, licenseNumber: "RPH-9" })).toContain("needs its number");
    expect(await refused("user license", { ...license, email: "who@larkspur.example" })).toContain("No user has");
    const { email: partner } = app.demo.partners[0]!.portal;
    expect(await refused("user license", { ...license, email: partner })).toContain("own staff");
    const listed = async () => (await run("user list")).text.split("\n").find((line) => line.startsWith(email));
    expect(await listed()).toMatch(/ pharmacist +RPH-9 +NY +2099-05-31 +yes$/);
    await login(2);
    expect(await approve(await newMade(), { as: email })).toBe("done");
    expect((await run("user license", { email })).text).toBe(`${email} has no license and cannot act as a pharmacist.`);
    expect(await approve(await newMade(), { as: email })).toContain("no current pharmacist license");
    expect(await listed()).toMatch(/ pharmacist +no$/);
  });
});

describe("pestle rx partial", () => {
  const partial = (prescription: string, more: Record<string, unknown> = {}) =>
    refused(
      "rx partial",
      { account: app.demo.partners[0]!.account_id, requestedBy: "patient", note: "Portal message.", ...more },
      prescription,
    );

  test("records the request of a schedule 2 prescription once, for a licensed pharmacist who signed in", async () => {
    const { prescription_id } = await arrived(app, { drug_schedule: "2", written_qty: 60 });
    const { prescription_id: other } = await arrived(app, { drug_schedule: "4", written_qty: 30 });
    const id = String(prescription_id);
    expect(await partial(id)).toContain("You are not signed in.");
    await login(0);
    expect(await partial(id)).toBe("1 Only a pharmacist may decide this.");
    const { email } = person(1);
    await login(1);
    const by = { as: email };
    await run("user license", { email });
    expect(await partial(id, by)).toContain("a pharmacist with a current license");
    await run("user license", { email, licenseNumber: "RPH-9", licenseState: "CA", licenseExpires: "2099-05-31" });
    expect(await partial("x", by)).toContain("Give the number of the prescription.");
    expect(await partial("1", by)).toContain("no such prescription");
    expect(await partial(String(other), by)).toContain("Only a schedule 2 prescription");
    expect(await partial(id, by)).toBe("done");
    expect(await partial(id, by)).toContain("already on record");
  });
});
