import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  compactAsciiJson,
  formUrlEncode,
  serviceSecret,
  serviceSignature,
  signatureBase,
  signingKey,
  standardSignature,
  verifyServiceSecret,
  verifyServiceSignature,
  verifyStandardSignature,
} from "../src/index.ts";

const url = "https://partner.example/hook";
const body = '{"event_type":"RX_RECEIVED","patient_id":"v3y4od"}';
const key = signingKey("sek");

describe("the authenticity headers", () => {
  test("the key is the lower-case hex SHA-256 of the client secret", () => {
    expect(key).toBe("4b2873da13a40176e4ee84f89a502fcdfaff45b4945fdb3054e4c66e08d33f50");
  });

  test("signing gives the published signature byte for byte", () => {
    expect(serviceSignature(key, "POST", url, body)).toBe("LaoQyTAzZAvgInawj1unwFjPQdsK");
  });

  test("signing gives the published secret header byte for byte, from the secret as given", () => {
    expect(serviceSecret(key, "wh secret ~ 1")).toBe("F4JBcECdt83CUKaDm740W6LXD2MK");
  });

  test("a value is the digest and a newline: 21 bytes, 28 characters", () => {
    const bytes = Buffer.from(serviceSignature(key, "POST", url, body), "base64");
    expect(bytes).toHaveLength(21);
    expect(bytes[20]).toBe(0x0a);
  });

  test("any signed text verifies, and fails with one more character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.webUrl(), fc.string(), (secret, address, text) => {
        const anyKey = signingKey(secret);
        const signature = serviceSignature(anyKey, "POST", address, text);
        expect(signature).toHaveLength(28);
        expect(verifyServiceSignature(anyKey, "POST", address, text, signature)).toBe(true);
        expect(verifyServiceSignature(anyKey, "POST", address, `${text}x`, signature)).toBe(false);
        expect(verifyServiceSecret(anyKey, text, serviceSecret(anyKey, text))).toBe(true);
        expect(verifyServiceSecret(anyKey, `${text}x`, serviceSecret(anyKey, text))).toBe(false);
      }),
    );
  });

  test("a header of another length fails verification without an exception", () => {
    expect(verifyServiceSignature(key, "POST", url, body, "")).toBe(false);
    expect(verifyServiceSecret(key, "wh secret ~ 1", "é".repeat(28))).toBe(false);
  });
});

describe("the form encoding", () => {
  test("keeps letters, digits and four punctuation marks, encodes a space as + and other bytes in upper-case hex", () => {
    expect(formUrlEncode("aZ09_.-~ !'()*/é😀")).toBe("aZ09_.-~+%21%27%28%29%2A%2F%C3%A9%F0%9F%98%80");
  });

  test("half a surrogate pair becomes the replacement character, as in UTF-8", () => {
    expect(formUrlEncode("\ud83d")).toBe("%EF%BF%BD");
  });

  test("decodes to the original text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(decodeURIComponent(formUrlEncode(text).replaceAll("+", "%20"))).toBe(text);
      }),
    );
  });

  test("of a webhook equals that of URLSearchParams, because the body avoids characters that encoders treat differently", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = compactAsciiJson(value);
        expect(signatureBase("POST", url, text)).toBe(
          new URLSearchParams([["", `POST${url}${text}`]]).toString().slice(1),
        );
      }),
    );
  });
});

describe("a webhook body", () => {
  test("is one line of ASCII without ! ' ( ) * ~ and parses back to the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const text = compactAsciiJson(value);
        expect(text).toMatch(/^[\x20-\x7d]*$/);
        expect(text).not.toMatch(/[!'()*~]/);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("escapes in lower-case hexadecimal, four digits, pairs as pairs", () => {
    expect(compactAsciiJson({ "~": "é😀" })).toBe('{"\\u007e":"\\u00e9\\ud83d\\ude00"}');
  });
});

describe("Standard Webhooks", () => {
  // The example from the standard's own libraries.
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const headers = {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp: "1614265330",
    signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  };
  const payload = '{"test": 2432232314}';
  const now = 1_614_265_330;

  test("signing gives the standard's own example", () => {
    expect(standardSignature(secret, headers.id, headers.timestamp, payload)).toBe(headers.signature);
    expect(verifyStandardSignature(secret, headers, payload, now)).toBe(true);
  });

  test("one valid signature among several is enough", () => {
    const signature = `v1,AAAA v1a,BBBB ${headers.signature}`;
    expect(verifyStandardSignature(secret, { ...headers, signature }, payload, now)).toBe(true);
  });

  test("a timestamp five minutes off passes, and one second more fails, in both directions", () => {
    for (const direction of [-1, 1]) {
      expect(verifyStandardSignature(secret, headers, payload, now + direction * 300)).toBe(true);
      expect(verifyStandardSignature(secret, headers, payload, now + direction * 301)).toBe(false);
    }
  });

  test("another body, id or secret, or a timestamp that is not a number, fails verification", () => {
    expect(verifyStandardSignature(secret, headers, `${payload} `, now)).toBe(false);
    expect(verifyStandardSignature(secret, { ...headers, id: "msg_other" }, payload, now)).toBe(false);
    expect(verifyStandardSignature("whsec_AAAA", headers, payload, now)).toBe(false);
    expect(verifyStandardSignature(secret, { ...headers, timestamp: "1614265330.0" }, payload, now)).toBe(false);
  });
});
