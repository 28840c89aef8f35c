import { METHODS, type Server } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { basic } from "../../support/token-request.ts";
import {
  brokenPromises,
  type ExchangeOptions,
  exchange,
  outcomeOf,
  requestBytes,
} from "../../support/tools/raw-http.ts";

const MIB = 1024 * 1024;
const JSON_TYPE = "content-type: application/json";
const FORM_TYPE = "content-type: application/x-www-form-urlencoded";
const GRANT = "grant_type=client_credentials&scope=partners";
/** A valid change: any error around it must prevent it. */
const CHANGE = JSON.stringify({ simulation_type: "clock", simulation: { advance_seconds: 1 } });

/** `{token}` and `{basic}` stand for valid credentials; a case with several answers expects all of them, in order. */
type Case = {
  name: string;
  bytes: Buffer | string;
  expect: string | RegExp | readonly string[];
  /** The server must also close the connection. */
  closes?: true;
} & Pick<ExchangeOptions, "head" | "half_close">;

const KEY = "idempotency-key: once";
const HOST = "host: localhost";
const signedIn = [HOST, "accept: application/json", "authorization: Bearer {token}"];
const length = (body: string | Buffer) => `content-length: ${Buffer.byteLength(body)}`;
const get = (target: string, headers = signedIn) => requestBytes(`GET ${target} HTTP/1.1`, headers);
const post = (body: string | Buffer, headers: readonly string[] = [JSON_TYPE, KEY], path = "/simulate") =>
  requestBytes(`POST ${path} HTTP/1.1`, [...signedIn, ...headers, length(body)], body);
const postFramed = (framing: readonly string[], body: string) =>
  requestBytes("POST /simulate HTTP/1.1", [...signedIn, JSON_TYPE, KEY, ...framing], body);
