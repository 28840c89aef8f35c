import {
  actionsOfReviews,
  type DashboardReview,
  type DashboardReviewPage,
  type DashboardReviews,
  type Environment,
  type RawMessage,
  type RevealedReview,
  type ReviewAction,
  reviewRow,
} from "@pestle/contract";
import { listAccounts } from "../../db/accounts/accounts.ts";
import { listReceivers, messagePlace } from "../../db/intake/messages.ts";
import {
  type ListedReview,
  listPatients,
  listReviewEntries,
  loadReviewEntry,
  loadReviewMessage,
} from "../../db/intake/review-page.ts";
import type { Deps } from "../../deps.ts";
import { isLicensedPharmacist } from "../../domain/accounts/license.ts";
import { asReceived } from "../../domain/intake/medication-request.ts";
import { reasonSentence, reviewKinds } from "../../domain/intake/review-kinds.ts";
import type { PrescriptionFact } from "../../domain/orders/order-facts.ts";
import { writtenProduct } from "../../domain/orders/resolve-items.ts";
import { maskedPatient } from "../../domain/patients/masked-patient.ts";
import { patientAnswer } from "../../domain/patients/patient-record.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { readCatalogue } from "../catalogue/read-catalogue.ts";
import { type Looker, writeAudit } from "../operations/write-audit.ts";
import { openPatientId, openRecord, patientIndex } from "../patients/patient-rows.ts";
import { type OpenedReview, openReview } from "./message-answer.ts";
import { isReviewer } from "./require-reviewer.ts";
import { readPrescription } from "./written.ts";

const MOST_REVIEWS = 500;
type Opened = OpenedReview<ListedReview>;
export type ReviewKey = { account_id: string; review_id: number };

/** The entries that need a person, described in fixed sentences. */
export async function readReviews(
  deps: Deps,
  environment: Environment | null,
  all: boolean,
): Promise<DashboardReviews> {
  const rows = await withKeysOfNow(deps, async () =>
    (await listReviewEntries(deps.db, environment, all, MOST_REVIEWS + 1)).map((row) => openReview(deps.vault, row)),
  );
  const receiversOf = receiversIn(deps);
  const reviews = await Promise.all(rows.slice(0, MOST_REVIEWS).map((row) => shown(receiversOf, row)));
  return { reviews, more: rows.length > MOST_REVIEWS };
}

/** One entry, with its patients masked. */
export async function readReview(
  deps: Deps,
  by: Looker & { license: string | null },
  { account_id, review_id }: ReviewKey,
  request_id: string,
): Promise<DashboardReviewPage> {
  const row = await requireEntry(deps, { account_id, review_id });
  const { prescription_id } = row;
  const written = prescription_id === null ? undefined : await readPrescription(deps, account_id, prescription_id);
  const review = await shown(receiversIn(deps), row);
  await note(deps, by, row, "review_viewed", request_id);
  const opened = await openPeople(deps, row);
  const actions = actionsFor(by, row);
  return {
    review,
    prescription: written === undefined ? null : asReceived(written, "api_driven"),
    patients: opened.map(({ patient_id, record, score }) => ({ ...maskedPatient(patient_id, record), score })),
    has_message: row.intake_message_id !== null,
    can_close: actions.length > 0,
    actions,
    methods: written !== undefined && actions.includes("make_order") ? await methodsFor(deps, account_id, written) : [],
  };
}

/** What a person can do about an entry. */
function actionsFor(by: { role: string; license: string | null }, { kind, resolved_at }: Opened): ReviewAction[] {
  if (resolved_at !== null || !isReviewer(by.role)) return [];
  return actionsOfReviews[kind].filter((action) => !reviewRow(action).pharmacist || isLicensedPharmacist(by));
}

async function methodsFor(deps: Deps, account_id: string, written: Pick<PrescriptionFact, "ndc" | "gcn">) {
  const { formulary } = await readCatalogue(deps, account_id);
  const allowed = writtenProduct(written, formulary)?.shipping_method_ids;
  return [...formulary.methods.values()].map(({ id, name }) => ({
    method_id: id,
    name,
    allowed: allowed?.includes(id) ?? true,
  }));
}

/** The full patient records of an entry, to compare. The view is audited before the data is returned. */
export async function revealReview(
  deps: Deps,
  by: Looker,
  key: ReviewKey,
  request_id: string,
): Promise<RevealedReview> {
  const row = await requireEntry(deps, key);
  await note(deps, by, row, "review_revealed", request_id);
  const opened = await openPeople(deps, row);
  return { patients: opened.map(({ patient_id, record, ...times }) => patientAnswer(patient_id, record, times)) };
}

