import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { programs, TESTED } from "../../../../chaos/server-process.ts";
import { type DemoPartner, writeDemo } from "../../../src/seed/demo-file.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { runCli } from "../../support/tools/run-cli.ts";
import { refusalOf, runCommand } from "../../support/tools/run-command.ts";
import { signedIn } from "../../support/web.ts";

let app: TestApp;
let folder: string;
let kept: string;
/** A user on another machine: no database, no demo, no settings. */
let env: Record<string, string>;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  folder = mkdtempSync(join(tmpdir(), "pestle-login-"));
  kept = join(folder, "config/pestle/profiles.json");
  env = { DATA_DIR: join(folder, "nothing"), XDG_CONFIG_HOME: join(folder, "config") };
});
afterEach(() => rmSync(join(folder, "config"), { recursive: true, force: true }));
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (name: string, options: Record<string, unknown> = {}, argument = "", settings = {}) =>
  runCommand({ ...env, ...settings }, name, options, argument);
const refused = (...given: Parameters<typeof run>) => refusalOf(run(...given));
/** What the demo partner with that index types. */
function login(partner: number, options: Record<string, unknown> = {}, settings: Record<string, string> = {}) {
  const { client_id, client_secret, environment } = app.demo.partners[partner]!;
  const typed = { clientId: client_id, environment, baseUrl: app.addresses.base_url, ...options };
  return run("login", typed, "", { CLIENT_SECRET: client_secret, ...settings });
}

describe("pestle login", () => {
  test("stores working credentials, readable only by their owner, and never shows the secret", async () => {
    const { client_id, client_secret } = app.demo.partners[0]!;
    const args = ["login", "--client-id", client_id, "--base-url", app.addresses.base_url, "--secret-stdin", "--json"];
    const { code, stdout, stderr, json } = await runCli(args, env, `${client_secret}\n`);
    expect([code, stderr]).toEqual([0, ""]);
    expect(json()).toMatchObject({
      profile: "default",
      client_id,
      environment: "sandbox",
      auth_url: app.addresses.sandbox_auth_url,
      file: kept,
    });
    expect(stdout).not.toContain(client_secret);
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(kept, "utf8")).profiles.default).toMatchObject({ client_id, client_secret });
  });

  test("is all that every API command needs: no database, no demo", async () => {
    await login(0);
    const { patient_id } = (await run("simulate prescription", { drug: "atorvastatin" })).data as {
      patient_id: string;
    };
    const { order_number } = (await run("orders create", { patient: patient_id })).data as { order_number: string };
    await run("simulate order", { to: "Shipped" }, order_number);
    expect((await run("orders get", {}, order_number)).data).toMatchObject({ order_status: "Shipped" });
    await run("trigger", {}, "RX_RECEIVED");
    expect((await run("events list")).data).not.toEqual({ items: [], next_cursor: null });
    expect((await run("webhooks list")).data).toEqual([]);
    expect((await run("token")).text).not.toBe("");
    expect((await run("whoami")).data).toMatchObject({ chosen_by: "profile default", scope: "partners" });
  });

  test("does not store credentials that do not work", async () => {
    expect(
      await refused("login", { clientId: "a-b", baseUrl: app.addresses.base_url }, "", { CLIENT_SECRET: "x" }),
    ).toMatch(/^4 The token server refused: invalid_client\./);
    await expect(login(0, { baseUrl: "http://127.0.0.1:1" })).rejects.toThrow(
      "No service answers at http://127.0.0.1:1",
    );
    await expect(login(0, { baseUrl: app.addresses.auth_url })).rejects.toThrow("does not name a token server");
    // The credential is valid, and the API's address has a typo.
    const auth_url = app.addresses.sandbox_auth_url;
    await expect(login(0, { baseUrl: auth_url, authUrl: auth_url })).rejects.toThrow();
    for (const baseUrl of ["http://pharmacy.example", "pharmacy.example", "https://u:p@pharmacy.example"]) {
      await expect(login(0, { baseUrl })).rejects.toThrow("--base-url takes an https URL");
    }
    await expect(login(0, { profile: "../up" })).rejects.toThrow("A profile name");
    await expect(login(0, {}, { XDG_CONFIG_HOME: "" })).rejects.toThrow("Set HOME or XDG_CONFIG_HOME.");
    expect(existsSync(kept)).toBe(false);
  });

  test("never prompts without a terminal, and says which options to give", async () => {
    for (const [args, line] of [
      [["login"], "pestle: Give --client-id.\n"],
      [
        ["login", "--client-id", "a-b", "--base-url", app.addresses.base_url],
        "pestle: There is no secret. Set CLIENT_SECRET, or give --secret-stdin or --key.\n",
      ],
    ] as const) {
      expect(await runCli(args, env)).toMatchObject({ code: 2, stdout: "", stderr: line });
    }
  });

  test("prompts on a terminal for missing values, and does not show the secret", async () => {
    const { client_id, client_secret } = app.demo.partners[0]!;
    const seen = await typed([
      ["Client id: ", client_id],
      ["]: ", app.addresses.base_url],
      ["(not shown): ", client_secret],
    ]);
    expect(seen).toContain(`Logged in as ${client_id} (sandbox)`);
    expect(seen).not.toContain(client_secret);
    expect(existsSync(kept)).toBe(true);
  });
});

