import type { DashboardSearch, SearchHit } from "@pestle/contract";
import { listAccounts } from "../../db/accounts/accounts.ts";
import {
  type FoundRow,
  findBy,
  findByPatient,
  findByPeople,
  findByReference,
  findUnordered,
  findUnorderedOfPatient,
  findUnorderedOfPeople,
  type PersonKey,
  type ReferenceKey,
} from "../../db/fulfillment/search.ts";
import { referencePlace } from "../../db/orders/orders.ts";
import type { Deps } from "../../deps.ts";
import { readQuestion, type SearchQuestion } from "../../domain/fulfillment/search-question.ts";
import { initials } from "../../domain/patients/masked-patient.ts";
import { searchKeys } from "../../domain/patients/patient-record.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { type Looker, writeAudit } from "../operations/write-audit.ts";
import { openReference } from "../orders/read-orders.ts";
import { openRecord, patientIndex, searchIndex } from "../patients/patient-rows.ts";

const MOST_HITS = 50;

/**
 * Searches order numbers, tracking numbers, prescriptions, references and patients in all accounts. Every order and
 * patient that it finds is audited.
 */
export async function searchOrders(deps: Deps, by: Looker, text: string, request_id: string): Promise<DashboardSearch> {
  const asked = readQuestion(text);
  if (asked === null) return { hits: [], more: false };
  const { db } = deps;
  const most = MOST_HITS + 1;
  const none = Promise.resolve<FoundRow[]>([]);
  const { order_number, tracking_no, prescription_id, reference } = asked;
  const accounts = (await listAccounts(db)).flatMap(({ partner_id, account_id }) =>
    partner_id === null ? [] : account_id,
  );
  const people = peopleKeys(deps, accounts, asked);
  const patients = accounts.map((account_id) => ({ account_id, blind: patientIndex(deps, account_id, reference) }));
  const found = await Promise.all([
    labelled("order_number", order_number === null ? none : findBy(db, "order_number", order_number, most)),
    labelled("tracking_no", tracking_no === null ? none : findBy(db, "tracking_no", tracking_no, most)),
    labelled("prescription_id", prescription_id === null ? none : findBy(db, "prescription_id", prescription_id, most)),
    labelled("prescription_id", prescription_id === null ? none : findUnordered(db, prescription_id)),
    labelled("reference", findByReference(db, referenceKeys(deps, accounts, reference), most)),
    labelled("patient", findByPatient(db, patients, most)),
    labelled("patient", findUnorderedOfPatient(db, patients, most)),
    labelled("patient", people.length === 0 ? none : findByPeople(db, people, most)),
    labelled("patient", people.length === 0 ? none : findUnorderedOfPeople(db, people, most)),
  ]);
  const rows = distinct(found.flat());
  const shown = rows.slice(0, MOST_HITS);
  await noteFound(deps, by, shown, request_id);
  const hits = await withKeysOfNow(deps, async () => shown.map((row) => hitOf(deps, row)));
  return { hits, more: rows.length > MOST_HITS };
}

type Labelled = FoundRow & Pick<SearchHit, "by">;
const labelled = async (by: SearchHit["by"], rows: Promise<FoundRow[]>): Promise<Labelled[]> =>
  (await rows).map((row) => ({ ...row, by }));

/** Names are never compared in plain text: the search looks up their blind index, which differs per account. */
function peopleKeys(deps: Deps, accounts: readonly string[], { people }: SearchQuestion): PersonKey[] {
  const names = [...new Set(people.map((person) => searchKeys.name_dob(person)))];
  return accounts.flatMap((account_id) =>
    names.map((name) => ({ account_id, blind: searchIndex(deps, account_id, "name_dob", name) })),
  );
}

function referenceKeys(deps: Deps, accounts: readonly string[], reference: string): ReferenceKey[] {
  return accounts.map((account_id) => ({
    account_id,
    reference_index: deps.vault.blindIndex(reference, referencePlace(account_id)),
  }));
}

/** Shows an order that matches in two ways once, under the more specific match. */
function distinct(rows: readonly Labelled[]): Labelled[] {
  const seen = new Set<string>();
  return rows.filter(({ account_id, order_number, prescription_id }) => {
    const key = `${account_id} ${order_number ?? prescription_id}`;
    return !seen.has(key) && seen.add(key);
  });
}

const about = ({ account_id, patient_key }: Labelled) => ({ account_id, patient_keys: [patient_key] });

async function noteFound(deps: Deps, by: Looker, rows: readonly Labelled[], request_id: string): Promise<void> {
  const entries = rows.map((row) =>
    row.by === "patient"
      ? { ...about(row), action: "patient_found" as const, subject: null }
      : {
          ...about(row),
          action: "order_found" as const,
          subject: row.order_number ?? `prescription ${row.prescription_id}`,
        },
  );
  const distinct = new Map(entries.map((entry) => [Object.values(entry).join(" "), entry]));
  for (const entry of distinct.values()) await writeAudit(deps, by, entry, request_id);
}

function hitOf(deps: Deps, { record_sealed, reference_sealed, patient_key, created_at, ...row }: Labelled): SearchHit {
  return {
    ...row,
    reference: openReference(deps, { ...row, reference_sealed }),
    patient_initials: initials(openRecord(deps, row.account_id, patient_key, record_sealed)),
    created_at: created_at.toISOString(),
  };
}
