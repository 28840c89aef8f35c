import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { afterAll, expect, test } from "vitest";

/** What npm would publish, from the build. */
const folder = mkdtempSync(join(tmpdir(), "pestle-published-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(["contract", "sdk", "cli"])("%s: publint and arethetypeswrong find nothing in the package", async (name) => {
  const pkgDir = fileURLToPath(new URL(`../../${name}`, import.meta.url));
  const args = ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder];
  const file = execFileSync("npm", args, { cwd: pkgDir, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  const tarball = new Uint8Array(readFileSync(join(folder, file)));
  const packed = createPackageFromTarballData(tarball);
  expect(
    packed
      .listFiles()
      .filter((path) => !path.includes("/samples/") && /\.d\.ts\.map$|(?<!\.d)\.ts$|tsbuildinfo/.test(path)),
  ).toEqual([]);
  const { messages } = await publint({ strict: true, pack: { tarball: tarball.buffer } });
  // `source` leads to the sources of this repository, which a package does not have. No other program reads that condition.
  expect(
    messages.filter((one) => !(one.path.at(-1) === "source" && one.code === "EXPORTS_GLOB_NO_MATCHED_FILES")),
  ).toEqual([]);
  const { problems } = { problems: [], ...(await checkPackage(packed)) };
  // TypeScript before version 4.7 knows no `exports`, so it finds the main entry alone.
  expect(problems.filter((one) => !("resolutionKind" in one && one.resolutionKind === "node10"))).toEqual([]);
});
