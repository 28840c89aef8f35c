import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  grantedScopes,
  parseForm,
  presentedClient,
  requireClientCredentialsGrant,
} from "../../../src/domain/accounts/client-credentials.ts";
import { type Limit, policyHeader, remainingHeader, spend } from "../../../src/domain/accounts/rate-limit.ts";
import { canonicalJson } from "../../../src/domain/values/canonical-json.ts";
import { acceptsJson, etagMatches } from "../../../src/domain/values/http-headers.ts";
import { OAuthRefusal } from "../../../src/domain/values/refusals.ts";
import { effort } from "../../support/tools/effort.ts";

const RUNS = { seed: 20_261_115, numRuns: effort(2_000) };
const check = <Values extends [unknown, ...unknown[]]>(property: fc.IProperty<Values>) => fc.assert(property, RUNS);
const START_MS = 1_794_731_400_000;

describe("a rate limit's bucket", () => {
  const limits: fc.Arbitrary<Limit> = fc.record({
    rate_per_second: fc.oneof(
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 1000 }),
      fc.double({ min: 0.1, max: 50, noNaN: true }),
    ),
    burst: fc.integer({ min: 1, max: 300 }),
  });
  const shares = fc.integer({ min: 1, max: 64 }).map((processes) => 1 / processes);
  const gaps_ms = fc.array(fc.oneof(fc.constantFrom(0, 1, 100, 1000), fc.nat(50), fc.nat(5_000)), {
    minLength: 1,
    maxLength: 300,
  });
  const full = (limit: Limit) => ({ tokens: limit.burst, at_ms: START_MS });

  test("lets no window of t seconds take more than burst + rate · t", () => {
    check(
      fc.property(limits, shares, gaps_ms, (limit, share, gaps) => {
        const bucket = full(limit);
        const burst = Math.max(1, limit.burst * share);
        const rate = limit.rate_per_second * share;
        const taken: number[] = [];
        let now = START_MS;
        for (const gap of gaps) {
          now += gap;
          if (spend(bucket, limit, share, now).allowed) taken.push(now);
        }
        let excess = 0;
        for (let first = 0; first < taken.length; first++) {
          for (let last = first; last < taken.length; last++) {
            const most = burst + (rate * (taken[last]! - taken[first]!)) / 1000;
            excess = Math.max(excess, last - first + 1 - most);
          }
        }
        expect(excess).toBeLessThan(1e-6);
      }),
    );
  });

  test("is never wrongly empty: a caller below the rate always passes", () => {
    check(
      fc.property(limits, shares, fc.nat(200), (limit, share, requests) => {
        const bucket = full(limit);
        const gap = Math.ceil(1000 / (limit.rate_per_second * share));
        for (let i = 0; i < requests; i++) {
          expect(spend(bucket, limit, share, START_MS + i * gap).allowed).toBe(true);
        }
      }),
    );
  });

  test("never shows a negative number, and its headers are whole numbers", () => {
    const steps_ms = fc.array(fc.integer({ min: -10_000, max: 10_000 }), { maxLength: 100 });
    check(
      fc.property(limits, shares, steps_ms, (limit, share, steps) => {
        const bucket = full(limit);
        let now = START_MS;
        for (const step of steps) {
          now += step;
          const { remaining, full_in_s, retry_after_s } = spend(bucket, limit, share, now);
          expect(remaining).toBeGreaterThanOrEqual(0);
          expect(remaining).toBeLessThanOrEqual(limit.burst);
          expect(remainingHeader(remaining, full_in_s)).toMatch(/^"credential";r=\d+;t=\d+$/);
          expect(Number.isInteger(retry_after_s) && retry_after_s >= 0).toBe(true);
        }
        expect(policyHeader(limit)).toMatch(/^"credential";q=\d+;w=\d+$/);
      }),
    );
  });

  test("a clock that is set back gives away only the time that passes again", () => {
    const steps_ms = fc.array(fc.integer({ min: -5_000, max: 5_000 }), { minLength: 1, maxLength: 200 });
    check(
      fc.property(limits, steps_ms, (limit, steps) => {
        const bucket = full(limit);
        let now = START_MS;
        let forward_ms = 0;
        let allowed = 0;
        for (const step of steps) {
          now += step;
          forward_ms += Math.max(0, step);
          if (spend(bucket, limit, 1, now).allowed) allowed++;
        }
        expect(allowed).toBeLessThanOrEqual(limit.burst + (limit.rate_per_second * forward_ms) / 1000 + 1e-6);
      }),
    );
  });

  test("Retry-After is accurate: after that wait the request passes", () => {
    check(
      fc.property(limits, shares, gaps_ms, (limit, share, gaps) => {
        const bucket = full(limit);
        let now = START_MS;
        for (const gap of gaps) {
          now += gap;
          const { allowed, retry_after_s } = spend(bucket, limit, share, now);
          expect(allowed).toBe(retry_after_s === 0);
          if (!allowed) expect(spend({ ...bucket }, limit, share, now + retry_after_s * 1000).allowed).toBe(true);
        }
      }),
    );
  });

  test("Retry-After is accurate for every small limit, where fractions do not add up to a whole", () => {
    const dishonest: unknown[] = [];
    for (let rate_per_second = 1; rate_per_second <= 20; rate_per_second++) {
      for (let processes = 1; processes <= 30; processes++) {
        const limit = { rate_per_second, burst: 1 };
        const bucket = full(limit);
        for (let second = 0; second < 30; second++) {
          const now = START_MS + second * 1000;
          const { retry_after_s } = spend(bucket, limit, 1 / processes, now);
          const after = spend({ ...bucket }, limit, 1 / processes, now + retry_after_s * 1000);
          if (retry_after_s > 0 && !after.allowed) dishonest.push({ rate_per_second, processes, second });
        }
      }
    }
    expect(dishonest).toEqual([]);
  });

  test("processes with equal shares together allow the limit, and at least one request each", () => {
    const processes = fc.integer({ min: 1, max: 12 });
    check(
      fc.property(limits, processes, fc.array(fc.nat(200), { maxLength: 40 }), (limit, count, gaps) => {
        const buckets = Array.from({ length: count }, () => full(limit));
        let now = START_MS;
        let allowed = 0;
        for (const gap of gaps) {
          now += gap;
          for (const bucket of buckets)
            for (let i = 0; i < 3; i++) if (spend(bucket, limit, 1 / count, now).allowed) allowed++;
        }
        const burst = Math.max(limit.burst, count);
        expect(allowed).toBeLessThanOrEqual(burst + (limit.rate_per_second * (now - START_MS)) / 1000 + 1e-6);
      }),
    );
  });
});

