import { createHash, randomBytes } from "node:crypto";
import { RECOVERY_CODES } from "@pestle/contract";
import { deleteRecoveryCodes, insertRecoveryCodes, takeRecoveryCode } from "../../../db/accounts/recovery-codes.ts";
import type { Tx } from "../../../db/db.ts";
import { insertAudit } from "../../../db/operations/audit.ts";
import type { Deps } from "../../../deps.ts";
import { base32 } from "../../../vault/totp.ts";
import { type Looker, writeAudit } from "../../operations/write-audit.ts";
import { transact } from "../../write.ts";

/** 80 random bits, so that the stored hash needs no salt and no slow function. */
const CODE_BYTES = 10;
const FORM = /^[a-z2-7]{16}$/;

const plainOf = (code: string): string => code.replaceAll(/[\s-]/g, "").toLowerCase();
const hashOf = (plain: string): Buffer => createHash("sha256").update(plain).digest();

/** Whether a text has the form of a recovery code, which no authenticator's code has. */
export const isRecoveryCode = (code: string): boolean => FORM.test(plainOf(code));

/** New codes, shown only once. The earlier ones stop working. */
export const renewRecoveryCodes = (deps: Deps, by: Looker, request_id: string): Promise<string[]> =>
  transact(deps, (tx) => createRecoveryCodes(deps, tx, by, request_id));

export async function createRecoveryCodes(
  deps: Pick<Deps, "now">,
  tx: Tx,
  by: Looker,
  request_id: string,
): Promise<string[]> {
  const plain = Array.from({ length: RECOVERY_CODES }, () => base32(randomBytes(CODE_BYTES)).toLowerCase());
  await deleteRecoveryCodes(tx, by.person_id);
  await insertRecoveryCodes(tx, by.person_id, plain.map(hashOf));
  const entry = { account_id: null, action: "recovery_codes_created" as const, subject: null };
  await writeAudit({ ...deps, db: tx }, by, entry, request_id);
  return plain.map((code) => code.replace(/(.{4})(?=.)/g, "$1-"));
}

/** Uses up a code, and says so in the audit log. False if the person has no such code. */
export const usesRecoveryCode = (
  deps: Deps,
  person_id: string,
  code: string,
  from: { address: string | null; request_id: string },
): Promise<boolean> =>
  transact(deps, async (tx) => {
    if ((await takeRecoveryCode(tx, person_id, hashOf(plainOf(code)))) === 0) return false;
    const entry = { at: deps.now(), person_id, role: null, account_id: null, subject: null };
    await insertAudit(tx, { ...entry, ...from, action: "recovery_code_used" });
    return true;
  });
