import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { settings } from "../server/src/config.ts";
import { STRANGER_LIMIT_S, strangerPath } from "./stranger.ts";

/** The packages that `npx @pestle/cli` needs, and no others. */
const PARTNER_PACKAGES = ["@pestle/cli", "@pestle/contract", "@pestle/sdk", "commander", "picocolors"];

/**
 * Runs docs/guides/quick-start.md exactly: its shell blocks, in order, in one bash with an empty home folder, and
 * before the last block those of the README. Then the order must be delivered and its webhook verified. With the service of
 * the guide it also follows a stranger's path to a verified webhook, in TypeScript and Python. Prints the duration and the
 * processor time of each step.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const GUIDE = join(root, "docs/guides/quick-start.md");
const README = join(root, "README.md");
/** The guide's ports and the settings that change them, for machines where another program uses the ports. */
const PORTS = { 8080: "PORT", 8081: "AUTH_PORT", 8082: "SANDBOX_AUTH_PORT", 3000: "" };
const LIMIT_MS = 8 * 60_000;
const END_WITHIN_MS = 15_000;
/** The guide stops everything after this section, so the checks run before it. */
const LAST = "10. Stop";
/**
 * Up to this section npx is npm's own. After it, a substitute that only starts the program, because npm's takes
 * longer than the program.
 */
const LAST_WITH_NPM = "4. Your first call";
const NPX = `#!/bin/sh
exec "./node_modules/.bin/$@"
`;
const LOOK = `npx pestle orders list --status Delivered --json > orders.json
for page in "" /dashboard /portal /docs; do
  curl --silent --fail --output /dev/null "$(node -p 'JSON.parse(fs.readFileSync(".data/demo.json")).base_url')$page"
done
`;

/** A stranger's terminal has npm's own npx. */
const STRANGER_NPX = `PATH="\${PATH#*:}"\n`;

type Step = { name: string; block: string };
/** How long a step took, and the processor time of its programs that have ended: the service counts in the last step. */
type Took = { name: string; ms: number; processor_s: number };

const home = mkdtempSync(join(tmpdir(), "pestle-quick-start-"));
// As root, the database runs under another user, who must be able to reach its files.
chmodSync(home, 0o711);
const folder = join(home, "pestle-quick-start");
const shortcuts = join(home, "shortcuts");
mkdirSync(shortcuts);
writeFileSync(join(shortcuts, "npx"), NPX, { mode: 0o755 });
const bash = { group: 0 };
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void endEverything().then(() => process.exit(130)));
}
try {
  process.exitCode = (await follow()) ? 0 : 1;
} finally {
  await endEverything();
}

async function follow(): Promise<boolean> {
  const moved = await freePorts();
  const steps = [...stepsOf(GUIDE, moved)];
  // Skips the install of the checkout, which the guide does not need.
  const readme = stepsOf(README, moved).filter(({ block }) => !block.startsWith("npm ci"));
  steps.splice(
    steps.findIndex(({ name }) => name === LAST),
    0,
    ...readme.map((step) => ({ ...step, name: `README: ${step.name}` })),
    ...(await strangerSteps()),
  );
  const env = cleanEnvironment(moved);
  const child = spawn("bash", ["--noprofile", "--norc", "-euo", "pipefail", "-c", scriptOf(steps)], {
    cwd: root,
    env,
    // Its own process group, so that all child processes can be stopped with it.
    detached: true,
    stdio: ["ignore", "inherit", "inherit", "pipe"],
  });
  bash.group = child.pid ?? 0;
  const began_ms = performance.now();
  const took: Took[] = [];
  let before_ms = began_ms;
  let before_s = 0;
  let said = "";
  child.stdio[3]?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    for (let end = said.indexOf("\n"); end >= 0; end = said.indexOf("\n")) {
      const now_ms = performance.now();
      const [name = "", times = ""] = said.slice(0, end).split("\t");
      const processor_s = secondsOf(times);
      took.push({ name, ms: now_ms - before_ms, processor_s: processor_s - before_s });
      before_ms = now_ms;
      before_s = processor_s;
      said = said.slice(end + 1);
    }
  });
  const limit = setTimeout(() => signalGroup("SIGTERM"), LIMIT_MS);
  // Not "close": background processes that survive a failure keep the pipes open.
  const [code] = (await once(child, "exit")) as [number | null];
  await delay(100);
  clearTimeout(limit);
  const total_ms = performance.now() - began_ms;

  const problems = [
    ...(code === 0 ? [] : [`the guide exited with ${code ?? "a signal"} after ${took.length} sections`]),
  ];
  if (code === 0) {
    problems.push(...whatIsMissing(), ...wrongInPackages(), ...whatStillRuns());
    problems.push(...tooSlow(took));
    problems.push(...wrongInPartnerPackage(env));
  }
  for (const [name, bytes] of tarballs()) console.log(`${(bytes / 1000).toFixed(0).padStart(6)} kB ${name}`);
  console.log("duration  processor");
  for (const { name, ms, processor_s } of took) console.log(`${seconds(ms)}  ${seconds(processor_s * 1000)}  ${name}`);
  console.log(`${seconds(total_ms)}  ${seconds(before_s * 1000)}  in total`);
  if (problems.length === 0) {
    console.log("✓ The order is Delivered, and its webhook was verified.");
    return true;
  }
  for (const file of ["receiver.log", "pestle.log"]
    .map((name) => join(folder, name))
    .filter((file) => existsSync(file)))
    console.error(`${file}:\n${readFileSync(file, "utf8")}`);
  for (const problem of problems) console.error(`✗ ${problem}`);
  return false;
}

