import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

/**
 * The allowed imports. A file belongs to the first row whose folder contains it; `own` are folders (or files) of this
 * repository, `packages` those from npm, `node` whether Node's own modules are allowed.
 */
const rules: { folder: string; own: string[]; packages: string[]; node: RegExp }[] = [
  { folder: "contract/src/signature.ts", own: ["contract/src/"], packages: [], node: /^node:crypto$/ },
  { folder: "contract/src/audit/audit-proof.ts", own: ["contract/src/audit/"], packages: [], node: /^node:crypto$/ },
  { folder: "contract/src/certify/certify-report.ts", own: ["contract/src/"], packages: [], node: /^node:crypto$/ },
  { folder: "contract/src/", own: ["contract/src/"], packages: [], node: /^$/ },
  { folder: "sdk/src/", own: ["sdk/src/"], packages: ["@pestle/contract"], node: /^$/ },
  // The partner's command line: everything over the API, nothing of the service.
  {
    folder: "cli/src/",
    own: ["cli/src/"],
    packages: ["@pestle/contract", "@pestle/sdk", "commander", "picocolors"],
    node: /^node:/,
  },
  // The address ranges are tables of a library, as pure as our own.
  { folder: "server/src/domain/webhooks/webhook-address.ts", own: [], packages: ["ipaddr.js"], node: /^$/ },
  { folder: "server/src/domain/accounts/allowed-networks.ts", own: [], packages: ["ipaddr.js"], node: /^$/ },
  { folder: "server/src/domain/values/networks.ts", own: [], packages: ["ipaddr.js"], node: /^$/ },
  { folder: "server/src/domain/", own: ["server/src/domain/"], packages: ["@pestle/contract"], node: /^$/ },
  // External formats: one file parses XML, and none opens anything else.
  { folder: "server/src/formats/script/xml.ts", own: [], packages: ["saxes"], node: /^$/ },
  {
    folder: "server/src/formats/",
    own: ["server/src/formats/", "server/src/domain/"],
    packages: ["@pestle/contract", "fhir (types)"],
    node: /^$/,
  },
  {
    folder: "server/src/db/db.ts",
    own: [
      "server/src/db/index-key-fence.ts",
      "server/src/domain/operations/span.ts",
      "server/src/domain/values/refusals.ts",
    ],
    packages: ["pg"],
    node: /^node:crypto$/,
  },
  // The supervisor of the embedded database knows PostgreSQL and nothing about Pestle.
  { folder: "server/src/db/embedded", own: ["server/src/db/embedded"], packages: ["pg"], node: /^node:/ },
  {
    folder: "server/src/db/",
    own: ["server/src/db/", "server/src/domain/"],
    packages: ["@pestle/contract", "pg (types)"],
    node: /^node:/,
  },
  {
    folder: "server/src/vault/",
    own: ["server/src/vault/", "server/src/db/", "server/src/config.ts"],
    packages: [],
    node: /^node:/,
  },
  // One file draws pages, one encodes barcodes, one opens fonts; the documents themselves use none of these libraries.
  {
    folder: "server/src/adapters/documents/sheet.ts",
    own: ["server/src/adapters/documents/", "server/src/domain/"],
    packages: ["pdfkit", "bidi-js (types)"],
    node: /^$/,
  },
  {
    folder: "server/src/adapters/documents/fonts/faces.ts",
    own: ["server/src/adapters/documents/fonts/", "server/src/domain/"],
    packages: ["fontkit"],
    node: /^node:(fs|module|path)$/,
  },
  {
    folder: "server/src/adapters/documents/fonts/load-fonts.ts",
    own: ["server/src/adapters/documents/fonts/"],
    packages: ["bidi-js"],
    node: /^$/,
  },
  {
    folder: "server/src/adapters/documents/fonts/",
    own: ["server/src/adapters/documents/fonts/", "server/src/domain/"],
    packages: ["bidi-js (types)", "fontkit (types)"],
    node: /^node:zlib$/,
  },
  {
    folder: "server/src/adapters/documents/barcode.ts",
    own: [],
    packages: ["bwip-js", "@pestle/contract"],
    node: /^$/,
  },
  {
    folder: "server/src/adapters/passkeys.ts",
    own: ["server/src/domain/"],
    packages: ["@simplewebauthn/server", "@pestle/contract"],
    node: /^$/,
  },
  { folder: "server/src/adapters/oidc.ts", own: [], packages: ["openid-client"], node: /^$/ },
  // One file reads partners' PDF labels, and one puts the documents of many parcels into one.
  {
    folder: "server/src/adapters/documents/labels/clean-pdf.ts",
    own: [],
    packages: ["pdf-lib"],
    node: /^node:zlib$/,
  },
  { folder: "server/src/adapters/documents/labels/join-pages.ts", own: [], packages: ["pdf-lib"], node: /^$/ },
  {
    folder: "server/src/adapters/messages/mail.ts",
    own: ["server/src/domain/"],
    packages: ["nodemailer"],
    node: /^$/,
  },
  // Two files connect to partners, and one of them decides to which addresses.
  {
    folder: "server/src/adapters/webhook-",
    own: ["server/src/adapters/", "server/src/domain/"],
    packages: ["@pestle/contract", "undici"],
    node: /^node:/,
  },
  // One file calls providers.
  {
    folder: "server/src/adapters/providers/provider-client.ts",
    own: ["server/src/adapters/providers/"],
    packages: ["@pestle/contract", "undici"],
    node: /^node:/,
  },
  {
    folder: "server/src/adapters/",
    own: ["server/src/adapters/", "server/src/domain/"],
    packages: ["@pestle/contract"],
    node: /^node:/,
  },
  {
    folder: "server/src/usecases/",
    own: [
      "server/src/usecases/",
      "server/src/domain/",
      "server/src/db/",
      "server/src/vault/",
      "server/src/deps.ts",
      "server/src/copies.ts",
      "server/src/random.ts",
      "server/src/config.ts",
      "server/src/backup-file.ts",
    ],
    packages: ["@pestle/contract"],
    node: /^node:/,
  },
  {
    folder: "server/src/http/",
    own: [
      "server/src/http/",
      "server/src/usecases/",
      "server/src/domain/",
      "server/src/db/",
      "server/src/formats/formats.ts",
      "server/src/deps.ts",
      "server/src/tracing/traced-deps.ts",
      "server/src/config.ts",
      "server/src/version.ts",
    ],
    packages: ["@pestle/contract", "fastify"],
    node: /^node:/,
  },
  {
    folder: "server/src/jobs/",
    own: [
      "server/src/jobs/",
      "server/src/usecases/",
      "server/src/domain/operations/span.ts",
      "server/src/deps.ts",
      "server/src/tracing/traced-deps.ts",
    ],
    packages: [],
    node: /^$/,
  },
  {
    folder: "server/src/seed/",
    own: ["server/src/seed/", "server/src/usecases/", "server/src/db/", "server/src/deps.ts", "server/src/random.ts"],
    packages: ["@pestle/contract", "@pestle/cli"],
    node: /^node:/,
  },
  // One file speaks to assistants.
  {
    folder: "server/src/cli/mcp/serve-tools.ts",
    own: ["server/src/", "cli/src/"],
    packages: ["@modelcontextprotocol/server"],
    node: /^node:events$/,
  },
  // The composition root and the command line may import everything and contain no decisions.
  {
    folder: "server/src/",
    own: ["server/src/"],
    packages: ["@pestle/contract", "@pestle/cli", "pino", "prom-client", "fastify (types)"],
    node: /^node:/,
  },
];

