import type { DashboardSearch, SearchHit } from "@pestle/contract";
import { listAccounts } from "../../db/accounts/accounts.ts";
import {
  type FoundRow,
  findBy,
  findByLot,
  findByPeople,
  findByReference,
  findUnordered,
  findUnorderedOfPeople,
  type PeopleIndex,
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
 * Searches order numbers, tracking numbers, prescriptions, references, lots and patients in all accounts. Every order and
 * patient that it finds is audited.
 */
export async function searchOrders(deps: Deps, by: Looker, text: string, request_id: string): Promise<DashboardSearch> {
  const asked = readQuestion(text);
  if (asked === null) return { hits: [], more: false };
  const { db } = deps;
  const most = MOST_HITS + 1;
  const none = Promise.resolve<FoundRow[]>([]);
  const { order_number, order_prefix, tracking_no, prescription_id, reference, lots } = asked;
  const accounts = (await listAccounts(db)).flatMap(({ partner_id, account_id }) =>
    partner_id === null ? [] : account_id,
  );
  const found = await Promise.all([
    labelled("order_number", order_number === null ? none : findBy(db, "order_number", order_number, most)),
    labelled("tracking_no", tracking_no === null ? none : findBy(db, "tracking_no", tracking_no, most)),
    labelled("prescription_id", prescription_id === null ? none : findBy(db, "prescription_id", prescription_id, most)),
    labelled("prescription_id", prescription_id === null ? none : findUnordered(db, prescription_id)),
    labelled("reference", findByReference(db, referenceKeys(deps, accounts, reference), most)),
    labelled("lot", lots.length === 0 ? none : findByLot(db, lots, most)),
    ...peopleKeys(deps, accounts, asked).flatMap(({ by, column, keys }) => [
      labelled(by, findByPeople(db, column, keys, most)),
      labelled(by, findUnorderedOfPeople(db, column, keys, most)),
    ]),
    labelled("order_number", order_prefix === null ? none : findBy(db, "order_prefix", order_prefix, most)),
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

type PeopleSearch = { by: "patient" | "phone" | "email"; column: PeopleIndex; keys: PersonKey[] };

/** No name, phone number or address is compared in plain text: the search looks up blind indexes, which differ per account. */
function peopleKeys(deps: Deps, accounts: readonly string[], asked: SearchQuestion): PeopleSearch[] {
  const { people, phone, email, reference } = asked;
  const inAll = (blind: (account_id: string) => Buffer): PersonKey[] =>
    accounts.map((account_id) => ({ account_id, blind: blind(account_id) }));
  const indexOf = (name: keyof typeof searchKeys, text: string) =>
    inAll((account_id) => searchIndex(deps, account_id, name, text));
  const names = [...new Set(people.map((person) => searchKeys.name_dob(person)))];
  const searches: PeopleSearch[] = [
    { by: "patient", column: "id_index", keys: inAll((account_id) => patientIndex(deps, account_id, reference)) },
    { by: "patient", column: "name_dob_index", keys: names.flatMap((name) => indexOf("name_dob", name)) },
    { by: "phone", column: "phone_index", keys: phone === null ? [] : indexOf("phone", searchKeys.phone(phone)) },
    { by: "email", column: "email_index", keys: email === null ? [] : indexOf("email", searchKeys.email(email)) },
  ];
  return searches.filter(({ keys }) => keys.length > 0);
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

const isNamed = (by: SearchHit["by"]) => by === "patient" || by === "phone" || by === "email";
const about = ({ account_id, patient_key }: Labelled) => ({ account_id, patient_keys: [patient_key] });

async function noteFound(deps: Deps, by: Looker, rows: readonly Labelled[], request_id: string): Promise<void> {
  const entries = rows.map((row) =>
    isNamed(row.by)
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

function hitOf(deps: Deps, { record_sealed, reference_sealed, created_at, ...row }: Labelled): SearchHit {
  return {
    ...row,
    reference: openReference(deps, { ...row, reference_sealed }),
    patient_initials: initials(openRecord(deps, row.account_id, row.patient_key, record_sealed)),
    created_at: created_at.toISOString(),
  };
}
