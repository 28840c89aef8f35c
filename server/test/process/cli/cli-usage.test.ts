import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProgram } from "@pestle/cli/program";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandFiles, commandsFor, loadCommands } from "../../../src/cli/commands.ts";
import { groups, headings } from "../../../src/cli/groups.ts";
import { pestle } from "../../../src/cli/pestle.ts";
import { settings } from "../../../src/config.ts";
import { findPerson } from "../../../src/db/accounts/people.ts";
import { openDb } from "../../../src/db/db.ts";
import { passwordMatches } from "../../../src/vault/password-hash.ts";
import { createTestDatabase, TEST_MASTER_KEY } from "../../support/test-app.ts";
import { runCli } from "../../support/tools/run-cli.ts";
import { runCommand } from "../../support/tools/run-command.ts";

const commands = await loadCommands();

let folder: string;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let env: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pestle-usage-"));
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url, MASTER_KEY: TEST_MASTER_KEY, DATA_DIR: folder };
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (name: string, options: Record<string, unknown> = {}, argument = "") =>
  runCommand(env, name, options, argument);

describe("a command line", () => {
  test.each(commandFiles.map(([words, load]) => [words.join(", "), words, load] as const))(
    "that starts with %s loads the commands of these names",
    async (_, words, load) => {
      const first = [await load()].flat().map(({ name }) => name.split(" ")[0]);
      expect([...new Set(first)].sort()).toEqual([...words].sort());
    },
  );

  test("loads its own group only; without a known first word it loads all, for the help", async () => {
    expect((await commandsFor("orders")).map(({ name }) => name.split(" ")[0])).toEqual(
      commands.filter(({ name }) => name.startsWith("orders ")).map(() => "orders"),
    );
    expect(await commandsFor("--version")).toEqual([]);
    // The build lists them as data, so that the help need not load their code.
    const data = (rows: typeof commands) => rows.map(({ run, ...row }) => row);
    for (const word of [undefined, "--help", "nonsense"]) {
      expect(data(await commandsFor(word))).toEqual(data(commands));
    }
  });
});

describe("every command", () => {
  test.each(commands.map((row) => [row.name, row] as const))("%s has help with an example", (name, row) => {
    const verbs = name.split(" ");
    let command = createProgram(pestle, commands);
    for (const verb of verbs) command = command.commands.find((one) => one.name() === verb)!;
    const lines: string[] = [];
    command.configureOutput({ writeOut: (text) => void lines.push(text) }).outputHelp();
    const help = lines.join("");
    expect(help).toContain(row.summary.slice(0, 30));
    expect(help).toContain(`pestle ${name}`);
    expect(help.includes("--json")).toBe(row.runs_on === undefined);
    // All users of the machine can see the arguments, so no option takes a secret. The name of a file is none.
    expect(help).not.toMatch(/--(password|secret|key|token)[ =]<(?!secret_id|file>)/);
  });
});

test("the help has every command under one heading, and every group has a meaning", () => {
  const words = [...new Set(commands.map(({ name }) => name.split(" ")[0]!))];
  expect(Object.values<readonly string[]>(headings).flat().sort()).toEqual(words.sort());
  const grouped = commands.filter(({ name }) => name.includes(" ")).map(({ name }) => name.split(" ")[0]!);
  expect(Object.keys(groups).sort()).toEqual([...new Set(grouped)].sort());
  const lines: string[] = [];
  createProgram(pestle, commands)
    .configureOutput({ writeOut: (text) => void lines.push(text) })
    .outputHelp();
  for (const heading of Object.keys(headings)) expect(lines.join("")).toContain(`${heading}:`);
});

test("the README names every command, and no unknown one", () => {
  const readme = readFileSync(new URL("../../../../README.md", import.meta.url), "utf8");
  const rows = readme.slice(readme.indexOf("| who | commands |")).split("\n").slice(2, 5).join("");
  const told = [...rows.matchAll(/`([a-z]+)`/g)].map(([, name]) => name);
  const names = commands.map(({ name }) => name.split(" ")[0]);
  expect([...new Set(told)].sort()).toEqual([...new Set(names)].sort());
});

