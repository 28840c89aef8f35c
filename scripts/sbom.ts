import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** One package of package-lock.json (version 3). */
type Locked = {
  name?: string;
  version?: string;
  license?: string;
  integrity?: string;
  dev?: boolean;
  optional?: boolean;
  link?: boolean;
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
};
type Package = Locked & { path: string; name: string; version: string; license: string };

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
/** Development packages whose files the web build copies into the pages that we ship. */
const COPIED_INTO_PAGES = ["@fastify/swagger-ui"];
/** Packages that do not declare their license in package.json, by their LICENSE file. */
const UNDECLARED: Record<string, string> = { "png-js@2.0.0": "MIT" };

export const readLock = (): Record<string, Locked> =>
  (JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as { packages: Record<string, Locked> }).packages;

/** The packages from npm, without our own workspaces. */
export function packagesIn(lock: Record<string, Locked>): Package[] {
  return Object.entries(lock)
    .filter(([path, { link }]) => path.includes("node_modules/") && link !== true)
    .map(([path, locked]) => {
      const name = locked.name ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
      const version = locked.version ?? "";
      return { ...locked, path, name, version, license: locked.license ?? UNDECLARED[`${name}@${version}`] ?? "" };
    });
}

/**
 * A CycloneDX 1.6 document of everything that we ship: the packages that the service loads and those in the pages. It
 * depends only on the lock file, so that two builds of one commit give the same bytes.
 */
export function sbom(lock = readLock()): string {
  const shipped = packagesIn(lock).filter(({ dev, name }) => dev !== true || COPIED_INTO_PAGES.includes(name));
  const version = lock[""]?.version ?? "";
  const own = {
    type: "application",
    "bom-ref": "pestle",
    name: "pestle",
    version,
    licenses: [licenseOf("Apache-2.0")],
  };
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: own },
    components: unique(shipped).map(componentOf),
    dependencies: dependenciesOf(lock, shipped),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const refOf = ({ name, version }: { name: string; version: string }) =>
  `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;

/** npm can install one version in several places. */
function unique(packages: readonly Package[]): Package[] {
  const byRef = new Map(packages.map((one) => [refOf(one), one]));
  return [...byRef].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

function componentOf(one: Package) {
  const [, digest = ""] = /sha512-(\S+)/.exec(one.integrity ?? "") ?? [];
  return {
    type: "library",
    "bom-ref": refOf(one),
    name: one.name,
    version: one.version,
    scope: one.optional ? "optional" : "required",
    ...(digest !== "" && { hashes: [{ alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") }] }),
    licenses: [licenseOf(one.license)],
    purl: refOf(one),
  };
}

/** A single license by its SPDX id, several as an expression. */
const licenseOf = (license: string) => (/\s/.test(license) ? { expression: license } : { license: { id: license } });

function dependenciesOf(lock: Record<string, Locked>, shipped: readonly Package[]) {
  const byPath = new Map(shipped.map((one) => [one.path, one]));
  const edges = new Map<string, Set<string>>();
  const add = (from: string, path: string, { dependencies, optionalDependencies, peerDependencies }: Locked) => {
    const found = edges.get(from) ?? new Set<string>();
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const target = byPath.get(resolved(lock, path, name));
      if (target !== undefined) found.add(refOf(target));
    }
    edges.set(from, found);
  };
  for (const one of shipped) add(refOf(one), one.path, one);
  for (const [path, locked] of Object.entries(lock)) if (!path.includes("node_modules/")) add("pestle", path, locked);
  return [...edges]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([ref, targets]) => ({ ref, dependsOn: [...targets].sort() }));
}

/** Where Node finds a package from there: the nearest node_modules folder upward. */
function resolved(lock: Record<string, Locked>, from: string, name: string): string {
  for (let folder = from; ; folder = folder.replace(/(^|\/)(node_modules\/)?(@[^/]+\/)?[^/]+$/, "")) {
    const path = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (path in lock || folder === "") return path;
  }
}
