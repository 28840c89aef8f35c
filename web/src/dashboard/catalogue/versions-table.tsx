import type { CatalogueVersion } from "@pestle/contract";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { When } from "../../ui/time.tsx";
import { kindNames } from "./kind-names.ts";

/** Past imports, newest first. */
export function VersionsTable({ versions }: { versions: readonly CatalogueVersion[] }) {
  return (
    <Card title="Imports" flush>
      <Table
        caption="Imports"
        columns={columns}
        rows={versions.toSorted((a, b) => b.version - a.version)}
        rowKey={({ version }) => version}
        empty={<Empty title="No imports yet">Each import appears here with a summary of its changes.</Empty>}
      />
    </Card>
  );
}

const columns: Column<CatalogueVersion>[] = [
  { title: "Version", cell: ({ version }) => <span className="mono">{version}</span> },
  { title: "Type", cell: ({ kind }) => kindNames[kind] },
  { title: "File", cell: ({ source }) => source },
  { title: "Imported", cell: ({ imported_at }) => <When at={imported_at} /> },
  { title: "Added", number: true, cell: ({ added }) => added.toLocaleString() },
  { title: "Changed", number: true, cell: ({ changed }) => changed.toLocaleString() },
  { title: "Retired", number: true, cell: ({ retired }) => retired.toLocaleString() },
];