describe("errors are one line, and the exit code shows whose mistake it is", () => {
  test.each([
    ["an unknown command", ["frobnicate"], {}, 2, "pestle: unknown command 'frobnicate'\n"],
    ["a missing option", ["user", "create"], {}, 2, "pestle: required option '--email <address>' not specified\n"],
    [
      "a wrong setting",
      ["partner", "list"],
      { PORT: "many" },
      2,
      "pestle: PORT is not valid. Set it to a whole number from 0 to 65535.\n",
    ],
    [
      "settings that do not go together",
      ["start"],
      { HOST: "0.0.0.0" },
      2,
      "pestle: HOST is not a loopback address, and plain HTTP is allowed only on loopback. Set TLS_CERT_FILE and TLS_KEY_FILE, or TRUST_PROXY behind a TLS proxy.\n",
    ],
    [
      "a database out of reach",
      ["partner", "list"],
      { DATABASE_URL: "postgresql://u:hush@127.0.0.1:1/d", MASTER_KEY: TEST_MASTER_KEY },
      1,
      "pestle: Cannot reach the database: connect ECONNREFUSED 127.0.0.1:1. Check that it is running, and check DATABASE_URL.\n",
    ],
    ["a recall without a lot", ["recall", "--lot", " "], {}, 2, "pestle: Give the lot as printed on the package.\n"],
    [
      "a missing backup",
      ["restore", "/nowhere/pestle.backup"],
      {},
      1,
      "pestle: The file cannot be read (ENOENT). Give a file written by `pestle backup`.\n",
    ],
  ])("%s", async (_what, args, settings, code, stderr) => {
    expect(await runCli(args, { DATA_DIR: folder, ...settings })).toMatchObject({ code, stdout: "", stderr });
  });

  test.each([
    ["an unknown option", ["orders", "list", "--json", "--frobnicate"], "usage", 2, "unknown option '--frobnicate'"],
    ["no login", ["orders", "list", "--json"], "failed", 1, "you are not logged in"],
    [
      "no service",
      ["token", "--client-id", "a-b", "--environment", "sandbox", "--json"],
      "unreachable",
      6,
      "No token server answers at http://127.0.0.1:2 (connect ECONNREFUSED 127.0.0.1:2). Is the service running?",
    ],
  ])("with --json, %s is one JSON object on standard error", async (_what, args, error, exit_code, message) => {
    const away = {
      DATA_DIR: folder,
      XDG_CONFIG_HOME: folder,
      CLIENT_SECRET: "x",
      SANDBOX_AUTH_URL: "http://127.0.0.1:2",
    };
    const { code, stdout, stderr } = await runCli(args, away);
    expect([code, stdout]).toEqual([exit_code, ""]);
    const failure = JSON.parse(stderr) as { message: string };
    expect(failure).toEqual({ error, message: expect.any(String), exit_code, request_id: null });
    expect(failure.message).toContain(message);
  });

  test("a command in the wrong folder creates no database there", async () => {
    const DATA_DIR = join(folder, "nothing-here");
    expect(await runCli(["credential", "list"], { DATA_DIR })).toMatchObject({
      code: 1,
      stderr: `pestle: There is no database in ${DATA_DIR} yet. Set DATA_DIR, or run \`pestle start\` first.\n`,
    });
    expect(existsSync(DATA_DIR)).toBe(false);
  });
});

test("every list that --json prints has the same shape", async () => {
  const shape = { items: expect.any(Array), next_cursor: null };
  for (const args of [["config"], ["partner", "list"], ["rx", "send", "--list"]]) {
    expect((await runCli([...args, "--json"], env)).json(), args.join(" ")).toEqual(shape);
  }
});

