import type { DashboardShippingServices, ShippingServices } from "@pestle/contract";
import { useState } from "react";
import { Loaded } from "../../app/loaded.tsx";
import { useApi } from "../../app/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { say } from "../../ui/words/say.tsx";
import styles from "./catalogue-screen.module.css";
import { ServiceDialog } from "./service-dialog.tsx";

type Service = ShippingServices[number];

/** Which carrier service Pestle buys for each shipping method, and for what parcel. */
export function ServicesCard({ account_id }: { account_id: string }) {
  const path = `/dashboard/catalogue/${account_id}/services` as const;
  const found = useApi(path);
  const [changing, setChanging] = useState<Service | null>(null);
  return (
    <Card title={say("Postage")} flush>
      <Loaded query={found}>
        {(data) => (
          <>
            <div className={`stack-tight ${styles["about"]}`}>
              <p className="quiet">
                {say(
                  "What Pestle buys for the label of each shipping method. Another service is never bought in its place.",
                )}
              </p>
              {data.carrier !== "easypost" && (
                <Notice tone="info">
                  {say(
                    "Pestle buys no labels now: CARRIER does not name EasyPost. Your choices count as soon as it does.",
                  )}
                </Notice>
              )}
            </div>
            <Table
              caption={say("Postage")}
              columns={columnsOf(data, setChanging)}
              rows={data.services}
              rowKey={({ method_id }) => method_id}
            />
            {changing && (
              <ServiceDialog
                path={path}
                service={changing}
                known={data.known}
                parcel={data.parcel}
                onClose={() => setChanging(null)}
              />
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}

const columnsOf = (
  { parcel }: Pick<DashboardShippingServices, "parcel">,
  onChange: (service: Service) => void,
): Column<Service>[] => [
  { title: say("Method"), cell: ({ name }) => name },
  {
    title: say("Service"),
    cell: ({ carrier, service, chosen }) => (
      <span className="row">
        {carrier === null ? <Badge tone="bad">{say("None: no label")}</Badge> : <code>{`${carrier} ${service}`}</code>}
        {chosen && <Badge tone="info">{say("Chosen")}</Badge>}
      </span>
    ),
  },
  {
    title: say("Parcel"),
    cell: (row) => {
      const { length_in, width_in, height_in } = row.length_in === null ? parcel : row;
      const size = {
        length: length_in!,
        width: width_in!,
        height: height_in!,
        weight: row.weight_oz ?? parcel.weight_oz,
      };
      return say("{length} × {width} × {height} in, {weight} oz", size);
    },
  },
  {
    title: say("Change"),
    unseen: true,
    cell: (row) => (
      <Button
        small
        onClick={() => onChange(row)}
        aria-label={say("Change the service of {method}", { method: row.name })}
      >
        {say("Change")}
      </Button>
    ),
  },
];
