import {
  noticeChannels,
  noticeStates,
  patientNotices,
  type ShownPatientMessage,
  type Suppression,
  suppressions,
} from "@pestle/contract";
import { Badge } from "../badge.tsx";
import { say, sayName, sayWith } from "../words/say.tsx";

/** A message to the patient, in one sentence. */
export const PatientMessageText = ({ notice, channel, state, reason, simulated }: ShownPatientMessage) => (
  <>
    {sayWith("{channel} to the patient: {notice}, {state}", {
      channel: sayName(noticeChannels[channel]),
      notice: <strong>{sayName(patientNotices[notice].name)}</strong>,
      state: sayName(noticeStates[state]),
    })}
    {reason !== null && ` (${reasonText(reason)})`}
    {simulated && (
      <>
        {" "}
        <Badge tone="info">{say("Simulated")}</Badge>
      </>
    )}
  </>
);

/** A code of the provider or of the mail server stays as it is, after its name. */
function reasonText(reason: string): string {
  if (reason in suppressions) return sayName(suppressions[reason as Suppression]);
  const [, from, code = ""] = /^(bounced|smtp|twilio)(?:_(.+))?$/.exec(reason) ?? [];
  if (from === "bounced") return say("the mail server returned it: {code}", { code: code || say("no reason given") });
  if (from === "smtp") return say("the mail server refused it: {code}", { code });
  return from === "twilio" ? say("Twilio refused it: {code}", { code }) : reason;
}