describe("on your own database", () => {
  test("partners and credentials are created and listed, and no list shows a digest", async () => {
    const given = { name: "Aster", environment: "sandbox", workflow: "automatic", ncpdpId: "9900041" };
    const { account_id } = (await run("partner create", given)).data as { account_id: string };
    await expect(run("partner create", given)).rejects.toThrow("This partner already has a sandbox account.");
    await expect(run("credential create", { account: "nobody" })).rejects.toThrow("There is no such account.");
    await expect(run("credential create", {})).rejects.toThrow("Give either --account or --operator");
    for (const scope of [["intake"], ["partners", "intake"]]) {
      await expect(run("credential create", { account: account_id, scope })).rejects.toThrow(
        "The scope intake is for e-prescription networks, not for a partner's account.",
      );
    }
    await run("credential create", { account: account_id, name: "first" });
    await run("credential create", { account: account_id, scopes: false });
    await run("credential create", { operator: "sandbox" });

    const own = (await run("credential list", { account: account_id })).data as {
      scopes: string[];
      secrets: object[];
    }[];
    expect(own.map(({ scopes }) => scopes)).toEqual(expect.arrayContaining([["partners"], []]));
    expect(own[0]!.secrets).toEqual([{ secret_id: 1, created_at: expect.stringMatching(/Z$/), last_used_at: null }]);
    const { data, text } = await run("credential list");
    expect(data).toHaveLength(3);
    expect(`${JSON.stringify(data)}${text}`).not.toMatch(/digest|sealed/);
    expect((await run("partner list")).text).toMatch(/Aster +sandbox +automatic +9900041/);
  });

  test("a password comes from a pipe, or is generated and shown once, and never from the arguments", async () => {
    const user = ["user", "create", "--name", "Noor Haddad", "--role", "lead", "--json"];
    const piped = await runCli(
      [...user, "--email", "noor@larkspur.example", "--password-stdin"],
      env,
      "open sesame 42\n",
    );
    expect(piped.json()).not.toHaveProperty("password");
    const made = await runCli([...user, "--email", "ines@larkspur.example"], env);
    const { password } = made.json() as { password: string };
    const db = openDb({ connection: { connectionString: database.url }, pool_size: 1, named_statements: true });
    const hash = async (email: string) => (await findPerson(db, email))!.password_hash;
    expect(await passwordMatches("open sesame 42", await hash("noor@larkspur.example"))).toBe(true);
    expect(await passwordMatches(password, await hash("ines@larkspur.example"))).toBe(true);
    await db.close();
    const short = await runCli([...user, "--email", "sam@larkspur.example", "--password-stdin"], env, "short");
    expect(short).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("A password must have at least 12 characters."),
    });
  });

  test("a portal user belongs to a partner that exists", async () => {
    const given = { email: "dev@aster.example", name: "Dev", role: "partner_admin", generatePassword: true };
    await expect(run("user create", { ...given, partner: "Nobody" })).rejects.toThrow(
      "There is no partner with that name.",
    );
    await expect(run("user create", given)).rejects.toThrow("The roles are technician");
  });

  test("migrations are listed before they are applied, and other commands wait for them", async () => {
    const fresh = await createTestDatabase("");
    const kept = env;
    env = { ...env, DATABASE_URL: fresh.url };
    try {
      await expect(run("partner list")).rejects.toThrow("Run `pestle migrate` first.");
      const { pending } = (await run("migrate", { status: true })).data as { pending: string[] };
      expect(pending.length).toBeGreaterThan(3);
      const { applied } = (await run("migrate")).data as { applied: string[] };
      expect(applied).toHaveLength(pending.length);
      expect((await run("migrate")).text).toBe("Already up to date.");
      expect((await run("partner list")).data).toEqual([]);
    } finally {
      env = kept;
      await fresh.drop();
    }
  });

  test("config lists every setting and shows only whether a secret is set", async () => {
    const { data, text } = await run("config");
    expect((data as { name: string }[]).map(({ name }) => name)).toEqual(Object.keys(settings));
    expect(data).toContainEqual(expect.objectContaining({ name: "MASTER_KEY", value: "(set)", origin: "environment" }));
    expect(text).not.toContain(TEST_MASTER_KEY);
    expect(text).not.toContain(database.url);
  });
});
