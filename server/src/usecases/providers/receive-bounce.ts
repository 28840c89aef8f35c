import { bounceLetter } from "../../db/operations/letters.ts";
import { bouncePatientMessage, findMessageAccount } from "../../db/patients/patient-messages.ts";
import type { Deps } from "../../deps.ts";
import { readBounce } from "../../domain/operations/mail-bounce.ts";
import { tellUndelivered } from "../patients/send-patient-messages.ts";

/**
 * Takes an email that came back to the sender's address. A letter that a mail server took first and returned later counts as
 * failed. `unknown`: the mail is no such notice, or its letter is not ours or has failed already.
 */
export async function receiveBounce(deps: Pick<Deps, "db" | "now">, mail: Buffer): Promise<"taken" | "unknown"> {
  const bounce = readBounce(mail.toString("utf8"));
  if (bounce === null) return "unknown";
  const { message_id, code } = bounce;
  const account = await findMessageAccount(deps.db, message_id, "production");
  // Otherwise it is a letter to staff or to a partner's people: System health and `doctor` report it.
  if (account === undefined) return (await bounceLetter(deps.db, message_id, code)) > 0 ? "taken" : "unknown";
  const { account_id } = account;
  const changed = await bouncePatientMessage(deps.db, account_id, message_id, code);
  if (changed === undefined) return "unknown";
  await tellUndelivered(deps, { account_id, order_number: changed.order_number }, deps.now());
  return "taken";
}
