import type { DashboardRecall, OrderStatus, RecallRequest } from "@pestle/contract";
import { listQuarantines } from "../../../db/fulfillment/recalls.ts";
import type { Deps } from "../../../deps.ts";
import { initials } from "../../../domain/patients/masked-patient.ts";
import { readCatalogue } from "../../catalogue/read-catalogue.ts";
import { type Looker, writeAudit } from "../../operations/write-audit.ts";
import { recallLot, shelvesOfLot } from "./recall-lot.ts";

/** Packages of a lot with masked patients, or with contact details if `reveal`. Both are audited first. */
export async function searchLot(
  deps: Deps,
  by: Looker,
  { lot, sku = undefined, environment = undefined }: RecallRequest,
  reveal: boolean,
  request_id: string,
): Promise<DashboardRecall> {
  await writeAudit(
    deps,
    by,
    { account_id: null, action: reveal ? "lot_revealed" : "lot_searched", subject: `lot ${lot}` },
    request_id,
  );
  const asked = { lot, sku: sku ?? null, environment: environment ?? null, reveal: true };
  const packages: DashboardRecall["packages"] = [];
  for (const { contact, shipped_at, told_at, order_status, ...row } of await recallLot(deps, asked)) {
    const { formulary } = await readCatalogue(deps, row.account_id);
    packages.push({
      ...row,
      order_status: order_status as OrderStatus,
      name: formulary.by_sku.get(row.sku)?.name ?? row.sku,
      patient_initials: initials(contact!),
      shipped_at: shipped_at?.toISOString() ?? null,
      told_at: told_at?.toISOString() ?? null,
      ...(reveal && { contact: contact! }),
    });
  }
  const quarantines = await listQuarantines(deps.db, lot.trim(), environment ?? null);
  return {
    packages,
    shelves: await shelvesOfLot(deps, asked),
    quarantines: quarantines.map(({ quarantined_at, ...row }) => ({
      ...row,
      quarantined_at: quarantined_at.toISOString(),
    })),
  };
}
