import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { writeDemo } from "../../../src/seed/demo-file.ts";
import type { Receiver } from "../receiver.ts";
import { TEST_MASTER_KEY, type TestApp } from "../test-app.ts";
import { linesNotShown, unlikeShown } from "./as-shown.ts";
import { type DocBlock, ROOT } from "./doc-blocks.ts";

/** Blocks that are typed unchanged. A file of the guide is written under the name in its fence. */
const typed: Record<string, (text: string) => string> = {
  sh: (text) => text,
  js: (text) => `node --input-type=module <<'END_OF_BLOCK'\n${text}END_OF_BLOCK`,
  python: (text) => `python3 <<'END_OF_BLOCK'\n${text}END_OF_BLOCK`,
};

/** The shown answer, right after the typed command. */
const OUTPUT = ["json", "text", "xml"];

/** `npx pestle …`, by the running process, or by its own process for commands that run for long. */
const PRELUDE = `
npx() {
  shift
  if [ "$1" = listen ]; then exec node --import "$TSX" --conditions=source "$PESTLE" "$@"; fi
  if [ "$1 \${2:-}" = "certify orders" ]; then
    node --import "$TSX" --conditions=source "$PESTLE" "$@"
    return
  fi
  local answer
  answer=$({ env -0; printf '\\0'; printf '%s\\0' "$PWD" "$@"; } | curl -s --unix-socket "$CLI" --data-binary @- http://cli/)
  jq -rj .stderr <<< "$answer" >&2
  jq -rj .stdout <<< "$answer"
  return "$(jq .code <<< "$answer")"
}
trap 'kill \${KEPT:-} 2> /dev/null || :' EXIT
`;
const END = "── end of block";

/**
 * Types a guide's blocks in sequence into one shell, next to a running service, and returns the differences from the
 * guide. `names` maps the guide's placeholders to values of this service: an account, an order, an address.
 */
export async function runGuide(
  app: TestApp,
  cli: CliServer,
  blocks: readonly DocBlock[],
  { names = {}, receiver }: { names?: Record<string, string>; receiver?: Receiver } = {},
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "pestle-guide-"));
  const { base_url, auth_url, sandbox_auth_url } = app.addresses;
  writeDemo(app.config.DATA_DIR, app.demo);
  symlinkSync(app.config.DATA_DIR, join(folder, ".data"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const name of ["docs", "deploy", "python"]) symlinkSync(join(ROOT, name), join(folder, name));
  const replaced = Object.entries({
    "http://127.0.0.1:8080": base_url,
    "http://127.0.0.1:8081": auth_url,
    "http://127.0.0.1:8082": sandbox_auth_url,
    ...(receiver === undefined ? {} : { "http://127.0.0.1:3000/hook": receiver.url }),
    ...names,
  });
  const here = (text: string) => replaced.reduce((all, [from, to]) => all.replaceAll(from, to), text);

  const run = blocks.filter(
    ({ language, says }) => language in typed && !says["no-run"] && !says["from"] && !says["file"],
  );
  for (const { says, text } of blocks.filter((block) => block.says["file"] !== undefined)) {
    writeFileSync(join(folder, says["file"]!), here(text));
  }
  const script = run.map((block) => {
    const text = here(typed[block.language]!(block.text));
    const name = block.says["keeps-running"];
    if (name !== undefined) return `( ${text.trim()} ) > ${name} 2>&1 &\nKEPT="$! \${KEPT:-}"\n${grown(name, 0)}`;
    if (block.says["exit"] !== undefined) {
      return `status=0\n(\n${text}) 2>&1 || status=$?\n[ $status = ${block.says["exit"]} ]`;
    }
    const heard = blocks.find(({ after, says }) => after === block && says["printed-by"])?.says["printed-by"];
    return heard === undefined ? text : `LINES_BEFORE=$(wc -l < ${heard})\n${text}\n${grown(heard, "$LINES_BEFORE")}`;
  });
  const file = join(folder, ".guide.sh");
  writeFileSync(file, PRELUDE + script.map((text) => `${text}\nprintf '\\n%s\\n' '${END}'\n`).join(""));
  const child = spawn("bash", ["-eu", "-o", "pipefail", file], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      NO_COLOR: "1",
      // Otherwise Python writes its bytecode beside the sources.
      PYTHONDONTWRITEBYTECODE: "1",
      LOG_LEVEL: "error",
      CLI: cli.socket,
      PESTLE: join(ROOT, "server/src/cli/main.ts"),
      TSX: pathToFileURL(join(ROOT, "node_modules/tsx/dist/loader.mjs")).href,
      DATA_DIR: app.config.DATA_DIR,
      DATABASE_URL: app.config.DATABASE_OWNER_URL,
      MASTER_KEY: TEST_MASTER_KEY,
    },
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, "close")) as [number];
  const answers = stdout.split(`\n${END}\n`);
  const outputOf = ({ says }: DocBlock, index: number): string => {
    const name = says["printed-by"] ?? run[index]?.says["keeps-running"];
    return name === undefined ? (answers[index] ?? "") : readFileSync(join(folder, name), "utf8");
  };
  const problems =
    code === 0
      ? blocks.flatMap((block) => {
          const index = block.after === undefined ? -1 : run.indexOf(block.after);
          if (index === -1 || !OUTPUT.includes(block.language)) return [];
          return unlike(block, here(block.text), outputOf(block, index)).map(
            (what) => `${block.page}:${block.line} ${what}`,
          );
        })
      : [
          `${run[answers.length - 1]?.page}:${run[answers.length - 1]?.line} ended with ${code}: ${stderr.slice(-1500)}${answers.at(-1)}`,
        ];
  rmSync(folder, { recursive: true, force: true });
  return problems;
}

export type CliServer = { socket: string; stop(): void };

export async function startCliServer(): Promise<CliServer> {
  const folder = mkdtempSync(join(tmpdir(), "pestle-cli-"));
  const socket = join(folder, "cli.sock");
  const child: ChildProcess = fork(join(ROOT, "server/test/support/tools/cli-server.ts"), [socket], {
    execArgv: ["--import", "tsx", "--conditions=source"],
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  await once(child.stdout!, "data");
  return {
    socket,
    stop() {
      child.disconnect();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until the background command has printed more lines than that. */
const grown = (name: string, lines: number | string) =>
  `until [ "$(wc -l < ${name})" -gt "${lines}" ]; do sleep 0.05; done`;

function unlike({ language }: DocBlock, shown: string, got: string): string[] {
  if (language === "json") {
    try {
      return unlikeShown(JSON.parse(shown), JSON.parse(got));
    } catch {
      return [`no JSON: ${got}`];
    }
  }
  if (language === "xml") {
    const bare = (text: string) => text.replace(/\s+/g, "");
    return bare(got).includes(bare(shown)) ? [] : [`no such XML in ${got}`];
  }
  const missing = linesNotShown(shown, got);
  return missing.length === 0 ? [] : [`not printed: ${missing.join("\n")}\nbut:\n${got}`];
}
