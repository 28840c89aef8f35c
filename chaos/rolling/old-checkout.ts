import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Runs with a checkout of an earlier version: a given one, or one that this makes of a commit and removes again. */
export async function withCheckout<Result>(
  { old, from }: { old: string; from: string },
  run: (root: string) => Promise<Result>,
): Promise<Result> {
  if ((old === "") === (from === "")) throw new Error("Give either --old PATH or --from COMMIT.");
  if (old !== "") {
    if (!existsSync(join(old, "server/bin/pestle.js"))) throw new Error(`${old} is not a checkout of Pestle.`);
    build(old);
    return run(old);
  }
  const folder = mkdtempSync(join(tmpdir(), "pestle-earlier-"));
  const root = join(folder, "checkout");
  execFileSync("git", ["worktree", "add", "--detach", root, from], { cwd: ROOT, stdio: "inherit" });
  try {
    execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: root, stdio: "inherit" });
    build(root);
    return await run(root);
  } finally {
    execFileSync("git", ["worktree", "remove", "--force", root], { cwd: ROOT, stdio: "inherit" });
    rmSync(folder, { recursive: true, force: true });
  }
}

function build(root: string): void {
  execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: root, stdio: "inherit" });
}