/**
 * Uses no clock, no random numbers and nothing from outside: forbidden in `domain/`, `intake/` and `contract/` beyond
 * imports.
 */
const IMPURE = /\b(Date\.now|new Date\(\)|Math\.random|process\.|setTimeout|setInterval|async |await |fetch\()/;

const root = fileURLToPath(new URL("../../../", import.meta.url));
const sources = ["contract/src", "sdk/src", "cli/src", "server/src"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name)),
);
/** A reader can keep so many names in mind. */
const MOST_FILES = 25;
/** Folders whose files have running numbers: they grow, and nobody reads them as a whole. */
const NUMBERED = new Set(["docs/adr", "server/migrations"]);
const HAND_WRITTEN = [
  ...["bench", "chaos", "cli", "clients", "contract", "docs", "e2e", "examples"],
  ...["python", "scripts", "sdk", "server", "web"],
];
const NOT_OURS = /(^|\/)(node_modules|dist|__pycache__|\.[^/]+)(\/|$)/;

const textOf = (file: string) => readFileSync(join(root, file), "utf8");

/** The folder of each file below a folder. */
function foldersOfFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (NOT_OURS.test(path)) return [];
    return entry.isDirectory() ? foldersOfFiles(path) : [folder];
  });
}

type Import = {
  target: string;
  typesOnly: boolean;
  /** The code imports it when it needs it. */
  later?: boolean;
};
function importsOf(file: string): Import[] {
  const found = textOf(file).matchAll(/^(?:import|export)\s+(type\s+)?(?:[^;"]*?\sfrom\s+)?"([^"]+)"/gm);
  const dynamic = textOf(file).matchAll(/\bimport\("([^"]+)"\)/g);
  return [
    ...[...found].map(([, type, target]) => ({ target: target as string, typesOnly: type !== undefined })),
    ...[...dynamic].map(([, target]) => ({ target: target as string, typesOnly: false, later: true })),
  ].map(({ target, ...how }) => ({
    target: target.startsWith(".")
      ? relative(root, join(root, dirname(file), target))
      : target.replace(/^@pestle\/cli\/(.+)$/, "cli/src/$1.ts"),
    ...how,
  }));
}

/** What Node loads with these files: their imports and those of the imports, but none that the code imports later. */
function loadedWith(files: readonly string[]): string[] {
  const loaded = new Set(files);
  for (const file of loaded) {
    if (!sources.includes(file)) continue;
    for (const { target, typesOnly, later } of importsOf(file)) if (!typesOnly && !later) loaded.add(target);
  }
  return [...loaded].sort();
}

function forbidden(file: string, { target, typesOnly }: Import): boolean {
  const rule = rules.find(({ folder }) => file.startsWith(folder));
  if (rule === undefined) return true;
  if (isBuiltin(target)) return !rule.node.test(target);
  const own = target.startsWith("cli/src/") && rule.packages.includes("@pestle/cli") ? ["cli/src/"] : rule.own;
  if (sources.includes(target)) return !own.some((folder) => target.startsWith(folder));
  const name = target
    .split("/")
    .slice(0, target.startsWith("@") ? 2 : 1)
    .join("/");
  return !rule.packages.includes(name) && !(typesOnly && rule.packages.includes(`${name} (types)`));
}

describe("the architecture", () => {
  test("imports go one way only", () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter((found) => forbidden(file, found))
        .map(({ target }) => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test("the checker detects what it forbids", () => {
    expect(forbidden("server/src/domain/orders/order.ts", { target: "node:fs", typesOnly: false })).toBe(true);
    expect(forbidden("server/src/domain/orders/order.ts", { target: "server/src/db/db.ts", typesOnly: true })).toBe(
      true,
    );
    expect(forbidden("server/src/usecases/x.ts", { target: "fastify", typesOnly: false })).toBe(true);
    expect(forbidden("server/src/http/x.ts", { target: "pg", typesOnly: false })).toBe(true);
    expect(forbidden("contract/src/x.ts", { target: "zod", typesOnly: false })).toBe(true);
    expect(forbidden("server/src/formats/script/read.ts", { target: "saxes", typesOnly: false })).toBe(true);
    expect(forbidden("server/src/formats/fhir/x.ts", { target: "node:crypto", typesOnly: false })).toBe(true);
    expect(importsOf("server/src/usecases/accounts/issue-token.ts").map(({ target }) => target)).toContain(
      "server/src/db/accounts/tokens.ts",
    );
  });

  test("domain, formats and contract use no clock, no random numbers and nothing from outside", () => {
    const pure = sources.filter((file) => /^(contract\/src|server\/src\/(domain|formats))\//.test(file));
    expect(pure.length).toBeGreaterThan(15);
    const code = (file: string) => textOf(file).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|"[^"\n]*"|`[^`]*`/g, "");
    expect(pure.filter((file) => IMPURE.test(code(file)))).toEqual([]);
  });

  test("commands that use the API alone load no database driver, web framework or HTTP client", () => {
    const commands = "server/src/cli/commands.ts";
    const rows = [commands, "cli/src/commands.ts"].flatMap((table) =>
      [...textOf(table).matchAll(/^ {2}\[\["(\w+)".*?import\("\.\/([^"]+)"\)/gm)].map(
        ([, first, file]) => [first, `${dirname(table)}/${file}`] as const,
      ),
    );
    const filesOf = (word: string) => rows.filter(([first]) => first === word).map(([, file]) => file);
    const HEAVY = ["pg", "fastify", "undici", "pino", "prom-client", "saxes"];
    expect(loadedWith(filesOf("order")).filter((target) => HEAVY.includes(target))).toEqual(["pg", "pino"]);
    for (const word of ["orders", "token", "login", "simulate", "webhooks", "events", "trigger", "config"]) {
      const files = filesOf(word);
      expect(files).not.toEqual([]);
      expect([word, ...loadedWith([commands, ...files]).filter((target) => HEAVY.includes(target))]).toEqual([word]);
    }
  });

  test(`no folder has more than ${MOST_FILES} files`, () => {
    const sizes = new Map<string, number>();
    for (const folder of HAND_WRITTEN) {
      for (const one of foldersOfFiles(folder)) sizes.set(one, (sizes.get(one) ?? 0) + 1);
    }
    expect(sizes.get("docs/adr")).toBeGreaterThan(MOST_FILES);
    expect([...sizes].filter(([folder, files]) => files > MOST_FILES && !NUMBERED.has(folder))).toEqual([]);
  });

  test("there are no import cycles", () => {
    const graph = new Map(
      sources.map((file) => [
        file,
        importsOf(file)
          .filter(({ typesOnly }) => !typesOnly)
          .map(({ target }) => target),
      ]),
    );
    const done = new Set<string>();
    const visit = (file: string, path: string[]): string[] | undefined => {
      if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
      if (done.has(file)) return undefined;
      done.add(file);
      for (const next of graph.get(file) ?? []) {
        const cycle = graph.has(next) ? visit(next, [...path, file]) : undefined;
        if (cycle !== undefined) return cycle;
      }
      return undefined;
    };
    for (const file of sources) expect(visit(file, [])).toBeUndefined();
  });
});
