import { createServer } from "node:http";
import { createProgram } from "@pestle/cli/program";
import { loadCommands } from "../../../src/cli/commands.ts";
import { pestle } from "../../../src/cli/pestle.ts";

const commands = await loadCommands();

/**
 * `pestle` for scripts that run it often: one process that keeps its modules loaded and runs one command per request,
 * one at a time, with the caller's folder and environment. A separate process takes longer to start than to work.
 */
type Asked = { env: Record<string, string>; folder: string; args: string[] };
type Printed = { code: number; stdout: string; stderr: string };

class Exit extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

async function run({ env, folder, args }: Asked): Promise<Printed> {
  const printed: Printed = { code: 0, stdout: "", stderr: "" };
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(folder);
  process.exitCode = 0;
  const real = { stdout: process.stdout.write, stderr: process.stderr.write, exit: process.exit };
  for (const name of ["stdout", "stderr"] as const) {
    process[name].write = ((text: string | Uint8Array) => {
      printed[name] += typeof text === "string" ? text : Buffer.from(text).toString("utf8");
      return true;
    }) as typeof process.stdout.write;
  }
  process.exit = ((code = 0) => {
    throw new Exit(Number(code));
  }) as typeof process.exit;
  try {
    await createProgram(pestle, commands).parseAsync(args, { from: "user" });
    printed.code = Number(process.exitCode ?? 0);
  } catch (error) {
    const { message, exit_code } =
      error instanceof Exit ? { message: "", exit_code: error.code } : pestle.explain(error);
    if (message !== "") printed.stderr += `pestle: ${message}\n`;
    printed.code = exit_code;
  } finally {
    process.stdout.write = real.stdout;
    process.stderr.write = real.stderr;
    process.exit = real.exit;
  }
  return printed;
}

/** The request: the environment, an empty entry, then the folder and the arguments, each ended by a NUL. */
function asked(bytes: Buffer): Asked {
  const entries = bytes.toString("utf8").split("\0").slice(0, -1);
  const end = entries.indexOf("");
  const env = Object.fromEntries(entries.slice(0, end).map((entry) => entry.split(/=(.*)/s).slice(0, 2)));
  const [folder = "/", ...args] = entries.slice(end + 1);
  return { env, folder, args };
}

let queue: Promise<unknown> = Promise.resolve();
createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    queue = queue.then(async () => response.end(JSON.stringify(await run(asked(Buffer.concat(chunks))))));
  });
}).listen(process.argv[2], () => console.log("listening"));
process.once("disconnect", () => process.exit(0));