const chunk = (body: string) => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`;
const form = (body: string | Buffer, headers = [FORM_TYPE, "authorization: {basic}"], path = "/oauth/token") =>
  requestBytes(`POST ${path} HTTP/1.1`, [HOST, ...headers, length(body)], body);
const manyNames = `{${Array.from({ length: 1_001 }, (_, n) => `"n${n}":1`).join()}}`;
const table = (expect: Case["expect"], rows: Record<string, Buffer | string>, more: Partial<Case> = {}): Case[] =>
  Object.entries(rows).map(([name, bytes]) => ({ name, bytes, expect, ...more }));
const each = <Item extends string>(items: readonly Item[], bytes: (item: Item) => Buffer) =>
  Object.fromEntries(items.map((item) => [JSON.stringify(item).slice(0, 70), bytes(item)]));

const unknownTargets = [
  "/nope",
  "/v1",
  "/v1/",
  "/v2/brands",
  "//brands",
  "/brands/",
  "/Brands",
  "/brands;x=1",
  "/%zz",
  "/%",
  "/%00",
  "/brands%00",
  "/%ed%a0%80",
  "/%c0%af",
  "/../../../etc/passwd",
  "/assets/../../package.json",
  "/assets/..%2f..%2fpackage.json",
  "/docs/%2e%2e/%2e%2e/package.json",
  "/docs/__proto__",
  `/docs/${"a".repeat(300)}`,
  `/${"a".repeat(15_000)}`,
  "*",
  "*v1/brands",
  "ftp://localhost/brands",
  "http:///brands",
];

const badQueries = [
  "ndc[]=%zz",
  "ndc[]=%00",
  "ndc[]=%ed%a0%80",
  "ndc[]=%c0%af",
  "ndc=1",
  "%zz=1",
  "__proto__=1",
  "a%0ab=1",
];

const badChunks = [
  "zz\r\n",
  "-1\r\n",
  "0x2\r\n{}\r\n0\r\n\r\n",
  "ffffffffffffffffff\r\n{}",
  "2\n{}\n0\n\n",
  "1\r\n{}\r\n0\r\n\r\n",
];

const smugglers: Record<string, readonly string[]> = {
  "a length and chunks": [length(CHANGE), "transfer-encoding: chunked"],
  "chunks and a length": ["transfer-encoding: chunked", "content-length: 0"],
  "chunked, then another coding": ["transfer-encoding: chunked, identity"],
  "a coding that only looks chunked": ["transfer-encoding: xchunked"],
  "a coding without chunks": ["transfer-encoding: gzip"],
  "a space before the colon": ["transfer-encoding : chunked"],
  "a tab in the coding": ["transfer-encoding: \x0bchunked"],
  "two lengths that differ": [length(CHANGE), "content-length: 3"],
  "two lengths that agree": [length(CHANGE), length(CHANGE)],
  "a list of lengths": [`${length(CHANGE)}, ${Buffer.byteLength(CHANGE)}`],
  "a length with a sign": [`content-length: +${Buffer.byteLength(CHANGE)}`],
  "a negative length": ["content-length: -1"],
  "a length that is not a number": ["content-length: ten"],
  "a length beyond all numbers": [`content-length: ${"9".repeat(30)}`],
};

const malformedHeaders: Record<string, string> = {
  "a null byte in a value": "x: a\x00b",
  "a bare CR in a value": "x: a\rb",
  "a bare LF in a value": "x: a\nb",
  "a control character in a name": "x\x01: a",
  "a letter beyond ASCII in a name": "caf\xe9: a",
  "a space in a name": "x y: a",
  "no colon": "nonsense",
  "no name": ": a",
};

const notHttp: Record<string, Buffer | string> = {
  "a TLS hello": Buffer.from("1603010200010001fc0303", "hex"),
  "an HTTP/2 preface": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "another protocol": "EHLO localhost\r\n",
  "null bytes": Buffer.alloc(1000),
  "an endless method": "A".repeat(70_000),
  "a version in lower case": "GET /v1/brands http/1.1\r\n\r\n",
  "a version beyond all versions": "GET /v1/brands HTTP/9.9\r\n\r\n",
  "no target": "GET  HTTP/1.1\r\n\r\n",
  "a target without a slash": "GET brands HTTP/1.1\r\n\r\n",
  "an authority as target": "GET localhost:80 HTTP/1.1\r\n\r\n",
  "a null byte in the target": "GET /v1/brand\x00s HTTP/1.1\r\n\r\n",
  "a space in the target": "GET /v1/bra nds HTTP/1.1\r\n\r\n",
};

const notJson = [
  "",
  " ",
  "{",
  "{]",
  '{"a":1,}',
  "{'a':1}",
  "{a:1}",
  "NaN",
  "\x00",
  '{"a":"\x00"}',
  '{"a":1}{"a":1}',
  "//",
  '{"a":01}',
];

const partnerCases: Case[] = [
  ...table("404", each(unknownTargets, get)),
  ...table(/^4(04|00 40000)$/, { "a raw byte beyond ASCII in the path": get("/caf\xe9") }),
  ...table(
    "400 40003",
    each(badQueries, (query) => get(`/v1/products?${query}`)),
  ),
  ...table("400 40003", { "more filter values than allowed": get(`/products?${"ndc[]=1&".repeat(201)}`) }),
  ...table("200", {
    "a whole address as target": get("http://127.0.0.1:8080/v1/brands"),
    "an escaped letter in the path": get("/v1/%62rands"),
    "nonsense to compare the ETag with": get("/brands", [...signedIn, 'if-none-match: W/", "", ,*,"']),
    "a thousand headers": get("/brands", [...signedIn, ...Array<string>(1000).fill("x: y")]),
    "empty lines before the request": Buffer.concat([Buffer.from("\r\n\r\n"), get("/brands")]),
    "a GET with a body": requestBytes("GET /brands HTTP/1.1", [...signedIn, "content-length: 3"], "\x00{["),
    ...each(["LocalHost:1", "localhost.", "127.0.0.1", "127.9.9.9:8080", "[::1]:8080"], (host) =>
      get("/brands", [`host: ${host}`, ...signedIn.slice(1)]),
    ),
  }),
  ...table("400 40005", {
    "HTTP/1.0 without a host": requestBytes("GET /brands HTTP/1.0", signedIn.slice(1)),
    "HTTP/1.1 without a host": get("/brands", signedIn.slice(1)),
    "a host twice": get("/brands", [...signedIn, "host: elsewhere"]),
    "a host twice, the same": get("/brands", [...signedIn, HOST]),
    "a whole address of another host as target": get("http://elsewhere.example/v1/brands"),
    ...each(
      [
        "",
        "elsewhere.example",
        "localhost.elsewhere.example",
        "localhost:x",
        "a@localhost",
        "127.0.0.1.nip.example",
        "::1",
      ],
      (host) => get("/brands", [`host: ${host}`, ...signedIn.slice(1)]),
    ),
    "another host for an unknown path": get("/nope", ["host: elsewhere.example"]),
    "another host for a malformed path": get("/%zz", ["host: elsewhere.example"]),
  }),
  ...table(/^400 4000[05]$/, { "HTTP/0.9": "GET /v1/brands\r\n\r\n" }),

  ...table("406", {
    "no Accept": get("/brands", [HOST, signedIn[2]!]),
    ...each(["", "*/*", "text/html", "application/json;q=0", "application/jsonp", "a/b;q=,;;,", "\xff"], (accept) =>
      get("/brands", [HOST, signedIn[2]!, `accept: ${accept}`]),
    ),
  }),
  ...table(
    "401 invalid_token",
    each(["", "Bearer", "Bearer ", "Bearer \xff", "Basic eDp5", "Bearer a b", `Bearer ${"a".repeat(9000)}`], (value) =>
      get("/brands", [HOST, signedIn[1]!, `authorization: ${value}`]),
    ),
  ),
  ...table("400 40005", {
    "Authorization twice": post(CHANGE, [JSON_TYPE, KEY, signedIn[2]!]),
    "Idempotency-Key twice": post(CHANGE, [JSON_TYPE, KEY, "idempotency-key: twice"]),
    "Idempotency-Key twice, the same": post(CHANGE, [JSON_TYPE, KEY, KEY]),
    ...each(["", "a b", "a\tb", "caf\xe9", "k".repeat(256)], (key) =>
      post(CHANGE, [JSON_TYPE, `idempotency-key: ${key}`]),
    ),
  }),
  ...table(
    "400 40005",
    {
      "a path over 16 KiB": get(`/${"a".repeat(17 * 1024)}`),
      "a header over 16 KiB": post(CHANGE, [JSON_TYPE, `x: ${"a".repeat(17 * 1024)}`]),
      "headers over 16 KiB together": post(CHANGE, [JSON_TYPE, ...Array<string>(40).fill(`x: ${"a".repeat(500)}`)]),
      "a header of 4 MiB": post(CHANGE, [JSON_TYPE, `x: ${"a".repeat(4 * MIB)}`]),
    },
    { closes: true },
  ),
  ...Object.entries(malformedHeaders).map(([name, header]): Case => {
    return { name, bytes: post(CHANGE, [JSON_TYPE, header]), expect: "400 40000", closes: true };
  }),
  ...table("400 40000", notHttp, { closes: true }),

  ...table("400 40002", {
    ...each(["", "nonsense", "/", ";", "text/plain", "application/xml", "application/json; charset=utf-16"], (type) =>
      post(CHANGE, [KEY, `content-type: ${type}`]),
    ),
    "no Content-Type": post(CHANGE, [KEY]),
    "a form": post(CHANGE, [KEY, FORM_TYPE]),
    "a wrong Content-Type first": post(CHANGE, [KEY, "content-type: text/plain", JSON_TYPE]),
  }),
  ...table(/^(422 42200|400 4000[25])$/, {
    "a wrong Content-Type second": post("{}", [KEY, JSON_TYPE, "content-type: text/plain"]),
  }),
  ...table("400 40001", {
    ...each(notJson, (body) => post(body)),
    "UTF-16": post(Buffer.from(`\ufeff${CHANGE}`, "utf16le")),
    "a byte that is not UTF-8": post(Buffer.from('{"a":"\xff"}', "latin1")),
    "an overlong slash": post(Buffer.from('{"a":"\xc0\xaf"}', "latin1")),
    "a surrogate in UTF-8": post(Buffer.from('{"a":"\xed\xa0\x80"}', "latin1")),
    "a repeated key": post(CHANGE.replace("}}", '},"simulation_type":"clock"}')),
    "a repeated key inside": post(CHANGE.replace(":1}", ':1,"advance_\\u0073econds":1}')),
    "100,000 open lists": post("[".repeat(100_000)),
    "100,000 open objects": post('{"a":'.repeat(100_000)),
    "100,000 lists, closed": post(`{"simulation":${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
    "no body at all": requestBytes("POST /simulate HTTP/1.1", [...signedIn, JSON_TYPE, KEY]),
  }),
  ...table(
    "400 40000",
    each(["[]", "null", "true", "1", "-0", '"text"', `[${CHANGE}]`], (body) => post(body)),
  ),
  ...table("422 42200", {
    ...each(
      ["application/json;", "Application/JSON ; Charset = UTF-8", 'application/json; charset="utf-8"; v=1'],
      (type) => post("{}", [KEY, `content-type: ${type}`]),
    ),
    "an empty object": post("{}"),
    "a byte order mark": post("\ufeff{}"),
    "a prototype": post('{"__proto__":{"simulation_type":"clock","simulation":{"advance_seconds":1}}}'),
    "a prototype inside": post('{"simulation_type":"clock","simulation":{"__proto__":{"advance_seconds":1}}}'),
    "a constructor": post(CHANGE.replace("{", '{"constructor":{"prototype":{"x":1}},')),
    "a null byte in a key": post('{"\\u0000":1}'),
    "a lone surrogate in a key": post('{"\\ud800":1}'),
    "a null byte in a value": post('{"simulation_type":"clock\\u0000","simulation":{"advance_seconds":1}}'),
    ...each(["1e999", "1.5", "-1", "0", '"1"', "[1]", "{}", "null", "true", "9007199254740993"], (value) =>
      post(CHANGE.replace(":1}", `:${value}}`)),
    ),
    "32 levels": post(`{"a":${"[".repeat(31)}${"]".repeat(31)}}`),
    "60,000 unknown fields": post(`{${Array.from({ length: 60_000 }, (_, i) => `"${i.toString(36)}-":0`).join()}}`),
    "a body of exactly 1 MiB": post(`{}${" ".repeat(MIB - 2)}`),
    "an Expect that means nothing": post("{}", [JSON_TYPE, "expect: the unexpected"]),
    "an upgrade to another protocol": post("{}", [JSON_TYPE, "connection: upgrade", "upgrade: websocket"]),
    "an upgrade to HTTP/2": post("{}", [JSON_TYPE, "connection: upgrade, http2-settings", "upgrade: h2c"]),
    "chunks with extensions and trailers": postFramed(
      ["transfer-encoding: chunked", "trailer: x"],
      "2;a=b\r\n{}\r\n0\r\nx: y\r\n\r\n",
    ),
  }),
  ...table("400 40001", { "33 levels": post(`{"a":${"[".repeat(32)}${"]".repeat(32)}}`) }),

  ...table("400 40004", {
    "an object with more fields than any request needs, below the first fields": post(
      `{"simulation_type":"event","simulation":${manyNames}}`,
    ),
    "a body of 1 MiB and a byte": post(Buffer.alloc(MIB + 1, " ")),
    "the same in chunks": postFramed(["transfer-encoding: chunked"], `${chunk(" ".repeat(MIB + 1))}0\r\n\r\n`),
    "a body of 8 MiB": post(Buffer.alloc(8 * MIB, " ")),
  }),
  ...table("400 40004", { "a body of 9 MiB": post(Buffer.alloc(9 * MIB, " ")) }, { closes: true }),
  ...table("404", { "9 MiB for an unknown path": post(Buffer.alloc(9 * MIB), [JSON_TYPE], "/nope") }),
  ...table("405", {
    "9 MiB for another method": post(Buffer.alloc(9 * MIB), [JSON_TYPE], "/brands"),
    "a malformed Content-Type for another method": post(CHANGE, ["content-type: nonsense"], "/brands"),
    "another method without Accept or token": requestBytes("PUT /orders HTTP/1.1", [HOST, "content-length: 0"]),
    "another method with a query": requestBytes("PATCH /v1/orders?limit=1 HTTP/1.1", [HOST]),
    "another method with an escaped letter": requestBytes("DELETE /v1/%62rands HTTP/1.1", [HOST]),
    "another method with a whole address": requestBytes("DELETE http://localhost/brands HTTP/1.1", [HOST]),
    "another method for a malformed id": requestBytes("DELETE /orders/not-an-order HTTP/1.1", [HOST]),
  }),
  ...table("404", {
    "another method with a final slash": requestBytes("DELETE /brands/ HTTP/1.1", [HOST]),
    "another method with an escaped slash": requestBytes("DELETE /v1%2fbrands HTTP/1.1", [HOST]),
    "another method with a broken escape": requestBytes("DELETE /brand%zz HTTP/1.1", [HOST]),
    "a malformed Content-Type for an unknown path": post(CHANGE, ["content-type: nonsense"], "/nope"),
  }),
  ...table(
    "400 40000",
    each(badChunks, (body) => postFramed(["transfer-encoding: chunked"], body)),
    { closes: true },
  ),
  ...Object.entries(smugglers).map(([name, framing]): Case => {
    return { name, bytes: postFramed(framing, CHANGE + get("/brands")), expect: "400 40000", closes: true };
  }),
  ...table(
    "400 40000",
    {
      "a length that is too long": postFramed([`content-length: ${CHANGE.length + 1}`], CHANGE),
      "chunks that never end": postFramed(["transfer-encoding: chunked"], chunk(CHANGE)),
      "half a request line": "GET /v1/br",
      "half a header": "GET /v1/brands HTTP/1.1\r\naccept: applic",
    },
    { half_close: true, closes: true },
  ),
  {
    name: "a length that is too short",
    bytes: postFramed([`content-length: ${CHANGE.length - 1}`], `${CHANGE}\r\n\r\n`),
    expect: ["400 40001", "400 40000"],
    closes: true,
  },
  {
    name: "three requests at once, the second one bad",
    bytes: Buffer.concat([get("/brands"), post("{"), get("/nope")]),
    expect: ["200", "400 40001", "404"],
  },
];

