import type { DashboardOrder } from "@pestle/contract";
import { useState } from "react";
import { Problem } from "../../../app/problem.tsx";
import { useShortcuts } from "../../../app/shell/shortcuts.ts";
import { useChange } from "../../../app/use-change.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/controls/button.tsx";
import { Card, Facts } from "../../../ui/display/card.tsx";
import { Notice } from "../../../ui/display/notice.tsx";
import { When } from "../../../ui/time.tsx";
import { say, sayWith } from "../../../ui/words/say.tsx";
import { documentNames, openPrints, paperNames, useStation } from "../../print-station.ts";
import { StationDialog } from "../../station-dialog.tsx";
import type { DoWork } from "../use-order.ts";
import { EnterLabel } from "./enter-label.tsx";

/** First the slip and the label are printed, then the carrier takes the parcel. The patient pays at the hand-over. */
export function PackCard({ page, work }: { page: DashboardOrder; work: DoWork }) {
  const { account_id, order, parcel } = page;
  const may = page.can.includes("print");
  const station = useStation();
  const [setting, setSetting] = useState(false);
  const print = useChange(async () => {
    if ((await work.run({ event: "print" })) === undefined) return false;
    await openPrints([{ account_id, order_number: order.order_number }]);
    return true;
  });
  const ready = parcel?.current ? parcel : null;
  const printed = ready !== null;
  const by_hand = page.label_from === "staff" && !printed;
  useShortcuts(
    may && !by_hand
      ? [
          {
            keys: "P",
            label: printed ? say("Print again") : say("Print slip and label"),
            run: async () => {
              if (!(await print.run())) return;
              // Another key than the one just pressed hands the parcel over.
              requestAnimationFrame(() => document.querySelector<HTMLElement>("[data-next-step]")?.focus());
            },
          },
        ]
      : [],
  );
  if (page.state !== "Filling/pack") return null;
  const { documents, label_paper, slip_paper } = station;
  const slips_on = paperNames[slip_paper].toLowerCase();
  const labels_on = paperNames[label_paper].toLowerCase();
  return (
    <Card
      title={say("Pack and hand over")}
      actions={
        <Badge tone={printed ? "good" : "wait"}>
          {printed ? say("Printed") : parcel ? say("Print again") : say("To print")}
        </Badge>
      }
    >
      <div className="stack-tight">
        {parcel !== null && !parcel.current && (
          <Notice tone="bad" title={say("The address changed after the label was printed.")}>
            {say("Throw the old label away and print it again. It will not be charged.")}
          </Notice>
        )}
        {ready && (
          <Facts
            facts={[
              [say("Tracking"), <span className="mono" key="tracking">{`${ready.carrier} ${ready.tracking_no}`}</span>],
              [
                say("Printed"),
                <span key="printed">
                  {sayWith("{when} by {name}", {
                    when: <When at={ready.printed_at} />,
                    name: ready.printed_by,
                  })}
                </span>,
              ],
            ]}
          />
        )}
        {page.label_from === "nobody" && !printed && (
          <Notice tone="bad" title={say("This order gets no label")}>
            <span lang="en">{page.cannot.find(({ event }) => event === "print")?.message}</span>
          </Notice>
        )}
        {may && by_hand && <EnterLabel carrier={page.method.carrier} work={work} />}
        {may && !by_hand && (
          <div className="row">
            <Button
              tone={printed ? "plain" : "primary"}
              icon="print"
              keys="P"
              busy={print.busy || work.busy}
              onClick={() => void print.run()}
            >
              {printed ? say("Print again") : say("Print slip and label")}
            </Button>
            <Button small tone="quiet" onClick={() => setSetting(true)}>
              <span className="unseen">{say("Print settings:")} </span>
              {documents === "slips_and_labels"
                ? say("Slip on {slip_paper}, Label on {label_paper}", { slip_paper: slips_on, label_paper: labels_on })
                : `${documentNames[documents]}: ${documents === "labels" ? labels_on : slips_on}`}
            </Button>
          </div>
        )}
        {may && !by_hand && (
          <p className="small quiet">
            {printed
              ? say(
                  "When the carrier has the parcel, press Handed to carrier. Then Pestle charges the payment and tells the partner.",
                )
              : say("Printing makes the label. The payment is charged when you hand the parcel over.")}
          </p>
        )}
        {print.error !== null && <Problem error={print.error} retry={() => void print.run()} />}
      </div>
      {setting && <StationDialog onClose={() => setSetting(false)} />}
    </Card>
  );
}
