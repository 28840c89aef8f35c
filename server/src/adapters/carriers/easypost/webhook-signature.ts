import { createHmac, timingSafeEqual } from "node:crypto";

/** Whether EasyPost signed these bytes with our secret. It signs with the secret in Unicode's compatibility form. */
export function isSigned(body: Buffer, signature: string | undefined, secret: string): boolean {
  if (signature === undefined || secret === "") return false;
  const digest = createHmac("sha256", secret.normalize("NFKD")).update(body).digest("hex");
  const [expected, given] = [Buffer.from(`hmac-sha256-hex=${digest}`), Buffer.from(signature)];
  return expected.length === given.length && timingSafeEqual(expected, given);
}
