import type { RenewalRequest, RenewalResponse, RenewalStatus } from "@pestle/contract";
import { Badge, type Tone } from "./badge.tsx";
import { When } from "./time.tsx";

const states: Record<RenewalStatus, { tone: Tone; text: string }> = {
  queued: { tone: "info", text: "Not sent yet" },
  sent: { tone: "wait", text: "Sent, no answer yet" },
  approved: { tone: "good", text: "Approved" },
  denied: { tone: "bad", text: "Denied" },
  failed: { tone: "bad", text: "Could not be sent" },
  expired: { tone: "neutral", text: "No answer in time" },
};

const responses: Partial<Record<RenewalResponse, string>> = {
  approved_with_changes: "Approved with changes",
  replace: "Replaced by another prescription",
  validated: "Confirmed as written",
  denied_new_prescription_to_follow: "Denied, a new prescription follows",
};

/** The state of a message to a prescriber. A notice expects no answer. */
export function RenewalBadge({ status, response, notice = false }: Shown & { notice?: boolean }) {
  const { tone, text } = states[status];
  const said = response === null ? undefined : responses[response];
  return (
    <Badge tone={notice && status === "sent" ? "good" : tone}>
      {notice && status === "sent" ? "Sent" : (said ?? text)}
    </Badge>
  );
}
type Shown = Pick<RenewalRequest, "status" | "response">;

/** When the user requested the message, when it was sent and answered, and what the prescriber wrote. */
export function RenewalFacts({
  created_at,
  sent_at,
  answered_at,
  note,
  new_prescription_id,
}: Omit<RenewalRequest, "renewal_request_id" | "prescription_id" | "status" | "response">) {
  return (
    <>
      <p className="quiet small">
        Asked <When at={created_at} />
        {sent_at && (
          <>
            , sent <When at={sent_at} />
          </>
        )}
        {answered_at && (
          <>
            , answered <When at={answered_at} />
          </>
        )}
      </p>
      {note && <p className="anywhere">The prescriber wrote: {note}</p>}
      {new_prescription_id && (
        <p>
          New prescription <span className="mono">{new_prescription_id}</span>
        </p>
      )}
    </>
  );
}