describe("a credential that requires a key", () => {
  test("works with --key and from a profile, and the secret alone is refused", async () => {
    const willow = await signedIn(app, app.demo.partners[0]!.portal);
    const P = "/portal/sandbox/credentials";
    const { client_id, client_secret } = (await willow.send("POST", P, { name: "signing service" })).body;
    const path = `${P}/${client_id.split("-")[1]}`;
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const key = publicKey.export({ type: "spki", format: "pem" }).toString();
    expect((await willow.send("POST", `${path}/keys`, { key })).status).toBe(200);
    expect((await willow.send("PATCH", path, { key_required: true })).status).toBe(200);
    const pem = join(folder, "partner-key.pem");
    writeFileSync(pem, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
    const jwk = join(folder, "partner-key.json");
    writeFileSync(jwk, JSON.stringify(privateKey.export({ format: "jwk" })), { mode: 0o600 });

    const named = { clientId: client_id, environment: "sandbox", baseUrl: app.addresses.base_url };
    const by_secret = () => refused("login", named, "", { CLIENT_SECRET: client_secret });
    await expect.poll(by_secret, { timeout: 60_000 }).toMatch(/^4 The token server refused: invalid_client\./);
    for (const file of [pem, jwk]) {
      const told = await run("login", { ...named, key: file });
      expect(told.data).toMatchObject({ client_id, key_file: file });
      expect(readFileSync(kept, "utf8")).not.toContain("PRIVATE KEY");
      expect((await run("token")).text).not.toBe("");
      expect((await run("whoami")).data).toMatchObject({ client_id, scope: "partners" });
      expect((await run("webhooks list")).data).toEqual([]);
    }
    const settings = { SANDBOX_AUTH_URL: app.addresses.sandbox_auth_url };
    const typed = { clientId: client_id, environment: "sandbox", key: pem };
    expect((await run("token", typed, "", settings)).text).not.toBe("");

    expect(await refused("token", { key: pem })).toBe("2 --key needs --client-id.");
    expect(await refused("listen", { forwardTo: "http://127.0.0.1:9" })).toMatch(/--forward-to signs with the client/);
    writeFileSync(join(folder, "public.pem"), key, { mode: 0o600 });
    writeFileSync(join(folder, "open.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
    chmodSync(join(folder, "open.pem"), 0o644);
    for (const [file, why] of [
      ["public.pem", /has no private key/],
      ["open.pem", /chmod 600/],
      ["none.pem", /cannot be read/],
    ] as const) {
      expect(await refused("token", { ...typed, key: join(folder, file) }, "", settings)).toMatch(why);
    }
  });
});

describe("the selected account", () => {
  test("is the typed one, then a named profile, then the default profile, then the demo", async () => {
    const data_dir = { DATA_DIR: app.config.DATA_DIR };
    writeDemo(app.config.DATA_DIR, app.demo);
    const [willow, juniper, live] = [0, 1, 2].map((index) => app.demo.partners[index]!) as [
      DemoPartner,
      DemoPartner,
      DemoPartner,
    ];
    const chosen = async (options = {}, settings = {}) => {
      const { client_id, chosen_by } = (await run("whoami", options, "", { ...data_dir, ...settings })).data as {
        client_id: string;
        chosen_by: string;
      };
      return [chosen_by, client_id];
    };
    expect(await chosen()).toEqual(["the demo, Willow Telehealth", willow.client_id]);
    await login(1);
    await login(2, { profile: "live" });
    expect(await chosen()).toEqual(["profile default", juniper.client_id]);
    expect(await chosen({}, { PESTLE_PROFILE: "live" })).toEqual(["profile live", live.client_id]);
    expect(await chosen({ profile: "default" }, { PESTLE_PROFILE: "live" })).toEqual([
      "profile default",
      juniper.client_id,
    ]);
    expect(await chosen({ clientId: willow.client_id }, { PESTLE_PROFILE: "live" })).toEqual([
      "--client-id",
      willow.client_id,
    ]);
    expect(await chosen({ partner: juniper.name })).toEqual([`the demo, ${juniper.name}`, juniper.client_id]);
    expect(await refused("whoami", { profile: "nobody" })).toMatch(/^1 There is no profile with that name\./);
    expect(await refused("whoami", { profile: "live", partner: "x" })).toMatch(
      /^2 Give only one of --client-id, --partner and/,
    );
    expect(await refused("simulate clock", { advance: "1", profile: "live" })).toMatch(/^1 .+ is a production account/);
  });

  test("is never one of another environment than --environment says", async () => {
    const demo = { DATA_DIR: app.config.DATA_DIR };
    writeDemo(app.config.DATA_DIR, app.demo);
    const [willow, , live] = app.demo.partners as [DemoPartner, DemoPartner, DemoPartner];
    const whoami = (options: object) => refused("whoami", { ...options }, "", demo);
    const mismatch = (whose: string, is: string, says: string) =>
      `2 The account of ${whose} is a ${is} account, but --environment says ${says}. Omit --environment, or choose an account of that environment with --profile, --partner or --client-id.`;
    expect(await whoami({ partner: live.name, environment: "sandbox" })).toBe(
      mismatch(`the demo, ${live.name}`, "production", "sandbox"),
    );
    expect(await whoami({ clientId: willow.client_id, environment: "production" })).toBe(
      "2 This client id is a sandbox one, not a production one. Omit --environment, or give another client id.",
    );
    // Without a name, the demo's first partner of that environment.
    const { data } = await run("whoami", { environment: "production" }, "", demo);
    expect(data).toMatchObject({ client_id: live.client_id, environment: "production" });
    await login(2, { profile: "live" });
    await login(0);
    expect(await refused("orders list", { profile: "live", environment: "sandbox" })).toBe(
      mismatch("profile live", "production", "sandbox"),
    );
    expect(await refused("orders list", { environment: "production" })).toBe(
      mismatch("profile default", "sandbox", "production"),
    );
    expect(await refused("rx send", { preset: "simple", to: "9900017", environment: "production" }, "", demo)).toBe(
      mismatch("the demo's network", "sandbox", "production"),
    );
  });

  test("a profile's secret goes only to the service it was stored for, regardless of the settings", async () => {
    await login(0);
    const elsewhere = { BASE_URL: "http://127.0.0.1:1", SANDBOX_AUTH_URL: "http://127.0.0.1:1" };
    expect((await run("whoami", {}, "", elsewhere)).data).toMatchObject({ base_url: app.addresses.base_url });
  });

  test("without an account, the error says how to log in", async () => {
    expect(await refused("orders list")).toMatch(/you are not logged in\. Run `pestle login`, or give --client-id\.$/);
    expect(await refused("rx send", { preset: "simple", to: "9900017" })).toMatch(/you are not logged in/);
  });
});

describe("pestle logout", () => {
  test("removes one profile or all, and says so", async () => {
    await login(0);
    await login(1, { profile: "other" });
    const { data, text } = await run("whoami", { list: true });
    expect((data as { profile: string }[]).map(({ profile }) => profile)).toEqual(["default", "other"]);
    expect(`${JSON.stringify(data)}${text}`).not.toContain(app.demo.partners[0]!.client_secret);
    expect((await run("logout")).data).toEqual({ forgotten: ["default"] });
    expect((await run("logout")).text).toBe("You were not logged in.");
    expect((await run("logout", { all: true })).data).toEqual({ forgotten: ["other"] });
    expect(existsSync(kept)).toBe(false);
    expect((await run("whoami", { list: true })).text).toBe("You are not logged in.");
  });

  test("does not use a file that other users can read, or that is not ours", async () => {
    await login(0);
    chmodSync(kept, 0o644);
    expect(await refused("whoami")).toMatch(/^1 Other users can read .+profiles\.json, which contains secrets\./);
  });
});

/** Types each answer when its prompt appears, on its own terminal; returns all visible output. */
async function typed(answers: [question: string, answer: string][]): Promise<string> {
  const command = [process.execPath, ...programs[TESTED], "login"].join(" ");
  const root = fileURLToPath(new URL("../../../..", import.meta.url));
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd: root,
    env: { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", ...env },
  });
  let seen = "";
  let looked_at = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    seen += text;
    const [next] = answers;
    const at = next === undefined ? -1 : seen.indexOf(next[0], looked_at);
    if (next === undefined || at < 0) return;
    looked_at = at + next[0].length;
    answers.shift();
    child.stdin.write(`${next[1]}\r`);
  });
  await once(child, "close");
  return seen;
}