const badForms = [
  "a=%zz",
  "a=%",
  "a=%ed%a0%80",
  "a=%c0%af",
  `${GRANT}&scope=partners`,
  `${GRANT}&%73cope=partners`,
  "a=1&a=1",
];

const tokenCases: Case[] = [
  ...table("404", each([...unknownTargets, "/brands", "/v1/oauth/token"], get)),
  ...table("405", { "a GET for a token": get("/oauth/token") }),
  ...table("400 invalid_request", notHttp, { closes: true }),
  ...Object.entries(malformedHeaders).map(([name, header]): Case => {
    return { name, bytes: form(GRANT, [FORM_TYPE, header]), expect: "400 invalid_request", closes: true };
  }),
  ...table(
    "400 invalid_request",
    { "a header over 16 KiB": form(GRANT, [`x: ${"a".repeat(17 * 1024)}`]) },
    { closes: true },
  ),
  ...table("400 invalid_request", {
    ...each(badForms, (body) => form(body)),
    ...each(badForms, (body) => form(`token=x&${body}&a=%zz`, undefined, "/oauth/revoke")),
    ...each(
      ["", "nonsense", "application/json", "multipart/form-data; boundary=x", `${FORM_TYPE.slice(14)}; charset=utf-16`],
      (type) => form(GRANT, [`content-type: ${type}`, "authorization: {basic}"]),
    ),
    JSON: form(JSON.stringify({ grant_type: "client_credentials" })),
    "no Content-Type": form(GRANT, ["authorization: {basic}"]),
    "no body": form(""),
    "nothing but separators": form("&".repeat(10_000)),
    "a byte that is not UTF-8": form(Buffer.from(`${GRANT}&a=\xff`, "latin1")),
    "a byte order mark": form(`\ufeff${GRANT}`),
    "UTF-16": form(Buffer.from(GRANT, "utf16le")),
    "Authorization twice": form(GRANT, [FORM_TYPE, "authorization: {basic}", "authorization: Basic eDp5"]),
    "Authorization twice, the same": form(GRANT, [FORM_TYPE, "authorization: {basic}", "authorization: {basic}"]),
    "a secret in both places": form(`${GRANT}&client_secret=x`),
    "another client in the body": form(`${GRANT}&client_id=x`),
    "nothing to revoke": form(GRANT, undefined, "/oauth/revoke"),
    "nothing to introspect": form(GRANT, undefined, "/oauth/introspect"),
    "a body of 1 MiB and a byte": form(`${GRANT}&a=${"a".repeat(MIB + 1 - GRANT.length - 3)}`),
  }),
  ...table("400 invalid_request", { "a body of 9 MiB": form(Buffer.alloc(9 * MIB, "a")) }, { closes: true }),
  ...table(
    "400 unsupported_grant_type",
    each(["password", "client_credentials\x00", "client_credentials "], (grant) =>
      form(new URLSearchParams({ grant_type: grant, scope: "partners" }).toString()),
    ),
  ),
  ...table(
    "400 invalid_scope",
    each(["", "\x00", "partners\x00", "partners,intake", "partners\tintake", "__proto__"], (scope) =>
      form(new URLSearchParams({ grant_type: "client_credentials", scope }).toString()),
    ),
  ),
  ...table("400 invalid_scope", {
    "parameters without a value count as left out": form("grant_type=client_credentials&client_id=&client_secret="),
    "a type with a parameter that says nothing": form("grant_type=client_credentials", [
      `${FORM_TYPE};`,
      "authorization: {basic}",
    ]),
  }),
  ...table("401 invalid_client", {
    "a client without a value": form(`${GRANT}&client_id=&client_secret=`, [FORM_TYPE]),
    ...each(
      [
        "",
        "Basic",
        "Basic !",
        "Basic eA==",
        "Basic ====",
        "Bearer {token}",
        "Digest x",
        "Basic JXp6OiV6eg==",
        "Basic AAA6AAA=",
      ],
      (value) => form(GRANT, [FORM_TYPE, `authorization: ${value}`]),
    ),
    "null bytes for a client": form(`${GRANT}&client_id=%00&client_secret=%00`, [FORM_TYPE]),
    "a client of 5,000 letters": form(`${GRANT}&client_id=${"a".repeat(5_000)}&client_secret=x`, [FORM_TYPE]),
    "a prototype for a client": form(`${GRANT}&client_id=__proto__&client_secret=x`, [FORM_TYPE]),
    "no client": form(GRANT, [FORM_TYPE]),
    "no secret": form(`${GRANT}&client_id=x`, [FORM_TYPE]),
  }),
  ...table(
    "400 invalid_request",
    each(badChunks, (body) =>
      requestBytes(
        "POST /oauth/token HTTP/1.1",
        [HOST, FORM_TYPE, "authorization: {basic}", "transfer-encoding: chunked"],
        body,
      ),
    ),
    { closes: true },
  ),
  ...Object.entries(smugglers).map(([name, framing]): Case => {
    const bytes = requestBytes(
      "POST /oauth/token HTTP/1.1",
      [HOST, FORM_TYPE, "authorization: {basic}", ...framing],
      GRANT,
    );
    return { name, bytes, expect: "400 invalid_request", closes: true };
  }),
  ...table(
    "400 invalid_request",
    {
      "a length that is too long": requestBytes(
        "POST /oauth/token HTTP/1.1",
        [HOST, FORM_TYPE, "authorization: {basic}", `content-length: ${GRANT.length + 1}`],
        GRANT,
      ),
    },
    { half_close: true, closes: true },
  ),
];

