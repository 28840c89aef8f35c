import { createHash } from "node:crypto";
import type { Address, Environment } from "@pestle/contract";
import { listAccounts } from "../../db/accounts/accounts.ts";
import { type ControlledRow, listControlled, listControlledOf } from "../../db/fulfillment/dispenses.ts";
import { insertSubmission, listReported } from "../../db/fulfillment/pmp-submissions.ts";
import { orderPlace } from "../../db/orders/orders.ts";
import type { Deps } from "../../deps.ts";
import { asapGaps, asapReport } from "../../domain/fulfillment/asap.ts";
import type { AsapHeader, DispensedRecord } from "../../domain/fulfillment/asap-segments.ts";
import { pharmacyFacts } from "../../domain/fulfillment/documents.ts";
import { daysOfUnits, fillNumbers } from "../../domain/fulfillment/fill-numbers.ts";
import { isOnFile, type SubmissionKind } from "../../domain/fulfillment/pmp-submission.ts";
import type { StoredDocument } from "../../domain/patients/patient-record.ts";
import { addDays, dateIn, isDate, startOfDay, timeIn } from "../../domain/values/calendar.ts";
import { randomId } from "../../random.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { requireAccount } from "../accounts/require-account.ts";
import { openWritten } from "../intake/written.ts";
import { openRecord } from "../patients/patient-rows.ts";

export type ControlledReport = {
  control_number: string;
  records: number;
  /** Fills without all fields that the state programs require. */
  gaps: { order_number: string; prescription_id: number; fields: string[] }[];
  /** Fills to correct that no submitted report contains. */
  unreported: { order_number: string; prescription_id: number }[];
  /** The recorded submission; null if the caller did not ask to record it. */
  submission_id: number | null;
  text: string;
};

type Reporting = Pick<Deps, "config" | "db" | "vault" | "now">;
type ReportedFill = { row: ControlledRow; record: DispensedRecord };

/**
 * Reports every controlled substance that shipped on these days, for all partners, because the pharmacy dispenses and
 * must report for all of them. Days are in the pharmacy's time zone, by each account's own clock. With a state, only the
 * fills that shipped there.
 */
export async function reportControlled(
  deps: Reporting,
  {
    from,
    to,
    environment,
    state = null,
    record = false,
  }: { from: string; to: string; environment: Environment; state?: string | null; record?: boolean },
): Promise<ControlledReport> {
  if (!isDate(from) || !isDate(to)) throw new AdminRefusal("Give the first and the last day as YYYY-MM-DD.");
  if (from > to) throw new AdminRefusal("The first day is after the last. Swap them.");
  if (state !== null) requireState(state);
  const zone = deps.config.TIME_ZONE;
  const accounts = (await listAccounts(deps.db)).filter(
    (account) => account.partner_id !== null && account.environment === environment,
  );
  const fills: ReportedFill[] = [];
  for (const { account_id } of accounts) {
    const rows = await listControlled(deps.db, account_id, startOfDay(zone, from), startOfDay(zone, addDays(to, 1)));
    fills.push(...(await fillsOf(deps, account_id, rows, "new")));
  }
  const own = fills.filter(({ record: { address } }) => state === null || address.state === state);
  const kind = own.length === 0 ? "zero" : "new";
  return reportOf(deps, own, { environment, kind, state, from, to, record, unreported: [] });
}

/**
 * Revises or voids the reported fills of an order. A program finds them by prescription number, date filled, quantity and
 * refill number, so these stay the same as in the first report.
 */
export async function correctControlled(
  deps: Reporting,
  {
    account_id,
    order_number,
    kind,
    record = false,
  }: { account_id: string; order_number: string; kind: "revise" | "void"; record?: boolean },
): Promise<ControlledReport> {
  const { environment } = await requireAccount(deps.db, account_id);
  const rows = await listControlledOf(deps.db, account_id, order_number);
  if (rows.length === 0) throw new AdminRefusal("The order has no shipped controlled substance to report.");
  const fills = await fillsOf(deps, account_id, rows, kind === "void" ? "void" : "revised");
  const reports = await listReported(
    deps.db,
    rows.map(({ dispense_id }) => dispense_id),
  );
  const unreported = rows
    .filter(({ dispense_id }) => {
      const own = reports.filter(({ dispense_ids }) => dispense_ids.some((id) => Number(id) === Number(dispense_id)));
      return !isOnFile(own.map((report) => report.kind));
    })
    .map((row) => ({ order_number: row.order_number, prescription_id: row.prescription_id }));
  const days = fills.map((fill) => fill.record.sold_date!).sort();
  const period = { from: days[0]!, to: days.at(-1)! };
  return reportOf(deps, fills, { environment, kind, state: null, ...period, record, unreported });
}

export function requireState(state: string): void {
  if (!/^[A-Z]{2}$/.test(state)) throw new AdminRefusal("Give the state as two capital letters, such as CA.");
}

async function fillsOf(
  deps: Reporting,
  account_id: string,
  rows: readonly ControlledRow[],
  reporting_status: DispensedRecord["reporting_status"],
): Promise<ReportedFill[]> {
  const fills: ReportedFill[] = [];
  for (const row of rows) {
    const record = await withKeysOfNow(deps, async () => recordOf(deps, account_id, row, reporting_status));
    fills.push({ row, record });
  }
  return fills;
}

async function reportOf(
  deps: Reporting,
  fills: readonly ReportedFill[],
  about: {
    environment: Environment;
    kind: SubmissionKind;
    state: string | null;
    from: string;
    to: string;
    record: boolean;
    unreported: ControlledReport["unreported"];
  },
): Promise<ControlledReport> {
  const { environment, kind, state, from, to, unreported } = about;
  const header = headerOf(deps, { from, to }, environment === "sandbox");
  const gaps = fills.flatMap(({ row: { order_number, prescription_id }, record }) => {
    const fields = asapGaps(header, record);
    return fields.length === 0 ? [] : [{ order_number, prescription_id, fields }];
  });
  const records = fills.map(({ record }) => record);
  const { control_number } = header;
  const text = asapReport(header, records);
  const recorded = about.record
    ? await insertSubmission(deps.db, {
        ...{ environment, kind, state, control_number },
        ...{ from_date: from, to_date: to },
        dispense_ids: fills.map(({ row }) => row.dispense_id),
        file_hash: createHash("sha256").update(text).digest(),
        created_at: deps.now(),
      })
    : undefined;
  const submission_id = recorded?.submission_id ?? null;
  return { control_number, records: records.length, gaps, unreported, submission_id, text };
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

function recordOf(
  deps: Reporting,
  account_id: string,
  sealed: ControlledRow,
  reporting_status: DispensedRecord["reporting_status"],
): DispensedRecord {
  const row = openWritten(deps.vault, account_id, sealed);
  const { record_sealed, address_sealed, order_number, patient_key, filled_at, shipped_at, ...rest } = row;
  const { dispense_id: _, dispensed, ...told } = rest;
  const zone = deps.config.TIME_ZONE;
  const patient = openRecord(deps, account_id, patient_key, record_sealed);
  const place = orderPlace("address_sealed", account_id, order_number);
  // Every shipped order has an address.
  const address = JSON.parse(deps.vault.open(address_sealed!, place).toString("utf8")) as Address;
  const sold_date = dateIn(zone, shipped_at);
  return {
    ...told,
    ...fillNumbers(row.written_qty, row.refills, dispensed).at(-1)!,
    days_supply: daysOfUnits(row),
    reporting_status,
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
