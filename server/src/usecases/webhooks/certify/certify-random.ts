import { randomBytes } from "node:crypto";
import type { CertifyRun } from "../../../domain/webhooks/certify/plan-checks.ts";

/** The random parts of a run: its id, and secrets that no receiver knows. */
export const certifyRandom = (): Pick<CertifyRun, "run_id" | "other_secrets"> => ({
  run_id: randomBytes(6).toString("hex"),
  other_secrets: {
    key: randomBytes(32).toString("hex"),
    secret: randomBytes(24).toString("base64url"),
    signing_secret: `whsec_${randomBytes(24).toString("base64")}`,
  },
});