/** Every known method and an unknown one, by expected answer. */
const methodCases = (path: string, headers: readonly string[], allowed: Record<string, string>): Case[] =>
  [...METHODS, "BREW"]
    .filter((method) => method !== "POST" || !("POST" in allowed))
    .map((method) => ({
      name: `${method} ${path}`,
      bytes: requestBytes(`${method} ${path} HTTP/1.1`, headers),
      expect: allowed[method] ?? (Object.keys(allowed).length === 0 ? "404" : "405"),
      head: method === "HEAD",
    }));

let app: TestApp;
let secrets: Record<"{token}" | "{basic}", string>;
const urlOf = (listener: "partner" | "auth" | "sandbox_auth") =>
  app.addresses[listener === "partner" ? "base_url" : (`${listener}_url` as const)];

beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  secrets = { "{token}": await app.token(), "{basic}": "" };
});
afterAll(() => app.stop());

function filled(bytes: Buffer | string): Buffer {
  let whole = Buffer.from(bytes as string, "latin1");
  for (const [name, value] of Object.entries(secrets)) {
    for (let at = whole.indexOf(name); at >= 0; at = whole.indexOf(name)) {
      whole = Buffer.concat([whole.subarray(0, at), Buffer.from(value), whole.subarray(at + name.length)]);
    }
  }
  return whole;
}

