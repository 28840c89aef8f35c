import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compactAsciiJson, serviceSecret, serviceSignature, signingKey, standardSignature } from "@pestle/contract";
import { afterAll, describe, expect, test } from "vitest";
import { findOrInstall } from "../../../../scripts/debian-package.ts";
import { ROOT } from "../../support/tools/doc-blocks.ts";

/** The published verifiers, each with the command for the vectors and the package of its language. */
const languages: Record<string, { file: string; needs: string[]; debian: string; run: string }> = {
  JavaScript: {
    file: "verify.mjs",
    needs: [process.execPath],
    debian: "nodejs",
    run: `"${process.execPath}" try.mjs verify.mjs`,
  },
  Python: {
    file: "verify.py",
    needs: ["/usr/bin/python3"],
    debian: "python3",
    run: "/usr/bin/python3 try.py verify.py",
  },
  Ruby: { file: "verify.rb", needs: ["/usr/bin/ruby"], debian: "ruby", run: "ruby try.rb verify.rb" },
  PHP: { file: "verify.php", needs: ["/usr/bin/php"], debian: "php-cli", run: "php try.php verify.php" },
  Go: {
    file: "verify.go",
    needs: ["/usr/bin/go", "/usr/local/go/bin/go"],
    debian: "golang-go",
    run: "GO111MODULE=off GOFLAGS= go run verify.go try.go",
  },
  Java: {
    file: "Webhook.java",
    needs: ["/usr/bin/javac"],
    debian: "default-jdk-headless",
    run: "javac -J-XX:TieredStopAtLevel=1 Webhook.java Try.java >&2 && java -XX:TieredStopAtLevel=1 Try",
  },
};

type Request = {
  url: string;
  body: Buffer;
  client_secret: string;
  webhook_secret: string;
  signing_secret: string;
  now: number;
  signature: string;
  secret: string;
  id: string;
  timestamp: string;
  standard: string;
};

const NOW = 1_794_731_400;
const signing_secret = "whsec_cGVzdGxlLWV4YW1wbGUtc2VjcmV0LTAwMDE=";

/** A delivery as the service makes it. */
function delivery(event: Record<string, unknown>, more: Partial<Request> = {}): Request {
  const id = "0b7f5c1e-6a3d-4f52-9d0e-3c8a1b2d4e5f";
  const body = compactAsciiJson({ event_id: id, ...event });
  const { url = "https://partner.example/hook", client_secret = "sek", webhook_secret = "wh secret ~ 1" } = more;
  const timestamp = more.timestamp ?? String(NOW);
  const key = signingKey(client_secret);
  return {
    url,
    body: Buffer.from(body),
    client_secret,
    webhook_secret,
    signing_secret,
    now: NOW,
    signature: serviceSignature(key, "POST", url, body),
    secret: serviceSecret(key, webhook_secret),
    id,
    timestamp,
    standard: standardSignature(signing_secret, id, timestamp, body),
  };
}

const plain = delivery({ event_type: "RX_RECEIVED", patient_id: "wren-1004" });
const at = (seconds: number) => delivery({}, { timestamp: String(NOW + seconds) });
const changed = (byte: number, value: number) => {
  const body = Buffer.from(plain.body);
  body[byte] = value;
  return body;
};

