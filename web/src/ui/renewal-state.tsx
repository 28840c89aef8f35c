import type { RenewalRequest, RenewalResponse, RenewalStatus } from "@pestle/contract";
import { Badge, type Tone } from "./badge.tsx";
import { When } from "./time.tsx";
import { say, sayWith } from "./words/say.tsx";

const states: Record<RenewalStatus, { tone: Tone; text: string }> = {
  queued: { tone: "info", text: say("Not sent yet") },
  sent: { tone: "wait", text: say("Sent, no answer yet") },
  approved: { tone: "good", text: say("Approved") },
  denied: { tone: "bad", text: say("Denied") },
  failed: { tone: "bad", text: say("Could not be sent") },
  expired: { tone: "neutral", text: say("No answer in time") },
};

const responses: Partial<Record<RenewalResponse, string>> = {
  approved_with_changes: say("Approved with changes"),
  replace: say("Replaced by another prescription"),
  validated: say("Confirmed as written"),
  denied_new_prescription_to_follow: say("Denied, a new prescription follows"),
};

/** The state of a message to a prescriber. A notice expects no answer. */
export function RenewalBadge({ status, response, notice = false }: Shown & { notice?: boolean }) {
  const { tone, text } = states[status];
  const said = response === null ? undefined : responses[response];
  return (
    <Badge tone={notice && status === "sent" ? "good" : tone}>
      {notice && status === "sent" ? say("Sent") : (said ?? text)}
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
  const asked = <When at={created_at} />;
  const sent = sent_at && <When at={sent_at} />;
  const answered = answered_at && <When at={answered_at} />;
  return (
    <>
      <p className="quiet small">
        {sent_at && answered_at
          ? sayWith("Asked {asked}, sent {sent}, answered {answered}", { asked, sent, answered })
          : sent_at
            ? sayWith("Asked {asked}, sent {sent}", { asked, sent })
            : answered_at
              ? sayWith("Asked {asked}, answered {answered}", { asked, answered })
              : sayWith("Asked {asked}", { asked })}
      </p>
      {note && <p className="anywhere">{say("The prescriber wrote: {note}", { note })}</p>}
      {new_prescription_id && (
        <p>{sayWith("New prescription {id}", { id: <span className="mono">{new_prescription_id}</span> })}</p>
      )}
    </>
  );
}
