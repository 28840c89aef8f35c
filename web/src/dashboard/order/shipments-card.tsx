import { type DashboardOrder, type ShipmentStatus, shipmentStatuses } from "@pestle/contract";
import { useState } from "react";
import { Problem } from "../../app/problem.tsx";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { SelectField, TextField } from "../../ui/controls/field.tsx";
import { Card, Facts } from "../../ui/display/card.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { When } from "../../ui/time.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import styles from "./order-screen.module.css";
import { PostageList } from "./postage-list.tsx";
import type { DoWork } from "./use-order.ts";

const tones: Partial<Record<ShipmentStatus, Tone>> = {
  delivered: "good",
  returned: "bad",
  lost: "bad",
  exception: "wait",
};
const words = (status: string) => sayName(`${status.charAt(0).toUpperCase()}${status.slice(1).replaceAll("_", " ")}`);

/** Shipping method and tracking history. */
export function ShipmentsCard({ page, work }: { page: DashboardOrder; work: DoWork }) {
  const [telling, setTelling] = useState(false);
  const { method, shipments, order } = page;
  return (
    <Card
      title={say("Shipping")}
      actions={
        page.can.includes("track") && (
          <Button small onClick={() => setTelling(true)}>
            {say("Add tracking update")}
          </Button>
        )
      }
    >
      <div className="stack-tight">
        <Facts
          facts={[
            [say("Method"), method.name],
            [say("Carrier"), `${method.carrier}, ${method.service}`],
            [say("Signature"), order.shipping.signature_confirmation && say("Required")],
            [say("Cold chain"), method.cold_chain && say("Yes")],
          ]}
        />
        {shipments.map((shipment) => (
          <div key={shipment.tracking_no} className="stack-tight">
            <p className="row">
              <Badge tone={tones[shipment.status] ?? "info"}>{words(shipment.status)}</Badge>
              {/^https?:\/\//.test(shipment.tracking_url ?? "") ? (
                <a href={shipment.tracking_url!} target="_blank" rel="noopener noreferrer" className="mono">
                  {shipment.tracking_no}
                </a>
              ) : (
                <span className="mono">{shipment.tracking_no}</span>
              )}
            </p>
            <ul className={`${styles["entries"]} ${styles["entries-plain"]}`}>
              {shipment.scans.map((scan) => (
                <li key={`${scan.at} ${scan.status}`}>
                  <p>
                    {scan.description}
                    {scan.place && <span className="quiet"> {scan.place}</span>}
                  </p>
                  <span className="quiet small">
                    <When at={scan.at} />
                  </span>
                </li>
              ))}
            </ul>
          </div>
        ))}
        {page.postage !== null && page.postage.length > 0 && <PostageList postage={page.postage} />}
      </div>
      {telling && <ScanDialog work={work} onClose={() => setTelling(false)} />}
    </Card>
  );
}

function ScanDialog({ work, onClose }: { work: DoWork; onClose: () => void }) {
  const [status, setStatus] = useState<ShipmentStatus>("in_transit");
  const [description, setDescription] = useState("");
  const close = () => {
    work.forget();
    onClose();
  };
  return (
    <Dialog
      title={say("Add tracking update")}
      onClose={close}
      onSubmit={async () => {
        if ((await work.run({ event: "track", status, description }, say("Tracking update added."))) !== undefined)
          onClose();
      }}
      actions={
        <>
          <Button onClick={close}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit" busy={work.busy}>
            {say("Add update")}
          </Button>
        </>
      }
    >
      <SelectField
        label={say("Status")}
        options={shipmentStatuses.filter((one) => one !== "delivered").map((one) => [one, words(one)] as const)}
        value={status}
        onChange={(event) => setStatus(event.target.value as ShipmentStatus)}
      />
      <TextField
        label={say("Description")}
        required
        maxLength={200}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      {work.error !== null && <Problem error={work.error} />}
    </Dialog>
  );
}
