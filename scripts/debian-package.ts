import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const LOCK_TIMEOUT_S = 300;

/**
 * The first of these files that exists. If none does and this is a Debian machine with root access, installs the
 * package. Undefined if it is not available.
 */
export function findOrInstall(files: readonly string[], debianPackage: string): string | undefined {
  const found = () => files.find((file) => existsSync(file));
  if (found() === undefined && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    console.log(`installing ${debianPackage} for the tests …`);
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const apt = (...args: string[]) =>
      // Two legs may install at once, so the second waits for the first.
      spawnSync("apt-get", ["-qq", "-y", "-o", `DPkg::Lock::Timeout=${LOCK_TIMEOUT_S}`, ...args], {
        env,
        stdio: ["ignore", "ignore", "inherit"],
      });
    if (apt("install", "--no-install-recommends", debianPackage).status !== 0) {
      apt("update");
      apt("install", "--no-install-recommends", debianPackage);
    }
  }
  return found();
}