describe("If-None-Match", () => {
  const hex = fc.stringMatching(/^[0-9a-f]{32}$/);
  const tag = fc.tuple(fc.boolean(), hex).map(([weak, value]) => `${weak ? "W/" : ""}"${value}"`);
  const separator = fc.constantFrom(",", ", ", " ,", "\t,  ", ",,", ", ,");

  test("matches an ETag anywhere in a list, weak or strong", () => {
    check(
      fc.property(hex, fc.boolean(), fc.array(tag), fc.array(tag), separator, (value, weak, before, after, between) => {
        const header = [...before, `${weak ? "W/" : ""}"${value}"`, ...after].join(between);
        expect(etagMatches(header, `W/"${value}"`)).toBe(true);
      }),
    );
  });

  test("does not match a list without the ETag, nor its digits without quotes", () => {
    check(
      fc.property(hex, fc.array(tag), separator, (value, others, between) => {
        fc.pre(!others.some((other) => other.includes(value)));
        expect(etagMatches(others.join(between), `W/"${value}"`)).toBe(false);
        expect(etagMatches(value, `W/"${value}"`)).toBe(false);
        expect(etagMatches(`W/${value}`, `W/"${value}"`)).toBe(false);
      }),
    );
  });

  test.for([
    [undefined, false],
    ["", false],
    ["*", true],
    [" * ", true],
    ["**", false],
    ['"*"', false],
    ['W/"0123"', true],
    ['"0123"', true],
    ['w/"0123"', true],
    ['"0123', false],
    ['0123"', false],
    ['""', false],
    ['"0123", "4567"', true],
    ['"x,y", W/"0123"', true],
    ["'0123'", false],
  ] as const)("%s: %s", ([header, matches]) => {
    expect(etagMatches(header, 'W/"0123"')).toBe(matches);
  });

  test("accepts any text without an error", () => {
    const nonsense = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('"', "W", "/", "*", ",", " ", "a") }));
    check(fc.property(nonsense, (text) => void expect(typeof etagMatches(text, 'W/"0123"')).toBe("boolean")));
  });
});

