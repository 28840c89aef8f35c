import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { CertifyReport } from "@pestle/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findOrInstall } from "../../../../scripts/debian-package.ts";
import { clientOf } from "../../../../sdk/test/support/client-of.ts";
import { writeDemo } from "../../../src/seed/demo-file.ts";
import { openReceiver } from "../../support/receiver.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { ROOT } from "../../support/tools/doc-blocks.ts";
import { runCommand } from "../../support/tools/run-command.ts";
import { until } from "../../support/tools/until.ts";

/** The clients on standard libraries: their files, where the journey needs them, and the command that runs it. */
const languages: Record<string, { needs: string[]; debian: string; files: Record<string, string>; run: string }> = {
  PHP: {
    needs: ["/usr/bin/php"],
    debian: "php-cli",
    files: {
      "clients/php/Pestle.php": "Pestle.php",
      "docs/verifiers/verify.php": "verify.php",
      "clients/journeys/journey.php": "journey.php",
    },
    run: "php -d error_reporting=-1 -d display_errors=stderr journey.php",
  },
  Ruby: {
    needs: ["/usr/bin/ruby"],
    debian: "ruby",
    files: {
      "clients/ruby/pestle.rb": "pestle.rb",
      "docs/verifiers/verify.rb": "verify.rb",
      "clients/journeys/journey.rb": "journey.rb",
    },
    run: "ruby -w journey.rb",
  },
  Go: {
    needs: ["/usr/bin/go", "/usr/local/go/bin/go"],
    debian: "golang-go",
    files: {
      "clients/go/pestle.go": "pestle/pestle.go",
      "clients/go/go.mod": "pestle/go.mod",
      "docs/verifiers/verify.go": "verify.go",
      "clients/journeys/journey.go": "journey.go",
    },
    run: "printf 'module journey\\n\\ngo 1.18\\n\\nrequire pestle v0.0.0\\n\\nreplace pestle => ./pestle\\n' > go.mod && test -z \"$(gofmt -l .)\" && go vet ./... pestle && go run .",
  },
  Java: {
    needs: ["/usr/bin/javac"],
    debian: "default-jdk-headless",
    files: {
      "clients/java/Pestle.java": "Pestle.java",
      "clients/java/Json.java": "Json.java",
      "docs/verifiers/Webhook.java": "Webhook.java",
      "clients/journeys/Journey.java": "Journey.java",
    },
    run: "javac -J-XX:TieredStopAtLevel=1 -Xlint:all,-serial -Werror *.java >&2 && java -XX:TieredStopAtLevel=1 Journey",
  },
};

const folder = mkdtempSync(join(tmpdir(), "pestle-clients-"));
let app: TestApp;
let settings: Record<string, string>;
/** The settings of `pestle` commands. */
let cli: Record<string, string>;
const report = join(folder, "report.json");

beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  const { client_id, client_secret } = app.demo.partners[0]!;
  const { base_url, sandbox_auth_url } = app.addresses;
  settings = { CLIENT_ID: client_id, CLIENT_SECRET: client_secret, BASE_URL: base_url, AUTH_URL: sandbox_auth_url };
  writeDemo(app.config.DATA_DIR, app.demo);
  cli = { DATA_DIR: app.config.DATA_DIR, XDG_CONFIG_HOME: folder, PATH: process.env["PATH"] ?? "" };
});
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** True if the language is installed, or can be. CI must have every language. */
function canRun(language: string, needs: readonly string[], debian: string): boolean {
  if (findOrInstall(needs, debian) !== undefined) return true;
  console.log(`${language}: not tried, because Debian's package ${debian} is not installed`);
  expect(process.env["CI"], `${debian} must be there in CI`).not.toBe("true");
  return false;
}

/** The service answers in this process, so the program must not block it. */
async function run(command: string, cwd: string, env: Record<string, string>) {
  const child = spawn("bash", ["-c", command], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], HOME: folder, LC_ALL: "C.UTF-8", ...env },
  });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  }
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { status, ...texts };
}

describe("the Python SDK", () => {
  const python = "/usr/bin/python3";

  test("does what its tests say, alone and against the service", { timeout: 300_000 }, async () => {
    if (!canRun("Python", [python], "python3")) return;
    const named = Object.entries(settings).map(([name, value]) => [`PESTLE_${name}`, value]);
    const env = { PYTHONPATH: "src", PYTHONDONTWRITEBYTECODE: "1", PYTHONWARNINGS: "error::SyntaxWarning" };
    const { status, stderr } = await run(
      `${python} -m unittest discover --start-directory tests --top-level-directory .`,
      join(ROOT, "python"),
      {
        ...env,
        ...Object.fromEntries(named),
      },
    );
    expect(status, stderr).toBe(0);
    // None is skipped because a setting is missing.
    expect(stderr).toMatch(/^Ran [4-9]\d tests .*\n\nOK\n$/m);
  });
});

