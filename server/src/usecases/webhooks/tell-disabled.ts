import { partnerDevelopers } from "../../db/accounts/people.ts";
import type { Deps } from "../../deps.ts";
import { type DisableReason, disableReasons } from "../../domain/webhooks/endpoint-disabled.ts";

/** Tells the partner's people by e-mail, where a mail server is set. Nothing waits for it, and nothing fails with it. */
export async function tellDisabled(
  { db, mail, log }: Pick<Deps, "db" | "mail" | "log">,
  { account_id, endpoint_id }: { account_id: string; endpoint_id: string },
  reason: DisableReason,
): Promise<void> {
  if (mail === null) return;
  const failed = (error: Error) =>
    log.warn({ account_id, endpoint_id, fault: error.message }, "no e-mail could be sent");
  const people = await partnerDevelopers(db, account_id).catch(failed);
  for (const { email, environment } of people ?? []) {
    const letter = {
      to: email,
      subject: `A webhook endpoint was disabled (${environment})`,
      text: [
        `The webhook endpoint ${endpoint_id} was disabled. ${disableReasons[reason]}`,
        "",
        "What it was to get waits. Enable it again when it works, and it is sent; events since then are in",
        "GET /webhook_events, and POST /webhook_endpoints/{id}/redeliver sends what it missed.",
      ].join("\n"),
    };
    // Somebody whose mailbox is full or gone does not keep it from the others.
    await mail.send(letter).catch(failed);
  }
}