describe("Accept", () => {
  test.for([
    ["application/json", true],
    ["Application/JSON", true],
    ["application/json; charset=utf-8", true],
    ["application/json;q=0.1", true],
    ["application/json;q=1.000", true],
    ["application/json; version=2; q=0.5", true],
    ["application/json, text/plain, */*", true],
    ["text/html, application/json;q=0.9, */*;q=0.8", true],
    ["*/*,application/json", true],
    ["application/json;q=0, application/json;q=0.5", true],
    [" application/json ", true],
    [undefined, false],
    ["", false],
    ["*/*", false],
    ["application/*", false],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8", false],
    ["application/json;q=0", false],
    ["application/json; q=0.000", false],
    ["application/json;Q=0", false],
    ["application/json ; q = 0", false],
    ["application/json;q=0, */*", false],
    ["application/jsonp", false],
    ["application/json5", false],
    ["application/problem+json", false],
    ["application/vnd.api+json", false],
    ["text/json", false],
    ["json", false],
    ["application/ json", false],
  ] as const)("%s: %s", ([accept, accepted]) => {
    expect(acceptsJson(accept)).toBe(accepted);
  });

  test("accepts any text without an error, and never finds JSON if it is not named", () => {
    check(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(";", ",", "=", "q", "0", "*", "/", " ") })),
        (text) => {
          fc.pre(!/application\/json/i.test(text));
          expect(acceptsJson(text)).toBe(false);
        },
      ),
    );
  });

  test("finds JSON among any other types", () => {
    const other = fc.constantFrom("text/html", "*/*;q=0.1", "a/b;c=d", "", " ", "image/*");
    check(
      fc.property(fc.array(other), fc.array(other), (before, after) => {
        expect(acceptsJson([...before, "application/json", ...after].join(","))).toBe(true);
      }),
    );
  });
});

describe("client credentials", () => {
  const FORM = "application/x-www-form-urlencoded";
  const word = fc.stringMatching(/^[A-Za-z0-9_-]{1,60}$/);
  const client = fc.record({ client_id: word, client_secret: word });
  const basic = (id: string, secret: string) => `Basic ${btoa(`${id}:${secret}`)}`;
  // Escapes everything, although nothing needs it: clients differ in what they escape.
  const escaped = (text: string) => Array.from(text, (char) => `%${char.charCodeAt(0).toString(16)}`).join("");

  test("are the same pair by Basic, escaped or not, and by form", () => {
    check(
      fc.property(client, (given) => {
        const { client_id, client_secret } = given;
        const form = parseForm(FORM, new URLSearchParams(given).toString());
        expect(presentedClient(undefined, form)).toEqual(given);
        expect(presentedClient(basic(client_id, client_secret), new Map())).toEqual(given);
        expect(presentedClient(basic(escaped(client_id), escaped(client_secret)), new Map())).toEqual(given);
        expect(presentedClient(basic(client_id, client_secret), new Map([["client_id", client_id]]))).toEqual(given);
      }),
    );
  });

  test("may have any characters in a secret by Basic, because it is split at the first colon and form-decoded", () => {
    check(
      fc.property(word, fc.string({ unit: "binary" }), (client_id, client_secret) => {
        const encoded = new URLSearchParams([["", client_secret]]).toString().slice(1);
        expect(presentedClient(basic(client_id, encoded), new Map())).toEqual({ client_id, client_secret });
        expect(parseForm(`${FORM}; charset=UTF-8`, `client_secret=${encoded}`).get("client_secret")).toBe(
          client_secret,
        );
      }),
    );
  });

  test("in two places, or two different clients, are a malformed request", () => {
    check(
      fc.property(client, word, (given, other) => {
        const header = basic(given.client_id, given.client_secret);
        expect(refusalOf(() => presentedClient(header, new Map(Object.entries(given))))).toBe("invalid_request");
        fc.pre(other !== given.client_id);
        expect(refusalOf(() => presentedClient(header, new Map([["client_id", other]])))).toBe("invalid_request");
      }),
    );
  });

  test("that cannot be read are rejected, for any input, and never cause a fault", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom("%", "&", "=", "+", "a", "2", "f", ":", ";") }),
      fc.string().map((inner) => `Basic ${inner}`),
      fc.base64String().map((inner) => `basic  ${inner}`),
    );
    const names = ["invalid_request", "invalid_client", "unsupported_grant_type", "none"];
    check(
      fc.property(text, text, fc.option(text, { nil: undefined }), (type, body, authorization) => {
        for (const content_type of [type, FORM]) {
          const refusal = refusalOf(() => {
            const form = parseForm(content_type, body);
            presentedClient(authorization, form);
            requireClientCredentialsGrant(form);
          });
          expect(names).toContain(refusal);
        }
      }),
    );
  });

  test("a repeated parameter is a malformed request, in any spelling", () => {
    check(
      fc.property(word, fc.string({ unit: "binary-ascii" }), (name, value) => {
        const once = new URLSearchParams([[name, value]]).toString();
        expect(parseForm(FORM, `&${once}&`).get(name)).toBe(value);
        expect(refusalOf(() => parseForm(FORM, `${once}&${escaped(name)}=`))).toBe("invalid_request");
      }),
    );
  });
});