describe("the Python receiver", () => {
  const python = "/usr/bin/python3";
  const start = (env: Record<string, string>) => {
    const child = spawn(python, [join(ROOT, "examples/python-receiver/receiver.py")], {
      cwd: folder,
      env: { PYTHONPATH: join(ROOT, "python/src"), PYTHONDONTWRITEBYTECODE: "1", ...env },
    });
    const lines: string[] = [];
    createInterface(child.stdout).on("line", (line) => lines.push(line.trimEnd()));
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const ended = once(child, "close").then(([code]) => [code, stderr]);
    const seen = (line: string) => until(() => lines.includes(line), line);
    return { lines, seen, ended, stop: () => child.kill("SIGTERM") };
  };

  test("stores each event once, also after a restart, and refuses other senders", async () => {
    if (!canRun("Python", [python], "python3")) return;
    const pestle = clientOf(app);
    const url = `http://127.0.0.1:${await freePort()}/hook`;
    const secret = "a secret of the receiver";
    const { id, signing_secret } = await pestle.webhookEndpoints.create({ url, secret });
    const env = {
      PORT: new URL(url).port,
      CLIENT_SECRET: settings["CLIENT_SECRET"]!,
      WEBHOOK_SECRET: secret,
      SIGNING_SECRET: signing_secret,
      STATE: "yes",
    };
    const first = start(env);
    await first.seen(`listening ${env.PORT}`);
    const { event_id: sample } = await pestle.webhookEndpoints.test(id, { event_type: "ORDER_EXCEPTION" });
    await first.seen(`test ORDER_EXCEPTION ${sample}`);
    const { patient_id } = await pestle.simulate.prescription({ drug_name: "atorvastatin" });
    await until(() => first.lines.some((line) => line.startsWith(`RX_RECEIVED ${patient_id} `)), "it has the event");
    const event_id = first.lines.at(-1)!.split(" ")[2]!;
    const forged = await fetch(url, { method: "POST", body: JSON.stringify({ event_id, event_type: "RX_RECEIVED" }) });
    expect(forged.status).toBe(401);
    writeFileSync(join(folder, "endpoint.json"), JSON.stringify({ secret, signing_secret }));
    const options = { state: url.replace(/hook$/, "state"), secrets: join(folder, "endpoint.json"), out: report };
    const certified = await runCommand<CertifyReport>(cli, "certify", options, url);
    expect(certified.data.checks.filter(({ result }) => result !== "passed")).toEqual([]);
    expect(certified.data).toMatchObject({ kind: "receiver", passed: true, effects_checked: true });
    first.stop();
    expect(await first.ended).toEqual([0, ""]);

    const second = start(env);
    await second.seen(`listening ${env.PORT}`);
    await pestle.events.redeliver(event_id);
    await until(async () => {
      const attempts = await pestle.events.attempts(event_id).take(10);
      return attempts.filter(({ delivered }) => delivered).length === 2;
    }, "it was delivered twice");
    await pestle.webhookEndpoints.remove(id);
    second.stop();
    expect(await second.ended).toEqual([0, ""]);
    expect(second.lines).toEqual([`listening ${env.PORT}`]);
  });

  test("does not start without the secrets for verification", async () => {
    if (!canRun("Python", [python], "python3")) return;
    const [code, stderr] = await start({ CLIENT_SECRET: "a secret" }).ended;
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^WEBHOOK_SECRET is not set: .+\n$/)]);
  });
});

test("the Python partner is certified: it orders each prescription once on a day when everything goes wrong", async () => {
  if (!canRun("Python", ["/usr/bin/python3"], "python3")) return;
  const env = { ...cli, PYTHONPATH: join(ROOT, "python/src"), PYTHONDONTWRITEBYTECODE: "1" };
  const command = `/usr/bin/python3 ${join(ROOT, "examples/python-partner/partner.py")} > /dev/null`;
  const { data } = await runCommand<CertifyReport>(env, "certify orders", { command, out: report });
  expect(data.checks.filter(({ result }) => result !== "passed")).toEqual([]);
  expect(data).toMatchObject({ kind: "orders", passed: true });
});

describe("the small clients place an order, read lists, and verify a delivery:", () => {
  let delivery: Record<string, string>;

  beforeAll(async () => {
    const pestle = clientOf(app);
    const receiver = await openReceiver();
    const secret = "wh secret ~ 1";
    const { id, signing_secret } = await pestle.webhookEndpoints.create({ url: receiver.url, secret });
    await pestle.simulate.prescription({ drug_name: "atorvastatin" });
    const [first] = await receiver.arrived(1);
    await pestle.webhookEndpoints.remove(id);
    await receiver.close();
    const file = join(folder, "body");
    writeFileSync(file, first!.body, "latin1");
    delivery = {
      BODY_FILE: file,
      HEADERS: JSON.stringify(first!.headers),
      URL: receiver.url,
      WEBHOOK_SECRET: secret,
      SIGNING_SECRET: signing_secret,
    };
  });

  test.each(Object.keys(languages))("%s", { timeout: 300_000 }, async (language) => {
    const { needs, debian, files, run: command } = languages[language]!;
    if (!canRun(language, needs, debian)) return;
    const own = join(folder, language);
    for (const [from, to] of Object.entries(files)) {
      mkdirSync(dirname(join(own, to)), { recursive: true });
      copyFileSync(join(ROOT, from), join(own, to));
    }
    const REFERENCE = randomUUID();
    // Go reuses what it compiled before.
    const go = { GOCACHE: join(homedir(), ".cache/go-build"), GOFLAGS: "-mod=mod", GOPROXY: "off" };
    const { status, stdout, stderr } = await run(command, own, { ...settings, ...delivery, ...go, REFERENCE });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout.trim().split("\n")).toEqual([
      "status Processing",
      "pages true",
      "products atorvastatin-20",
      "refused 422 true",
      "verified [true,true,false]",
    ]);
    const orders = await clientOf(app).orders.list({ reference: REFERENCE }).take(2);
    expect(orders).toHaveLength(1);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