/** Every row that a request of these tests could have written. */
async function written() {
  const { rows } = await app.deps.db.raw(`
    select
      (select sum(clock_offset_s)::integer from account) as clock_offset_s,
      (select count(*) from idempotent_answer) as idempotent_answers,
      (select count(*) from access_token) as access_tokens`);
  return rows[0]!;
}

async function tryCase(listener: "partner" | "auth" | "sandbox_auth", { bytes, expect: wanted, closes, ...how }: Case) {
  // Time enough for the token servers' rate limits to refill.
  app.advance(5_000);
  const before = await written();
  const several = Array.isArray(wanted) ? wanted.length : 1;
  const { answers, rest, closed } = await exchange(urlOf(listener), filled(bytes), {
    ...how,
    until: closes ? "closed" : several,
  });
  const outcomes = answers.map(outcomeOf);
  if (wanted instanceof RegExp) expect(outcomes.join()).toMatch(wanted);
  else expect(outcomes).toEqual([wanted].flat());
  for (const answer of answers) {
    expect(brokenPromises(answer, listener === "partner" ? "partner" : "token", how)).toEqual([]);
  }
  expect(rest.toString()).toBe("");
  expect(closed).toBe(closes ?? false);
  expect(await written()).toEqual(before);
}

describe("the partner API rejects it with documented errors and writes nothing", () => {
  test.for(partnerCases)("$name", (one) => tryCase("partner", one));
  test.for([
    ...methodCases("/v1/brands", signedIn, { GET: "200", HEAD: "200" }),
    ...methodCases("/simulate", [...signedIn, KEY], { POST: "" }),
    ...methodCases("/nope", [HOST], {}),
    ...methodCases("/dashboard/queue", [HOST], { GET: "200", HEAD: "200" }),
    ...methodCases("/assets/nope.js", [HOST], {}),
    ...methodCases("/docs/nope", [HOST], {}),
  ])("$name", (one) => tryCase("partner", one));
});

