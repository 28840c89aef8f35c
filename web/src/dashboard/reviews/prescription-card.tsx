import type { DashboardReviewPage } from "@pestle/contract";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { CodeText } from "../../ui/code-text.tsx";
import { counted } from "../../ui/counted.ts";
import { Card, Facts } from "../../ui/display/card.tsx";
import { dateText, When } from "../../ui/time.tsx";
import { say } from "../../ui/words/say.tsx";

const acceptances: Record<string, { name: string; tone: Tone }> = {
  pending: { name: say("Needs pharmacist approval"), tone: "wait" },
  accepted: { name: say("Accepted"), tone: "good" },
  rejected: { name: say("Rejected"), tone: "bad" },
};

/** The prescription as parsed from the message. */
export function PrescriptionCard({
  prescription: rx,
  ndcDrug,
}: {
  prescription: NonNullable<DashboardReviewPage["prescription"]>;
  /** The drug of the NDC, if it is not the written one. */
  ndcDrug?: string | undefined;
}) {
  const acceptance = acceptances[rx.acceptance];
  return (
    <Card
      title={say("Prescription {id}", { id: rx.id })}
      actions={
        <>
          {!rx.active && <Badge tone="bad">{say("Canceled by prescriber")}</Badge>}
          {acceptance && <Badge tone={acceptance.tone}>{acceptance.name}</Badge>}
        </>
      }
    >
      <Facts
        facts={[
          [
            say("Drug"),
            <span key="drug" className="row">
              <strong>{rx.drug_name}</strong>
              {rx.drug_schedule !== "0" && <Badge tone="bad">C{rx.drug_schedule}</Badge>}
            </span>,
          ],
          [say("NDC"), rx.ndc && <code>{rx.ndc}</code>],
          [
            say("Drug of the NDC"),
            ndcDrug && (
              <span className="row">
                <strong>{ndcDrug}</strong>
                <Badge tone="bad">{say("Differs")}</Badge>
              </span>
            ),
          ],
          [say("Sig"), rx.sig_text || <span className="quiet">{say("none")}</span>],
          [
            say("Quantity"),
            rx.days_supply === null
              ? rx.written_qty
              : say("{quantity}, for {days}", { quantity: rx.written_qty, days: counted(rx.days_supply, "day") }),
          ],
          [say("Refills left"), rx.refills_left],
          [say("Substitution"), rx.daw ? say("Dispense as written") : say("Allowed")],
          [say("Prescriber"), rx.prescriber_name],
          [say("Phone"), rx.prescriber_phone],
          [say("Fax"), rx.prescriber_fax],
          [say("Written"), dateText(rx.written_date)],
          [say("Fill from"), dateText(rx.effective_date)],
          [say("Expires"), <When key="until" at={rx.expire_date} />],
          [say("Received"), <When key="at" at={rx.receive_date} />],
        ]}
      />
      {(rx.order_errors ?? []).length > 0 && (
        <ul className="stack-tight">
          {rx.order_errors!.map(({ code, message, error_detail }) => (
            <li key={code}>
              <code>{code}</code> {message}{" "}
              <span className="quiet">
                <CodeText text={error_detail.map((one) => one.message).join(" ")} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
