import type { Environment, RecallShelf } from "@pestle/contract";
import { listAccounts } from "../../../db/accounts/accounts.ts";
import { listLot } from "../../../db/catalogue/stock-lots.ts";
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

/** A null `sku` means every product, and a null `environment` both. */
type AskedLot = { lot: string; sku: string | null; environment: Environment | null };

const accountsOf = async ({ db }: Pick<Deps, "db">, asked: AskedLot) =>
  (await listAccounts(db)).filter(
    ({ partner_id, environment }) => partner_id !== null && (asked.environment ?? environment) === environment,
  );

/** The units of a lot that the pharmacy has, by product, across all partners. */
export async function shelvesOfLot(deps: Pick<Deps, "db">, asked: AskedLot): Promise<RecallShelf[]> {
  const found: RecallShelf[] = [];
  for (const { account_id, environment, name: partner } of await accountsOf(deps, asked)) {
    const rows = await listLot(deps.db, account_id, asked.lot.trim(), asked.sku);
    found.push(...rows.map((row) => ({ account_id, partner: partner ?? "", environment, ...row })));
  }
  return found;
}

/** All fills from a lot, shipped or about to ship, across all partners. */
export async function recallLot(
  deps: Pick<Deps, "db" | "vault">,
  asked: AskedLot & { reveal: boolean },
): Promise<RecalledFill[]> {
  const found: RecalledFill[] = [];
  for (const { account_id, environment, name } of await accountsOf(deps, asked)) {
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
