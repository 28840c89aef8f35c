import type { Environment } from "@pestle/contract";
import { listAccounts } from "../../../db/accounts/accounts.ts";
import { listOfLot } from "../../../db/fulfillment/dispenses.ts";
import type { Deps } from "../../../deps.ts";
import { withKeysOfNow } from "../../../vault/vault.ts";
import { openPatientId, openRecord } from "../../patients/patient-rows.ts";

/** One fill from the lot. While `shipped_at` is null, the pharmacy can still stop it. */
export type RecalledFill = {
  environment: Environment;
  account_id: string;
  partner: string;
  order_number: string;
  order_status: string;
  patient_id: string;
  sku: string;
  lot: string;
  lot_expires_on: string;
  units: number;
  shipped_at: Date | null;
  /** When the pharmacy told the partner about the lot. */
  told_at: Date | null;
  /** Present only if requested. */
  contact?: { first_name: string; last_name: string; phone: string | null; email: string | null };
};

/** All fills from a lot, shipped or about to ship, across all partners. */
export async function recallLot(
  deps: Pick<Deps, "db" | "vault">,
  asked: { lot: string; sku: string | null; environment: Environment | null; reveal: boolean },
): Promise<RecalledFill[]> {
  const accounts = (await listAccounts(deps.db)).filter(
    ({ partner_id, environment }) => partner_id !== null && (asked.environment ?? environment) === environment,
  );
  const found: RecalledFill[] = [];
  for (const { account_id, environment, name } of accounts) {
    const rows = await listOfLot(deps.db, account_id, asked.lot.trim(), asked.sku);
    for (const { record_sealed, patient_key, id_sealed, ...row } of rows) {
      const contact = asked.reveal ? await contactOf(deps, account_id, patient_key, record_sealed) : null;
      const patient_id = await withKeysOfNow(deps, async () =>
        openPatientId(deps, account_id, { patient_key, id_sealed }),
      );
      found.push({ environment, account_id, partner: name ?? "", ...row, patient_id, ...(contact && { contact }) });
    }
  }
  return found;
}

async function contactOf(
  deps: Pick<Deps, "db" | "vault">,
  account_id: string,
  patient_key: number,
  record_sealed: Buffer,
): Promise<NonNullable<RecalledFill["contact"]>> {
  const record = await withKeysOfNow(deps, async () => openRecord(deps, account_id, patient_key, record_sealed));
  const { first_name, last_name, phone, email } = record;
  return { first_name, last_name, phone, email };
}
