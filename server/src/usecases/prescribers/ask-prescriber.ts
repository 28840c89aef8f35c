import type { Config } from "../../config.ts";
import type { Database } from "../../db/db.ts";
import {
  insertPrescriberMessage,
  loadRequestFacts,
  prescriberMessagePlace,
} from "../../db/prescribers/prescriber-messages.ts";
import type { AskedMessage } from "../../domain/prescribers/compose-message.ts";
import { canReach } from "../../domain/prescribers/prescriber-request.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { randomEventId } from "../../random.ts";
import type { Vault } from "../../vault/vault.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { requirePharmacist } from "../intake/require-reviewer.ts";
import { transact } from "../write.ts";

type ChangeQuestion = Omit<Extract<AskedMessage, { kind: "change" }>, "kind">;

/** The standard's length of the reason. */
const LONGEST_REASON = 260;

/** A pharmacist asks the prescriber to clarify or change a prescription (RxChangeRequest). */
export async function askPrescriber(
  deps: { db: Database; vault: Vault; config: Pick<Config, "TIME_ZONE"> },
  given: { account_id: string; prescription_id: number; email: string; question: ChangeQuestion },
  real_now: Date,
): Promise<{ message_id: string }> {
  const { account_id, prescription_id, question } = given;
  const { code, reason, service_reason } = question;
  if (reason !== null && !isReason(reason)) {
    throw new AdminRefusal(`A reason must have 1 to ${LONGEST_REASON} characters on one line.`);
  }
  if (reason === null && code === "S") throw new AdminRefusal("A clarification needs a reason.");
  if ((code === "D") !== (service_reason !== null)) {
    throw new AdminRefusal("A drug-use evaluation, and nothing else, needs a service reason code, such as DD or TD.");
  }
  if (service_reason !== null && !/^[A-Z]{2}$/.test(service_reason)) {
    throw new AdminRefusal("A service reason code has two capital letters.");
  }
  return transact(deps, async (tx) => {
    const { person_id } = await requirePharmacist(tx, given.email, dateIn(deps.config.TIME_ZONE, real_now));
    const facts = await loadRequestFacts(tx, account_id, prescription_id);
    if (facts === undefined) throw new AdminRefusal("There is no such prescription in this account.");
    if (!facts.active) throw new AdminRefusal("The prescription was canceled or replaced.");
    if (!canReach(facts)) {
      throw new AdminRefusal("The sender of this prescription has no network. Add it with `pestle partner route`.");
    }
    const message_id = randomEventId();
    const place = prescriberMessagePlace("asked_sealed", account_id, message_id);
    const asked: AskedMessage = { kind: "change", ...question };
    await insertPrescriberMessage(tx, {
      account_id,
      message_id,
      kind: "change",
      sender: facts.sender,
      prescription_id,
      order_number: null,
      person_id,
      created_at: accountNow(real_now, facts.clock_offset_s),
      asked_sealed: deps.vault.seal(Buffer.from(JSON.stringify(asked)), place),
    });
    return { message_id };
  });
}

const isReason = (reason: string) => reason.length <= LONGEST_REASON && /^[^\p{Cc}]+$/u.test(reason.trim());
