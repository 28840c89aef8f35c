import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import { describe, expect, test } from "vitest";
import { BoundedMap } from "../../../src/domain/values/bounded-map.ts";
import { createRateLimiter } from "../../../src/limits/rate-limiter.ts";

/**
 * Every collection that outlives a call and is not a BoundedMap, with the reason why it cannot grow without limit. A
 * reason names the limit, not the hope.
 */
const ONE_BODY = "lives for one reading of a body of at most 1 MiB";
const ONE_FILE = "lives for one reading of a file that the operator gave";
const ONE_TEXT = "lives for one reading of a text";
const FILTERS = "one entry per set of filter names, and the code lists the names";
const TABLES = "made from tables that the operator loads, and not changed afterwards";
const CLAIMS = "the courier claims no more than eight deliveries per slot";
const bounded: Record<string, string> = {
  "limits/quota-book.ts changed": "accounts that the map beside it holds, emptied every two seconds",
  "limits/admission.ts places": "one entry per party with a running request, and those are limited",
  "limits/admission.ts lines":
    "one entry per party with a waiting request, and a full line refuses one for each that comes",
  "backup-file.ts counts": "one entry per table of the schema",
  "database.ts pools": "one entry per pool, and the settings name the hosts",
  "replicas/in-batches.ts waiting": "one entry per request in progress, and admission limits those",
  "replicas/replicas.ts announced": "starts again beyond MOST_ANNOUNCED",
  "replicas/replicas.ts no_waiting": "one entry per replica in the settings",
  "replicas/watch-replica.ts waiting": "one entry per request in progress, and admission limits those",
  "replicas/watch-replica.ts open": "one entry per statement in progress, and the pools limit those",
  "copies.ts running": "one load per account of a request in progress, and admission limits those",
  "adapters/documents/sheet.ts chunks": "lives for one document",
  "adapters/documents/sheet.ts lines": "lives for one paragraph",
  "adapters/documents/fonts/faces.ts found": "lives for one document",
  "adapters/documents/fonts/faces.ts parts": "one entry per family of fonts in the code",
  "adapters/documents/fonts/subset.ts included": "lives for one document",
  "http/body.ts chunks": "keeps at most the largest body that its route allows",
  "http/listener.ts routes": "one entry per route in the code",
  "http/connections.ts counts": "one entry per network with an open connection, and connections are limited",
  "http/connections.ts readers": "one entry per open connection, and connections are limited",
  "metrics/histogram.ts series": "one entry per route in the code, method of HTTP and status, or per provider and call",
  "db/statement-label.ts labels": "one entry per statement in the code",
  "tracing/exporter.ts waiting": "drops spans beyond MOST_WAITING",
  "supervisor/supervise.ts places": "one entry per worker",
  "supervisor/supervise.ts short_lives": "one entry per worker",
  "supervisor/supervise.ts pauses": "one entry per worker",
  "supervisor/supervise.ts open": "one entry per request for metrics, for at most two seconds",
  "supervisor/join-supervisor.ts waiting": "one entry per request for metrics, for at most two seconds",
  "passwords.ts waiting": "a caller that finds the line full gets 503",
  "audit-log.ts waiting": "refuses the read beyond MOST_ENTRIES or MOST_BYTES",
  "request-log.ts waiting": "drops and counts requests beyond MOST_WAITING",
  "adapters/providers/provider-watch.ts states": "one entry per provider in the table",
  "adapters/providers/provider-watch.ts waiting": "drops exchanges beyond MOST_WAITING",
  "adapters/webhook-client.ts under_way": CLAIMS,
  "adapters/webhook-client.ts kept": "keeps the first 4 KiB of an answer",
  "db/db.ts statements": "one entry per statement in the code",
  "db/db.ts announced": "lives for one transaction",
  "db/embedded/scratch.ts own": "one entry per folder that this process is building",
  "db/fulfillment/queue.ts pages": FILTERS,
  "db/orders/order-list.ts pages": FILTERS,
  "db/webhooks/feed.ts pages": FILTERS,
  "db/webhooks/portal-webhooks.ts pages": FILTERS,
  "domain/catalogue/csv.ts records": ONE_FILE,
  "domain/catalogue/plan-import.ts faults": ONE_FILE,
  "domain/operations/audit-tree.ts subtrees": "one hash per level of a binary tree, at most 53",
  "domain/operations/redact-body.ts choices": "one entry per field in the contract",
  "domain/orders/order.ts history": "lives for one change of an order",
  "domain/orders/order.ts sends": "lives for one change of an order",
  "domain/safety/data.ts phrases": TABLES,
  "domain/safety/data.ts index": TABLES,
  "domain/safety/interaction-csv.ts ingredients": ONE_FILE,
  "domain/safety/read-rows.ts faults": ONE_FILE,
  "domain/safety/texts/names-csv.ts ingredients": ONE_FILE,
  "domain/safety/texts/sig-grammar.ts times": ONE_TEXT,
  "domain/safety/texts/sig-grammar.ts weekdays": ONE_TEXT,
  "domain/safety/texts/understand.ts substances": ONE_TEXT,
  "domain/safety/texts/understand.ts excipients": ONE_TEXT,
  "domain/safety/texts/understand.ts did_you_mean": ONE_TEXT,
  "domain/values/address/zip-rows.ts found": ONE_FILE,
  "domain/values/address/zip-table.ts city_names": TABLES,
  "domain/values/address/zip-table.ts places": TABLES,
  "domain/values/bounded-map.ts entries": "the map that is bounded",
  "domain/values/calendar.ts formatters": "one entry per time zone in the settings",
  "formats/fhir/parse.ts names": ONE_BODY,
  "formats/fhir/reading.ts warnings": ONE_BODY,
  "formats/fhir/resolve.ts holders": ONE_BODY,
  "formats/script/reading.ts warnings": ONE_BODY,
  "formats/script/reading.ts problems": ONE_BODY,
  "usecases/catalogue/read-catalogue.ts rendered": "one entry per list of the catalogue, and the code names three",
  "usecases/intake/read-reviews.ts known": "lives for one page of reviews",
  "usecases/operations/audit/verify-log.ts faults": "one command; stops at 200 faults",
  "usecases/operations/audit/verify-log.ts checkpoints": "one command; one entry per hour of the retention",
  "usecases/operations/audit/verify-log.ts roots": "one command; one entry per hour of the retention",
  "usecases/operations/render-each.ts parts": "lives for one page, up to its largest size",
  "usecases/operations/watch-home.ts listeners": "one entry per open home page of a signed-in person",
  "usecases/patients/damaged-patients.ts skipped_until_ms": "takes no further patient beyond MOST",
  "usecases/sandbox/walk-order.ts checked": "lives for one walk of an order of at most five steps",
  "usecases/webhooks/attempt-book.ts waiting": CLAIMS,
  "usecases/webhooks/courier.ts claims": CLAIMS,
  "usecases/webhooks/courier.ts attempts": CLAIMS,
  "usecases/webhooks/courier.ts known": "forgets idle endpoints beyond MOST_KNOWN",
};