describe.for(["auth", "sandbox_auth"] as const)("%s rejects it with RFC 6749 errors and issues nothing", (listener) => {
  beforeAll(() => {
    const environment = listener === "auth" ? "production" : "sandbox";
    secrets["{basic}"] = basic(app.demo.partners.find((partner) => partner.environment === environment)!);
  });
  test.for(tokenCases)("$name", (one) => tryCase(listener, one));
  test.for(methodCases("/oauth/token", [HOST], { POST: "" }))("$name", (one) => tryCase(listener, one));
  test.for([1, 2, 3])("a token request still succeeds after all that (%i)", async () => {
    const { answers } = await exchange(urlOf(listener), filled(form(GRANT)));
    expect(answers.map(outcomeOf)).toEqual(["200"]);
    expect(answers.flatMap((answer) => brokenPromises(answer, "token"))).toEqual([]);
  });
});

test("a caller that waits for 100 Continue receives it", async () => {
  const { answers, interim } = await exchange(
    app.addresses.base_url,
    filled(post("{}", [JSON_TYPE, "expect: 100-continue"])),
  );
  expect(interim).toEqual([100]);
  expect(answers.map(outcomeOf)).toEqual(["422 42200"]);
});

test("a hundred pipelined requests are answered in order", async () => {
  const requests = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? get("/brands") : get("/nope")));
  const { answers } = await exchange(app.addresses.base_url, filled(Buffer.concat(requests)), { until: 100 });
  expect(answers.map(outcomeOf)).toEqual(requests.map((_, i) => (i % 2 === 0 ? "200" : "404")));
  expect(answers.flatMap((answer) => brokenPromises(answer, "partner"))).toEqual([]);
});

