import type { Config } from "../../config.ts";
import type { Database, Tx } from "../../db/db.ts";
import { loadRequestFacts } from "../../db/prescribers/prescriber-messages.ts";
import { isLicensedPharmacist } from "../../domain/accounts/license.ts";
import { askProblems, type ChangeQuestion, questionProblem } from "../../domain/prescribers/change-question.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import type { Vault } from "../../vault/vault.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import type { Worker } from "../fulfillment/steps.ts";
import { WorkRefusal } from "../fulfillment/work-refusal.ts";
import { requirePharmacist } from "../intake/require-reviewer.ts";
import { writeAudit } from "../operations/write-audit.ts";
import { transact } from "../write.ts";
import { queueRequest } from "./queue-request.ts";

type Asked = { account_id: string; prescription_id: number; question: ChangeQuestion };
type AskDeps = { db: Database; vault: Vault };

/** A pharmacist asks the prescriber to clarify or change a prescription (RxChangeRequest), on the command line. */
export async function askPrescriber(
  deps: AskDeps & { config: Pick<Config, "TIME_ZONE"> },
  { email, ...asked }: Asked & { email: string },
  real_now: Date,
): Promise<{ message_id: string }> {
  refuseBad(asked.question);
  return transact(deps, async (tx) => {
    const { person_id } = await requirePharmacist(tx, email, dateIn(deps.config.TIME_ZONE, real_now));
    const { message_id } = await queue(deps, tx, { ...asked, person_id }, real_now);
    return { message_id };
  });
}

/** The same on the dashboard, audited in the same transaction. */
export async function askOnDashboard(
  deps: AskDeps & { now: () => Date },
  by: Worker,
  asked: Asked,
  request_id: string,
): Promise<void> {
  await transact(deps, (tx) => askInTransaction(deps, tx, by, asked, request_id));
}

/** The same as a part of another change. */
export async function askInTransaction(
  deps: AskDeps & { now: () => Date },
  tx: Tx,
  by: Worker,
  asked: Asked,
  request_id: string,
): Promise<void> {
  if (!isLicensedPharmacist(by)) throw new WorkRefusal("license_needed");
  refuseBad(asked.question);
  const { patient_key } = await queue(deps, tx, { ...asked, person_id: by.person_id }, deps.now());
  const { account_id, prescription_id } = asked;
  const subject = String(prescription_id);
  const entry = { account_id, action: "prescriber_asked", subject, patient_keys: [patient_key] } as const;
  await writeAudit({ db: tx, now: deps.now }, by, entry, request_id);
}

function refuseBad(question: ChangeQuestion): void {
  const problem = questionProblem(question);
  if (problem !== null) throw new AdminRefusal(problem);
}

async function queue(
  deps: AskDeps,
  tx: Tx,
  { account_id, prescription_id, person_id, question }: Asked & { person_id: string },
  real_now: Date,
) {
  const facts = await loadRequestFacts(tx, account_id, prescription_id);
  if (facts === undefined) throw new AdminRefusal("There is no such prescription in this account.");
  const [problem] = askProblems(facts);
  if (problem !== undefined) throw new AdminRefusal(problem);
  const request = { account_id, prescription_id, person_id, asked: { kind: "change", ...question } } as const;
  const { message_id } = await queueRequest(deps, tx, facts, request, real_now);
  return { message_id, patient_key: facts.patient_key };
}
