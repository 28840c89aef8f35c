import type { Address, Environment } from "@pestle/contract";
import { listAccounts } from "../../db/accounts/accounts.ts";
import { type ControlledRow, listControlled } from "../../db/fulfillment/dispenses.ts";
import { orderPlace } from "../../db/orders/orders.ts";
import type { Deps } from "../../deps.ts";
import { asapGaps, asapReport } from "../../domain/fulfillment/asap.ts";
import type { AsapHeader, DispensedRecord } from "../../domain/fulfillment/asap-segments.ts";
import { pharmacyFacts } from "../../domain/fulfillment/documents.ts";
import type { StoredDocument } from "../../domain/patients/patient-record.ts";
import { addDays, dateIn, isDate, startOfDay, timeIn } from "../../domain/values/calendar.ts";
import { randomId } from "../../random.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { openRecord } from "../patients/patient-rows.ts";

export type ControlledReport = {
  control_number: string;
  records: number;
  /** Fills without all fields that the state programs require. */
  gaps: { order_number: string; prescription_id: number; fields: string[] }[];
  text: string;
};

type Reporting = Pick<Deps, "config" | "db" | "vault" | "now">;

/**
 * Reports every controlled substance that shipped on these days, for all partners, because the pharmacy dispenses and
 * must report for all of them. Days are in the pharmacy's time zone, by each account's own clock.
 */
export async function reportControlled(
  deps: Reporting,
  { from, to, environment }: { from: string; to: string; environment: Environment },
): Promise<ControlledReport> {
  if (!isDate(from) || !isDate(to)) throw new AdminRefusal("Give the first and the last day as YYYY-MM-DD.");
  if (from > to) throw new AdminRefusal("The first day is after the last. Swap them.");
  const zone = deps.config.TIME_ZONE;
  const accounts = (await listAccounts(deps.db)).filter(
    (account) => account.partner_id !== null && account.environment === environment,
  );
  const fills: { row: ControlledRow; record: DispensedRecord }[] = [];
  for (const { account_id } of accounts) {
    const rows = await listControlled(deps.db, account_id, startOfDay(zone, from), startOfDay(zone, addDays(to, 1)));
    for (const row of rows) {
      fills.push({ row, record: await withKeysOfNow(deps, async () => recordOf(deps, account_id, row)) });
    }
  }
  const header = headerOf(deps, { from, to }, environment === "sandbox");
  const gaps = fills.flatMap(({ row: { order_number, prescription_id }, record }) => {
    const fields = asapGaps(header, record);
    return fields.length === 0 ? [] : [{ order_number, prescription_id, fields }];
  });
  const records = fills.map(({ record }) => record);
  return { control_number: header.control_number, records: records.length, gaps, text: asapReport(header, records) };
}

function headerOf(deps: Reporting, period: { from: string; to: string }, test: boolean): AsapHeader {
  const now = deps.now();
  const created_date = dateIn(deps.config.TIME_ZONE, now);
  const created_time = timeIn(deps.config.TIME_ZONE, now);
  return {
    control_number: `${`${created_date}${created_time}`.replaceAll(/\D/g, "")}-${randomId(8)}`,
    created_date,
    created_time,
    test,
    pharmacy: pharmacyFacts(deps.config),
    period,
  };
}

function recordOf(deps: Reporting, account_id: string, row: ControlledRow): DispensedRecord {
  const { record_sealed, address_sealed, order_number, patient_id, filled_at, shipped_at, ...told } = row;
  const zone = deps.config.TIME_ZONE;
  const patient = openRecord(deps, account_id, patient_id, record_sealed);
  const place = orderPlace("address_sealed", account_id, order_number);
  // Every shipped order has an address.
  const address = JSON.parse(deps.vault.open(address_sealed!, place).toString("utf8")) as Address;
  const sold_date = dateIn(zone, shipped_at);
  return {
    ...told,
    reporting_status: "new",
    patient,
    address,
    document: validOn(patient.identity_documents, sold_date),
    filled_date: dateIn(zone, filled_at),
    sold_date,
  };
}

/** The newest document that was valid on the date. */
const validOn = (documents: readonly StoredDocument[], date: string): StoredDocument | null =>
  documents.findLast(({ expiration_date }) => expiration_date >= date) ?? null;