test("a successful change is answered as such, regardless of what follows on the connection", async () => {
  const before = await written();
  const nonsense = Buffer.from(`\x00nonsense\r\n\r\n${"x".repeat(100_000)}`);
  const bytes = Buffer.concat([post(CHANGE, [JSON_TYPE]), get("/brands"), nonsense]);
  const { answers } = await exchange(app.addresses.base_url, filled(bytes), { until: "closed" });
  expect(answers.map(outcomeOf)).toEqual(["202", "200", "400 40000"]);
  expect(answers.flatMap((answer) => brokenPromises(answer, "partner"))).toEqual([]);
  expect(await written()).toEqual({ ...before, clock_offset_s: Number(before["clock_offset_s"]) + 1 });
});

test("one key is one change, regardless of how its path is written", async () => {
  const before = await written();
  const spellings = ["/simulate", "/v1/simulate", "/%73imulate", "http://localhost/v1/simulate", "/simulate#x"];
  for (const [i, path] of spellings.entries()) {
    const bytes = post(CHANGE, [JSON_TYPE, "idempotency-key: spelt-differently"], path);
    const { answers } = await exchange(app.addresses.base_url, filled(bytes));
    expect(answers.map(outcomeOf)).toEqual(["202"]);
    expect(answers[0]!.headers.has("idempotent-replayed"), path).toBe(i > 0);
  }
  expect(await written()).toEqual({
    ...before,
    clock_offset_s: Number(before["clock_offset_s"]) + 1,
    idempotent_answers: Number(before["idempotent_answers"]) + 1,
  });
});

