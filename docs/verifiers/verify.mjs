// Verifies a webhook with Node's built-in modules alone. `body` is the raw request body (a Buffer), `headers` come
// from node:http or Express, with lower-case names.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

const SERVICE = "service"; // The pharmacy's name in its header names.
const TOLERANCE_S = 300;

/** True if the pharmacy sent this to `url`, exactly as registered, for the endpoint with this secret. */
export function verifyService(url, body, headers, client_secret, webhook_secret) {
  const key = createHash("sha256").update(client_secret).digest("hex");
  const signature = sign(key, formEncode(Buffer.concat([Buffer.from(`POST${url}`), body])));
  return (
    same(signature, headers[`x-${SERVICE}-signature`]) &&
    same(sign(key, webhook_secret), headers[`x-${SERVICE}-secret`])
  );
}

/** Checks the Standard Webhooks headers, which also prevent replays. */
export function verifyStandard(body, headers, signing_secret, now = Date.now() / 1000) {
  const { "webhook-id": id = "", "webhook-timestamp": timestamp = "", "webhook-signature": signatures = "" } = headers;
  if (!/^\d+$/.test(timestamp) || Math.abs(now - Number(timestamp)) > TOLERANCE_S) return false;
  const secret = Buffer.from(signing_secret.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", secret).update(`${id}.${timestamp}.`).update(body).digest("base64");
  return signatures.split(" ").some((signature) => same(`v1,${expected}`, signature));
}

/** Append the newline to the digest before base64. */
const sign = (key, text) =>
  Buffer.concat([createHmac("sha1", key).update(text).digest(), Buffer.from("\n")]).toString("base64");

/** Keeps A-Z a-z 0-9 _ . - ~ and encodes a space as + and every other byte as %XX. */
const formEncode = (bytes) =>
  bytes
    .toString("latin1")
    .replace(/[^A-Za-z0-9_.~-]/g, (sign) =>
      sign === " " ? "+" : `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
    );

const same = (expected, received = "") =>
  Buffer.byteLength(received) === expected.length && timingSafeEqual(Buffer.from(expected), Buffer.from(received));
