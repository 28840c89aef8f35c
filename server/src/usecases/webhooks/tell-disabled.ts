import { type DisableReason, disableReasons } from "@pestle/contract";
import { partnerDevelopers } from "../../db/accounts/people.ts";
import type { Deps } from "../../deps.ts";
import { postLetter } from "../operations/letters/post-letter.ts";

/** Emails the partner's developers if a mail server is configured. Callers do not wait for it, and it never throws. */
export async function tellDisabled(
  deps: Pick<Deps, "db" | "vault" | "mail" | "log" | "now">,
  { account_id, endpoint_id }: { account_id: string; endpoint_id: string },
  reason: DisableReason,
): Promise<void> {
  const { db, mail, log } = deps;
  if (mail === null) return;
  const failed = (error: Error) =>
    log.warn({ account_id, endpoint_id, fault: error.message }, "an email could not be sent");
  const people = await partnerDevelopers(db, account_id).catch(failed);
  for (const { email, environment } of people ?? []) {
    const letter = {
      to: email,
      subject: `A webhook endpoint was disabled (${environment})`,
      text: [
        `The webhook endpoint ${endpoint_id} was disabled. ${disableReasons[reason]}`,
        "",
        "Its pending events are kept. Enable it when it works again, and they are sent. Later events are in",
        "GET /webhook_events, and POST /webhook_endpoints/{id}/redeliver sends what it missed.",
      ].join("\n"),
    };
    await postLetter(deps, letter).catch(failed);
  }
}
