import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Bug, defective } from "./bugs.ts";

/** A copy of this checkout, which gets defects. */
export type CheckoutCopy = {
  folder: string;
  /** Puts a defect in, and returns how to take it out again. */
  plant(bug: Bug): () => void;
  remove(): void;
};

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BUILT = ["contract/dist", "sdk/dist", "cli/dist", "server/dist", "web/dist"];

/** Copies every file of the project. Packages are linked, because nothing writes into them. */
export function copyCheckout(): CheckoutCopy {
  const folder = mkdtempSync(join(tmpdir(), "pestle-seeded-"));
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 * 2 ** 20,
  });
  for (const name of listed.split("\0").filter((one) => one !== "" && existsSync(join(ROOT, one)))) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(join(ROOT, name), join(folder, name));
  }
  for (const name of BUILT.filter((one) => existsSync(join(ROOT, one))))
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  linkPackages(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return {
    folder,
    plant(bug) {
      const file = join(folder, bug.file);
      const text = readFileSync(file, "utf8");
      writeFileSync(file, defective(bug, text));
      return () => writeFileSync(file, text);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Hard links where the temporary folder is on the same disk, copies elsewhere. Caches are left behind. */
function linkPackages(from: string, to: string): void {
  try {
    execFileSync("cp", ["-al", from, to], { stdio: "ignore" });
  } catch {
    rmSync(to, { recursive: true, force: true });
    execFileSync("cp", ["-a", from, to]);
  }
  for (const name of [".cache", ".vite", ".vitest", ".vite-temp"])
    rmSync(join(to, name), { recursive: true, force: true });
}