const root = fileURLToPath(new URL("../../../src/", import.meta.url));
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
  (name) => name.endsWith(".ts") && !name.startsWith("cli/") && !name.startsWith("seed/"),
);

const GROWS = new Set(["set", "add", "push", "unshift", "splice"]);

/** A node of the syntax tree, with its parent. */
type Node = { type: string; parent?: Node; [part: string]: unknown };

const nodeOf = (value: unknown) => value as Node | null | undefined;
const nameOf = (node: Node | null | undefined): string =>
  node?.type === "MemberExpression" ? nameOf(nodeOf(node["property"])) : String(node?.["name"] ?? "");

/** All nodes in order, each with its parent. */
function nodesOf(file: string, text: string): Node[] {
  const nodes: Node[] = [];
  const visit = (value: unknown, parent: Node | undefined): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, parent);
    else if (typeof value === "object" && value !== null && "type" in value) {
      const node = value as Node;
      if (parent !== undefined) Object.defineProperty(node, "parent", { value: parent, enumerable: false });
      nodes.push(node);
      for (const part of Object.values(node)) visit(part, node);
    }
  };
  visit(parseSync(file, text).program, undefined);
  return nodes;
}

/** `new Map()`, `new Set(…)`, `[]`, `{}`: a collection that code may fill later. */
function isCollection(made: Node | null | undefined): boolean {
  if (made === null || made === undefined) return false;
  if (made.type === "TSAsExpression" || made.type === "TSSatisfiesExpression") {
    return isCollection(nodeOf(made["expression"]));
  }
  if (made.type === "NewExpression") return /^(Map|Set|Array)$/.test(nameOf(nodeOf(made["callee"])));
  if (made.type === "ObjectExpression") return (made["properties"] as unknown[]).length === 0;
  return made.type === "ArrayExpression";
}

