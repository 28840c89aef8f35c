import type { DashboardLicences, Environment } from "@pestle/contract";
import { Loaded } from "../../app/loaded.tsx";
import { useApi } from "../../app/use-api.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { dateText } from "../../ui/time.tsx";
import { saveRows } from "./save-rows.ts";

type Licence = DashboardLicences["licences"][number];
const SOON_MS = 60 * 24 * 3600 * 1000;

/** The states the pharmacy may ship to. All accounts of an environment share its licenses. */
export function LicencesTable({ environment }: { environment: Environment }) {
  const query = useApi(`/dashboard/licences/${environment}`);
  return (
    <Loaded query={query} lines={8}>
      {({ licences }) => (
        <Card
          title={`Licenses for all ${environment} accounts`}
          flush
          actions={
            <Button small icon="download" onClick={() => saveRows("licences", licences)}>
              CSV
            </Button>
          }
        >
          <Table
            caption="Licenses"
            columns={columns}
            rows={licences}
            rowKey={({ state, number }) => `${state} ${number}`}
            dim={(row) => stateOf(row).name === "Expired"}
            empty={<Empty title="No licenses yet">Orders are held until you import licenses.</Empty>}
          />
        </Card>
      )}
    </Loaded>
  );
}

function stateOf({ status, valid_from, valid_to }: Licence): { name: string; tone: Tone } {
  const today = new Date().toISOString().slice(0, 10);
  if (status === "suspended") return { name: "Suspended", tone: "bad" };
  if (status !== "active" || valid_to < today) return { name: "Expired", tone: "bad" };
  if (valid_from > today) return { name: "Not yet valid", tone: "wait" };
  const ends_ms = Date.parse(valid_to) - Date.now();
  return ends_ms < SOON_MS ? { name: "Expires soon", tone: "wait" } : { name: "Active", tone: "good" };
}

const columns: Column<Licence>[] = [
  { title: "State", cell: ({ state }) => <strong>{state}</strong> },
  { title: "Number", cell: ({ number }) => <span className="mono">{number}</span> },
  { title: "Status", cell: (row) => <Badge tone={stateOf(row).tone}>{stateOf(row).name}</Badge> },
  { title: "Valid from", cell: ({ valid_from }) => dateText(valid_from) },
  { title: "Valid until", cell: ({ valid_to }) => dateText(valid_to) },
];