/** The message as received. The view is audited before the data is returned. */
export async function readRawMessage(
  deps: Deps,
  by: Looker,
  { account_id, review_id }: ReviewKey,
  request_id: string,
): Promise<RawMessage> {
  const message = await loadReviewMessage(deps.db, account_id, review_id);
  if (message === undefined) throw new StatusRefusal(404);
  const { intake_message_id, format, sender, sender_message_id, receiver, received_at, warnings } = message;
  const subject = `message ${intake_message_id}`;
  await writeAudit(deps, by, { account_id, action: "message_viewed", subject }, request_id);
  const place = messagePlace(message.account_id, sender, sender_message_id);
  const text = await withKeysOfNow(deps, async () => deps.vault.open(message.body_sealed, place).toString("utf8"));
  return {
    ...{ intake_message_id, format, sender, sender_message_id, receiver, warnings, text },
    received_at: received_at.toISOString(),
  };
}

export async function requireEntry(deps: Deps, { account_id, review_id }: ReviewKey): Promise<Opened> {
  return withKeysOfNow(deps, async () => {
    const row = await loadReviewEntry(deps.db, account_id, review_id);
    if (row === undefined) throw new StatusRefusal(404);
    return openReview(deps.vault, row);
  });
}

type Candidate = { patient_id: string; score: number };

/** The entry's patient and possible duplicates with their match scores. */
async function openPeople(deps: Deps, { account_id, patient_id, facts }: Opened) {
  const candidates = (Array.isArray(facts["candidates"]) ? facts["candidates"] : []) as Candidate[];
  const scores = new Map(candidates.map((one) => [one.patient_id, one.score]));
  const wanted = [...new Set([...(patient_id === null ? [] : [patient_id]), ...scores.keys()])];
  if (wanted.length === 0) return [];
  const indexes = wanted.map((id) => patientIndex(deps, account_id, id));
  const rows = await listPatients(deps.db, account_id, indexes);
  return withKeysOfNow(deps, async () =>
    rows
      .map((row) => ({ ...row, patient_id: openPatientId(deps, account_id, row) }))
      .map((row) => ({
        patient_id: row.patient_id,
        record: openRecord(deps, account_id, row.patient_key, row.record_sealed),
        created_at: row.created_at,
        updated_at: row.updated_at,
        score: scores.get(row.patient_id) ?? null,
      }))
      .sort((a, b) => wanted.indexOf(a.patient_id) - wanted.indexOf(b.patient_id)),
  );
}

const CLOSED_BY = { accept: "verdict", route: "route", resolve: "resolve" } as const;

async function shown(receiversOf: ReceiversOf, row: Opened): Promise<DashboardReview> {
  const { says, closed_by } = reviewKinds[row.kind];
  const { resolved_by: _, resolved_by_name, receiver, created_at, resolved_at, ...rest } = row;
  return {
    ...rest,
    says,
    reasons: row.reasons.map((code) => ({ code, sentence: reasonSentence(row.kind, code) })),
    created_at: created_at.toISOString(),
    resolved_at: resolved_at?.toISOString() ?? null,
    resolved_by: resolved_by_name,
    closed_by: CLOSED_BY[closed_by],
    receivers: closed_by === "route" && resolved_at === null ? await receiversOf(row) : [],
  };
}

type ReceiversOf = (row: Opened) => Promise<DashboardReview["receivers"]>;

/** The accounts that share a message's receiver id, queried once per id. */
function receiversIn({ db }: Deps): ReceiversOf {
  const known = new Map<string, ReturnType<ReceiversOf>>();
  let accounts: ReturnType<typeof listAccounts> | undefined;
  const read = async ({ account_id, receiver }: Opened) => {
    accounts ??= listAccounts(db);
    const sharing = await listReceivers(db, account_id, receiver);
    const names = new Map((await accounts).map((account) => [account.account_id, account.name]));
    return sharing.map((one) => ({ account_id: one.account_id, partner: names.get(one.account_id) ?? null }));
  };
  return (row) => {
    const key = `${row.account_id} ${row.receiver}`;
    const receivers = known.get(key) ?? read(row);
    known.set(key, receivers);
    return receivers;
  };
}

const note = (
  deps: Deps,
  by: Looker,
  { account_id, review_id }: ReviewKey,
  action: "review_viewed" | "review_revealed",
  request_id: string,
) => writeAudit(deps, by, { account_id, action, subject: `review ${review_id}` }, request_id);
