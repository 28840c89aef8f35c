import type { CertifyRun } from "./plan-checks.ts";

/** The random parts of a run: its id, and secrets that no receiver knows. */
export const certifyRandom = (): Pick<CertifyRun, "run_id" | "other_secrets"> => ({
  run_id: hex(6),
  other_secrets: { key: hex(32), secret: base64(24), signing_secret: `whsec_${base64(24)}` },
});

const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes));
const hex = (bytes: number) => Array.from(random(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
const base64 = (bytes: number) => btoa(String.fromCharCode(...random(bytes)));