/** A request, and whether [the service's own headers, Standard Webhooks] verify it. */
const vectors: [name: string, request: Request, taken: [boolean, boolean]][] = [
  ["plain", plain, [true, true]],
  [
    "apostrophes and the signs that encoders disagree on",
    delivery({ note: "it's (not) *that* ~ simple!" }),
    [true, true],
  ],
  ["accents", delivery({ name: "Zoë Ångström-Núñez" }), [true, true]],
  ["emoji", delivery({ note: "👩🏽‍⚕️ 💊" }), [true, true]],
  ["20 KB", delivery({ note: "Take 1 tablet; drink plenty. 50% é ".repeat(600) }), [true, true]],
  ["controls and quotes", delivery({ note: '\u0000\t"\\\u007f\u2028' }), [true, true]],
  ["an empty event", delivery({}), [true, true]],
  ["a URL with a query and odd signs", delivery({}, { url: "https://p.example/~h/a%20b?x=1&y='(*)!" }), [true, true]],
  [
    "secrets that are not ASCII",
    delivery({}, { client_secret: "clé ü", webhook_secret: "Geheimnis ß ~!'()*" }),
    [true, true],
  ],
  [
    "one of two Standard signatures fits",
    { ...plain, standard: `v1,${"A".repeat(43)}= ${plain.standard}` },
    [true, true],
  ],
  ["299 s old", at(-299), [true, true]],
  ["301 s old", at(-301), [true, false]],
  ["301 s from the future", at(301), [true, false]],
  ["a byte of the body changed", { ...plain, body: changed(3, 0x45) }, [false, false]],
  ["a byte that is not UTF-8", { ...plain, body: changed(3, 0xff) }, [false, false]],
  ["a byte more", { ...plain, body: Buffer.concat([plain.body, Buffer.from("\n")]) }, [false, false]],
  [
    "the body serialized again",
    { ...plain, body: Buffer.from(JSON.stringify(JSON.parse(String(plain.body)), null, 1)) },
    [false, false],
  ],
  ["no body", { ...plain, body: Buffer.alloc(0) }, [false, false]],
  ["another URL", { ...plain, url: "https://partner.example/hook/" }, [false, true]],
  ["another client secret", { ...plain, client_secret: "sek2" }, [false, true]],
  ["another webhook secret", { ...plain, webhook_secret: "wh secret ~ 2" }, [false, true]],
  ["another signing secret", { ...plain, signing_secret: "whsec_AAAA" }, [true, false]],
  ["no headers", { ...plain, signature: "", secret: "", id: "", timestamp: "", standard: "" }, [false, false]],
  ["a signature without its newline", { ...plain, signature: `${plain.signature.slice(0, 26)}==` }, [false, true]],
  ["a signature in lower case", { ...plain, signature: plain.signature.toLowerCase() }, [false, true]],
  ["signature and secret exchanged", { ...plain, signature: plain.secret, secret: plain.signature }, [false, true]],
  ["another event's id", { ...plain, id: "other" }, [true, false]],
  ["a later timestamp than was signed", { ...plain, timestamp: String(NOW + 1) }, [true, false]],
  ["a timestamp that is not a number", { ...plain, timestamp: "now" }, [true, false]],
  ["a negative timestamp", { ...plain, timestamp: "-1" }, [true, false]],
  ["another version of the scheme", { ...plain, standard: plain.standard.replace("v1,", "v2,") }, [true, false]],
  ["a signature without its version", { ...plain, standard: plain.standard.slice(3) }, [true, false]],
];

const lines = vectors.map(
  ([, { url, body, client_secret, webhook_secret, signing_secret: whsec, now, ...headers }]) => {
    const { signature, secret, id, timestamp, standard } = headers;
    const fields = [
      url,
      body,
      client_secret,
      webhook_secret,
      whsec,
      String(now),
      signature,
      secret,
      id,
      timestamp,
      standard,
    ];
    return fields.map((field) => Buffer.from(field).toString("base64")).join("\t");
  },
);

const folder = mkdtempSync(join(tmpdir(), "pestle-verifiers-"));
for (const from of [join(ROOT, "docs/verifiers"), join(ROOT, "server/test/verifiers")]) {
  for (const name of readdirSync(from)) copyFileSync(join(from, name), join(folder, name));
}
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("every published verifier has a row, in six languages", () => {
  const files = readdirSync(join(ROOT, "docs/verifiers"));
  expect(files.sort()).toEqual(
    Object.values(languages)
      .map(({ file }) => file)
      .sort(),
  );
  expect(files.length).toBeGreaterThanOrEqual(6);
});

/** The same functions in the SDK, beside the published files. */
const sdks: typeof languages = {
  "the SDK for Python": {
    ...languages["Python"]!,
    run: `PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="${join(ROOT, "python/src")}" /usr/bin/python3 try.py verify_sdk.py`,
  },
};

describe("the published verifier accepts what the service sends, and nothing else:", () => {
  test.each(Object.entries({ ...languages, ...sdks }))(
    "%s",
    { timeout: 300_000 },
    (language, { needs, debian, run }) => {
      if (findOrInstall(needs, debian) === undefined) {
        console.log(`${language}: not tried, for want of Debian's package ${debian}`);
        expect(process.env["CI"], `${debian} must be there in CI`).not.toBe("true");
        return;
      }
      const { status, stdout, stderr } = spawnSync("bash", ["-c", run], {
        cwd: folder,
        input: `${lines.join("\n")}\n`,
        encoding: "utf8",
        env: { PATH: process.env["PATH"], HOME: folder, LC_ALL: "C.UTF-8" },
      });
      expect([status, stderr]).toEqual([0, ""]);
      const answers = stdout.trim().split("\n");
      const found = vectors.map(([name], index) => `${name}: ${answers[index]}`);
      expect(found).toEqual(vectors.map(([name, , taken]) => `${name}: ${taken.join(" ")}`));
    },
  );
});