/** The shell blocks with their headings. */
function stepsOf(file: string, moved: readonly (readonly [number, number])[]): Step[] {
  const text = moved.reduce((all, [from, to]) => all.replaceAll(`:${from}`, `:${to}`), readFileSync(file, "utf8"));
  return text.split(/^## /m).flatMap((section) => {
    const name = section.slice(0, section.indexOf("\n"));
    return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => ({ name, block }));
  });
}

/** The blocks unchanged. Between them, commands that record the time; at the end, a check of orders and pages. */
function scriptOf(steps: readonly Step[]): string {
  const names = [...new Set(steps.map(({ name }) => name))];
  return names
    .map((name) => {
      const blocks = steps.filter((step) => step.name === name).map(({ block }) => block);
      const after = name === LAST_WITH_NPM ? `PATH="${shortcuts}:$PATH"\n` : "";
      const before = `echo; echo "── ${name}"\n${name === LAST ? LOOK : ""}`;
      // A pipe would run `times` in a shell without children.
      const told = `times > "$HOME/.times"\necho "${name}\t$(tail -1 "$HOME/.times")" >&3\n`;
      return [before, ...blocks, after, told].join("");
    })
    .join("");
}

function isStranger(name: string): boolean {
  return name.startsWith("A stranger");
}

/** Before the last step of the guide, so that its service is still there. */
async function strangerSteps(): Promise<Step[]> {
  const steps: Step[] = [];
  for (const language of ["typescript", "python"] as const) {
    const { block } = strangerPath(language, (await tryPort(0))!, folder);
    steps.push({ name: `A stranger, ${language}`, block: `(\n${STRANGER_NPX}${block})\n` });
  }
  return steps;
}

function tooSlow(took: readonly Took[]): string[] {
  const guide_s = took.filter(({ name }) => /^\d/.test(name)).reduce((sum, { processor_s }) => sum + processor_s, 0);
  const paths = [{ name: "the guide", processor_s: guide_s }, ...took.filter(({ name }) => isStranger(name))];
  const slow = paths.filter(({ processor_s }) => processor_s > STRANGER_LIMIT_S);
  return slow.map(({ name, processor_s }) => `${name} took ${processor_s.toFixed(1)} s of processor time`);
}

/** The second line of bash's `times`: what its children took, such as `0m1.250s 0m0.300s`. */
function secondsOf(times: string): number {
  const parts = [...times.matchAll(/(\d+)m([\d.]+)s/g)];
  return parts.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0);
}

/** The guide's last step ends everything that it started, in a script too. */
function whatStillRuns(): string[] {
  try {
    process.kill(-bash.group, 0);
    return ["the guide left a program running"];
  } catch {
    return [];
  }
}

function whatIsMissing(): string[] {
  const { items: orders } = JSON.parse(readFileSync(join(folder, "orders.json"), "utf8")) as {
    items: { order_number: string; reference: string | null }[];
  };
  const order = orders.find(({ reference }) => reference === "my-first-order");
  if (order === undefined) return ["no order was delivered"];
  const heard = readFileSync(join(folder, "receiver.log"), "utf8");
  return heard.includes(`verified ORDER_UPDATED ${order.order_number} Delivered`)
    ? []
    : ["no verified webhook reported the delivered order"];
}