const isFunction = ({ type }: Node) => /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type);

const LISTENS = new Set(["on", "once", "addListener", "addHook", "setInterval", "setTimeout"]);

/**
 * A function that lives on after the one around it returned: a method, a named function, one kept under a name, or one
 * that listens or waits.
 */
function outlives(node: Node): boolean {
  if (!isFunction(node)) return false;
  if (node.type === "FunctionDeclaration" || !/^(Call|New)Expression$/.test(node.parent?.type ?? "")) return true;
  return node.parent?.type === "CallExpression" && LISTENS.has(nameOf(nodeOf(node.parent["callee"])));
}

type Found = { name: string; at: Node; field: boolean };

type Growth = { name: string; at: Node };

/** Collections that live as long as the module, an object, or a function that is kept. */
function longLived(sources: Record<string, string>): string[] {
  const read = Object.entries(sources).map(([file, text]) => ({ file, ...collectionsIn(file, text) }));
  // A field can be filled from another file.
  const everywhere = new Set(read.flatMap(({ grown }) => grown.map(({ name }) => name)));
  return read.flatMap(({ file, declared, grown }) =>
    declared
      .filter((one) => (one.field ? everywhere.has(one.name) : grown.some((growth) => reaches(one, growth))))
      .map(({ name }) => `${file} ${name}`),
  );
}

function collectionsIn(file: string, text: string): { declared: Found[]; grown: Growth[] } {
  const declared: Found[] = [];
  const grown: Growth[] = [];
  for (const node of nodesOf(file, text)) {
    if (node.type === "VariableDeclarator" && isCollection(nodeOf(node["init"]))) {
      declared.push({ name: nameOf(nodeOf(node["id"])), at: node, field: false });
    }
    if (node.type === "PropertyDefinition" && isCollection(nodeOf(node["value"]))) {
      declared.push({ name: nameOf(nodeOf(node["key"])), at: node, field: true });
    }
    // A list in an object is a table; an empty Map or Set is there to be filled.
    const made = node.type === "Property" ? nodeOf(node["value"]) : undefined;
    if (made?.type === "NewExpression" && isCollection(made) && (made["arguments"] as unknown[]).length === 0) {
      declared.push({ name: nameOf(nodeOf(node["key"])), at: node, field: true });
    }
    const callee = node.type === "CallExpression" ? nodeOf(node["callee"]) : undefined;
    if (callee?.type === "MemberExpression" && GROWS.has(nameOf(callee))) {
      grown.push({ name: nameOf(nodeOf(callee["object"])), at: node });
    }
    if (node.type === "AssignmentExpression" && node["operator"] === "=") {
      const [left, right] = [nodeOf(node["left"])!, nodeOf(node["right"])!];
      if (left.type === "MemberExpression" && left["computed"]) {
        grown.push({ name: nameOf(nodeOf(left["object"])), at: node });
      }
      // `list = [...list, one]` grows it too.
      if (left.type === "Identifier" && right.type === "ArrayExpression" && (right["elements"] as []).length > 0) {
        grown.push({ name: nameOf(left), at: node });
      }
    }
  }
  return { declared, grown };
}

