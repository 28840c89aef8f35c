import type { DashboardLicences, Environment } from "@pestle/contract";
import { Loaded } from "../../app/loaded.tsx";
import { useApi } from "../../app/use-api.ts";
import { usePharmacyDay } from "../../app/use-pharmacy-day.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { dateText } from "../../ui/time.tsx";
import { say } from "../../ui/words/say.tsx";
import { saveRows } from "./save-rows.ts";

type Licence = DashboardLicences["licences"][number];
const EXPIRED = say("Expired");
const SOON_MS = 60 * 24 * 3600 * 1000;

/** The states the pharmacy may ship to. All accounts of an environment share its licenses. */
export function LicencesTable({ environment }: { environment: Environment }) {
  const query = useApi(`/dashboard/licences/${environment}`);
  const today = usePharmacyDay();
  return (
    <Loaded query={query} lines={8}>
      {({ licences }) => (
        <Card
          title={
            environment === "sandbox"
              ? say("Licenses for all sandbox accounts")
              : say("Licenses for all production accounts")
          }
          flush
          actions={
            <Button small icon="download" onClick={() => saveRows("licences", licences)}>
              {say("CSV")}
            </Button>
          }
        >
          <Table
            caption={say("Licenses")}
            columns={columnsOn(today)}
            rows={licences}
            rowKey={({ state, number }) => `${state} ${number}`}
            dim={(row) => stateOf(row, today).name === EXPIRED}
            empty={<Empty title={say("No licenses yet")}>{say("Orders are held until you import licenses.")}</Empty>}
          />
        </Card>
      )}
    </Loaded>
  );
}

function stateOf({ status, valid_from, valid_to }: Licence, today: string): { name: string; tone: Tone } {
  if (status === "suspended") return { name: say("Suspended"), tone: "bad" };
  if (status !== "active" || valid_to < today) return { name: EXPIRED, tone: "bad" };
  if (valid_from > today) return { name: say("Not yet valid"), tone: "wait" };
  const ends_ms = Date.parse(valid_to) - Date.parse(today);
  return ends_ms < SOON_MS ? { name: say("Expires soon"), tone: "wait" } : { name: say("Active"), tone: "good" };
}

const columnsOn = (today: string): Column<Licence>[] => [
  { title: say("State"), cell: ({ state }) => <strong>{state}</strong> },
  { title: say("Number"), cell: ({ number }) => <span className="mono">{number}</span> },
  {
    title: say("Status"),
    cell: (row) => {
      const { name, tone } = stateOf(row, today);
      return <Badge tone={tone}>{name}</Badge>;
    },
  },
  { title: say("Valid from"), cell: ({ valid_from }) => dateText(valid_from) },
  { title: say("Valid until"), cell: ({ valid_to }) => dateText(valid_to) },
];