/** A stranger's folder has the partner's command line without the server. */
function wrongInPartnerPackage(env: NodeJS.ProcessEnv): string[] {
  const alone = join(home, "stranger-python");
  const installed = Object.keys(JSON.parse(readFileSync(join(alone, "package-lock.json"), "utf8")).packages);
  const names = installed.flatMap((path) => (path === "" ? [] : [path.replace("node_modules/", "")]));
  const wrong = names.filter((name) => !PARTNER_PACKAGES.includes(name)).map((name) => `@pestle/cli installs ${name}`);
  const fixture = ["@pestle/cli", "fixtures", "show", "RX_RECEIVED", "--json"];
  const { event_type } = JSON.parse(execFileSync("npx", fixture, { cwd: alone, env, encoding: "utf8" }));
  return [...wrong, ...(event_type === "RX_RECEIVED" ? [] : ["npx @pestle/cli fixtures show prints no event"])];
}

/** What a package must not contain, and what it must. */
function wrongInPackages(): string[] {
  return ["contract", "sdk", "cli", "server"].flatMap((name) => {
    const installed = join(folder, "node_modules/@pestle", name);
    // Sample projects are sources.
    const files = readdirSync(installed, { recursive: true, encoding: "utf8" }).filter(
      (file) => !/^samples\//.test(file),
    );
    // The SDK's source maps contain its sources, so that a partner can step through them.
    const maps = name === "sdk" ? /\.d\.ts\.map$/ : /\.map$/;
    const wrong = files.filter(
      (file) => maps.test(file) || /(?<!\.d)\.tsx?$|\.tsbuildinfo$|(^|\/)(src|test)\//.test(file),
    );
    const licence = files.includes("LICENSE") ? [] : [`@pestle/${name} has no LICENSE`];
    return [...licence, ...wrong.slice(0, 3).map((file) => `@pestle/${name} contains ${file}`)];
  });
}

function tarballs(): [name: string, bytes: number][] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".tgz")) : [];
  return names.map((name) => [name, statSync(join(folder, name)).size]);
}

/** The environment of a new terminal: an empty home folder and none of our settings. */
function cleanEnvironment(moved: readonly (readonly [number, number])[]): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !(name in settings) && !/^(npm_|XDG_|NODE_OPTIONS$|INIT_CWD$)/.test(name),
  );
  const npm = (key: string) => execFileSync("npm", ["config", "get", key], { cwd: tmpdir(), encoding: "utf8" }).trim();
  const ports = moved.map(([from, to]) => [PORTS[from as keyof typeof PORTS], String(to)]);
  return {
    ...Object.fromEntries([...own, ...ports].filter(([name]) => name !== "")),
    HOME: home,
    // Uses this machine's package registry and cache.
    npm_config_cache: npm("cache"),
    npm_config_userconfig: npm("userconfig"),
    npm_config_prefer_offline: "true",
    npm_config_update_notifier: "false",
    NO_COLOR: "1",
  };
}

/** Another port for each port of the guide that is in use. */
async function freePorts(): Promise<[number, number][]> {
  const moved: [number, number][] = [];
  for (const port of Object.keys(PORTS).map(Number)) {
    const free = (await tryPort(port)) ?? (await tryPort(0));
    if (free !== undefined && free !== port) moved.push([port, free]);
  }
  return moved;
}

async function tryPort(port: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}

/** Also after a failure: the service, its database and the receiver must exit, and the folder is deleted. */
async function endEverything(): Promise<void> {
  signalGroup("SIGTERM");
  // On this signal the service also stops its database, which is in another process group.
  for (const late_ms = Date.now() + END_WITHIN_MS; Date.now() < late_ms && signalGroup(0); ) await delay(100);
  signalGroup("SIGKILL");
  const lock = join(folder, ".data/postgres/postmaster.pid");
  if (existsSync(lock)) {
    try {
      process.kill(Number(readFileSync(lock, "utf8").split("\n")[0]), "SIGQUIT");
    } catch {
      // It has already exited.
    }
  }
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

/** Whether a process received the signal. */
function signalGroup(signal: NodeJS.Signals | 0): boolean {
  try {
    return bash.group > 0 && process.kill(-bash.group, signal);
  } catch {
    return false;
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1).padStart(6)} s`;
}
