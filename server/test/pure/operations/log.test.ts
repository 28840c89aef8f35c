import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** A program that logs, reports the outcome on standard error, and exits. */
const program = (lines: number) => `
  const { createLog } = await import(${JSON.stringify(fileURLToPath(new URL("../../../src/create-log.ts", import.meta.url)))});
  const log = createLog({ LOG_LEVEL: "info" });
  for (let line = 1; line <= ${lines}; line++) {
    log.info({ line, text: "x".repeat(200) }, "a line");
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  process.stderr.write("still here");
  process.exit(0);`;

// The disk fills while it runs, or only with its last line.
test.runIf(existsSync("/dev/full")).each([100, 1])(
  "a full disk costs log lines, and neither the process nor its exit (%i lines)",
  async (lines) => {
    const args = ["--import", "tsx", "--input-type=module", "-e", program(lines)];
    const child = spawn(process.execPath, args, { stdio: ["ignore", openSync("/dev/full", "w"), "pipe"] });
    let told = "";
    child.stderr!.on("data", (chunk) => {
      told += chunk;
    });
    const stuck = setTimeout(() => child.kill("SIGKILL"), 60_000);
    const [code] = await once(child, "close");
    clearTimeout(stuck);
    expect({ code, told }).toEqual({ code: 0, told: "still here" });
  },
);
