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

/** Codes of a provider stay as they are. */
const reasonText = (reason: string): string =>
  reason in suppressions ? sayName(suppressions[reason as Suppression]) : reason;