test("a caller that is too slow gets an answer and a closed connection", async () => {
  const before = await written();
  for (const { server } of Object.values(app.listeners) as { server: Server }[]) {
    server.headersTimeout = 200;
    server.requestTimeout = 400;
  }
  const slow = (listener: "partner" | "auth", bytes: Buffer | string) =>
    exchange(urlOf(listener), filled(bytes), { until: "closed" }).then(({ answers }) => answers);
  const answers = await Promise.all([
    slow("partner", "GET /v1/brands HT"),
    slow("partner", get("/v1/brands").subarray(0, -2)),
    slow("partner", postFramed([`content-length: ${CHANGE.length + 1}`], CHANGE)),
    slow("partner", postFramed(["transfer-encoding: chunked"], chunk(CHANGE))),
    slow("auth", "POST /oauth/token HT"),
    slow("auth", requestBytes("POST /oauth/token HTTP/1.1", [HOST, FORM_TYPE, "content-length: 999"], GRANT)),
  ]);
  expect(answers.map((each) => each.map(outcomeOf).join())).toEqual([
    ...Array<string>(4).fill("400 40000"),
    ...Array<string>(2).fill("400 invalid_request"),
  ]);
  expect(answers.slice(0, 4).flatMap(([answer]) => brokenPromises(answer!, "partner"))).toEqual([]);
  expect(answers.slice(4).flatMap(([answer]) => brokenPromises(answer!, "token"))).toEqual([]);
  expect(await written()).toEqual(before);
});

test("a caller that disconnects at any moment affects no other caller", async () => {
  const faults: Error[] = [];
  const remember = (error: Error) => void faults.push(error);
  process.on("uncaughtExceptionMonitor", remember);
  const before = await written();
  const wholes = [
    "CONNECT localhost:443 HTTP/1.1\r\nhost: localhost\r\n\r\n",
    postFramed([`content-length: ${CHANGE.length + 1}`], CHANGE),
    get("/products").subarray(0, -2),
    Buffer.concat([get("/nope"), Buffer.from("\x00")]),
  ];
  for (const whole of [...wholes, ...wholes, ...wholes]) {
    await new Promise<void>((resolve) => {
      const { hostname, port } = new URL(app.addresses.base_url);
      const socket = connect({ host: hostname, port: Number(port) }, () => {
        socket.write(filled(whole), () => socket.resetAndDestroy());
      });
      socket.on("close", () => resolve());
      socket.on("error", () => {});
    });
    const { answers } = await exchange(app.addresses.base_url, filled(get("/brands")));
    expect(answers.map(outcomeOf)).toEqual(["200"]);
  }
  process.off("uncaughtExceptionMonitor", remember);
  expect(faults).toEqual([]);
  expect(await written()).toEqual(before);
});

test("none of it caused a fault, and the log contains no credential", () => {
  const lines = app.lines();
  expect(lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  expect(lines.filter(({ status }) => Number(status) >= 500)).toEqual([]);
  const log = JSON.stringify(lines);
  const { client_secret } = app.demo.partners[0]!;
  for (const secret of [secrets["{token}"], client_secret, secrets["{basic}"].slice(6)])
    expect(log).not.toContain(secret);
});