/** Whether the growth happens in a function that outlives the declaration's own. */
function reaches({ name, at }: Found, growth: Growth): boolean {
  if (name !== growth.name) return false;
  const home = parentsOf(at).find(isFunction);
  if (home === undefined) return true;
  const around = [growth.at, ...parentsOf(growth.at)];
  const until = around.indexOf(home);
  return until >= 0 && around.slice(0, until).some(outlives);
}

function parentsOf(node: Node): Node[] {
  return node.parent === undefined ? [] : [node.parent, ...parentsOf(node.parent)];
}

describe("every collection that outlives a call", () => {
  const found = longLived(Object.fromEntries(files.map((file) => [file, readFileSync(join(root, file), "utf8")])));

  test("is a BoundedMap, or has a row with the reason why it is bounded", () => {
    expect(found.filter((one) => !(one in bounded))).toEqual([]);
  });

  test("and no row is left over", () => {
    expect(Object.keys(bounded).filter((row) => !found.includes(row))).toEqual([]);
  });

  test("is found in a module, in a class, in an object and in the functions that a factory returns", () => {
    const text = `
      const seen = new Map<string, number>();
      const TABLE = new Map([["a", 1]]);
      export function note(key: string) { seen.set(key, 1); const own = new Set<string>(); own.add(key); return own; }
      class Waiting { readonly #lines: string[] = []; add(line: string) { this.#lines.push(line); } }
      export function create() {
        let kept: string[] = [];
        const local: string[] = [];
        local.push("once");
        return { tags: new Set<string>(), keep(text: string) { kept = [...kept, text]; }, tag(it: Tagged) { it.tags.add("x"); } };
      }`;
    expect(longLived({ "sample.ts": text }).sort()).toEqual([
      "sample.ts kept",
      "sample.ts lines",
      "sample.ts seen",
      "sample.ts tags",
    ]);
  });
});

describe("a BoundedMap", () => {
  const bytesOf = (value: string) => value.length;

  test("drops its oldest entries at its limit of entries", () => {
    const map = new BoundedMap<string>({ entries: 2, bytes: 10_000, bytesOf });
    map.set("a", "1").set("b", "2").set("a", "3").set("c", "4");
    expect([...map]).toEqual([
      ["a", "3"],
      ["c", "4"],
    ]);
  });

  test("drops its oldest entries at its limit of bytes, and counts keys and values", () => {
    const map = new BoundedMap<string>({ entries: 1_000, bytes: 10_000, bytesOf });
    for (let one = 0; one < 100; one++) map.set(`${one} ${"k".repeat(1_000)}`, "v".repeat(1_000));
    expect(map.size).toBe(3);
    expect(map.bytes).toBeLessThanOrEqual(10_000);
    map.set("99", "x").deleteWhere((value) => value.startsWith("v"));
    expect([...map]).toEqual([["99", "x"]]);
    map.delete("99");
    expect([map.size, map.bytes]).toEqual([0, 0]);
  });

  test("does not keep an entry that alone is larger than its limit, and forgets the one before it", () => {
    const map = new BoundedMap<string>({ entries: 10, bytes: 1_000, bytesOf });
    map.set("a", "small").set("b", "small").set("a", "v".repeat(1_000));
    expect([...map]).toEqual([["b", "small"]]);
  });
});

test("a rate limiter with thirty thousand long names stays within its bytes and keeps the newest", () => {
  const limiter = createRateLimiter();
  const limit = { rate_per_second: 1, burst: 1 };
  const long = "n".repeat(1_000);
  for (let one = 0; one < 30_000; one++) limiter.spend("", `${one} ${long}`, limit, 0);
  expect(limiter.takeActive().length).toBeLessThanOrEqual((32 * 1024 * 1024) / 2_000);
  expect(limiter.spend("", `29999 ${long}`, limit, 0).allowed).toBe(false);
});
