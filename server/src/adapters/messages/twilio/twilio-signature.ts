import { createHmac, timingSafeEqual } from "node:crypto";

/** `X-Twilio-Signature`: HMAC-SHA1 of the called URL and the sorted fields of the form, with the auth token. */
export function twilioSignature(auth_token: string, url: string, form: URLSearchParams): string {
  const fields = [...new Set(form.keys())].sort().map((name) => {
    // Twilio sorts repeated values and keeps each once.
    const values = [...new Set(form.getAll(name))].sort();
    return values.map((value) => `${name}${value}`).join("");
  });
  return createHmac("sha1", auth_token)
    .update(`${url}${fields.join("")}`, "utf8")
    .digest("base64");
}

export function isSignedByTwilio(
  auth_token: string,
  { url, form, signature }: { url: string; form: URLSearchParams; signature: string },
): boolean {
  const expected = Buffer.from(twilioSignature(auth_token, url, form));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