describe("granted scopes", () => {
  test.for([
    [["partners"], "partners", ["partners"]],
    [["partners", "intake"], "partners", ["partners"]],
    [["partners", "intake"], "intake partners", ["intake", "partners"]],
    [["partners"], "partners partners", ["partners"]],
    [["partners"], "  partners ", ["partners"]],
    [[], undefined, []],
    [[], "", []],
    [[], "  ", []],
    [["partners"], undefined, "invalid_scope"],
    [["partners"], "", "invalid_scope"],
    [["partners"], "intake", "invalid_scope"],
    [["partners"], "partners intake", "invalid_scope"],
    [["partners"], "Partners", "invalid_scope"],
    [["partners"], "partners,intake", "invalid_scope"],
    [["partners"], "partners\tintake", "invalid_scope"],
    [["partners"], "partners\u0000", "invalid_scope"],
    [["partners"], "toString", "invalid_scope"],
    [[], "partners", "invalid_scope"],
  ] as const)("%j with request %j: %j", ([allowed, requested, granted]) => {
    let answer: readonly string[] = [];
    const refusal = refusalOf(() => {
      answer = grantedScopes(allowed, requested);
    });
    expect(refusal === "none" ? answer : refusal).toEqual(granted);
  });

  test("are never more than the credential has", () => {
    const names = fc.array(fc.constantFrom("partners", "intake", "x"));
    check(
      fc.property(
        names,
        fc.oneof(
          fc.string(),
          names.map((some) => some.join(" ")),
        ),
        (allowed, requested) => {
          refusalOf(() => {
            for (const scope of grantedScopes(allowed, requested)) expect(allowed).toContain(scope);
          });
        },
      ),
    );
  });
});

describe("the canonical text of a body", () => {
  /** The same value, built with its keys in another order. */
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, part]) => [key, shuffled(part)]),
    );
  };
  const value = fc.json({ maxDepth: 4 }).map((text) => JSON.parse(text.replaceAll("-0", "0")) as unknown);

  test("does not depend on the order of keys", () => {
    check(fc.property(value, (body) => void expect(canonicalJson(shuffled(body))).toBe(canonicalJson(body))));
  });

  test("contains the whole value", () => {
    check(fc.property(value, (body) => void expect(JSON.parse(canonicalJson(body))).toEqual(body)));
  });

  test("depends on the order of lists", () => {
    check(
      fc.property(fc.uniqueArray(fc.integer(), { minLength: 2 }), (list) => {
        expect(canonicalJson({ list: list.toReversed() })).not.toBe(canonicalJson({ list }));
      }),
    );
  });

  test.for([
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":null}', "{}"],
    ['{"a":[]}', '{"a":{}}'],
    ['{"a":[1,2]}', '{"a":[[1,2]]}'],
    ['{"a":{"b":1},"c":2}', '{"a":{"b":1,"c":2}}'],
    ['{"__proto__":1}', "{}"],
    ['{"a":"b\\",\\"c"}', '{"a":"b","c":""}'],
    ['{"a":0}', '{"a":false}'],
    ['{"é":1}', '{"e\u0301":1}'],
  ])("distinguishes %s from %s", ([one, other]) => {
    expect(canonicalJson(JSON.parse(one!))).not.toBe(canonicalJson(JSON.parse(other!)));
  });
});

/** The name of the error that `work` throws. Any other exception is a fault and fails the test. */
function refusalOf(work: () => unknown): OAuthRefusal["error"] | "none" {
  try {
    work();
    return "none";
  } catch (error) {
    if (error instanceof OAuthRefusal) return error.error;
    throw error;
  }
}
