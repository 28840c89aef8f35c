import type { CatalogueVersion } from "@pestle/contract";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { When } from "../../ui/time.tsx";
import { kindNames } from "./kind-names.ts";

/** What was imported, newest first. */
export function VersionsTable({ versions }: { versions: readonly CatalogueVersion[] }) {
  return (
    <Card title="Imports" flush>
      <Table
        caption="Imports"
        columns={columns}
        rows={versions.toSorted((a, b) => b.version - a.version)}
        rowKey={({ version }) => version}
        empty={<Empty title="Nothing was imported yet">Each import is kept here with what it changed.</Empty>}
      />
    </Card>
  );
}

const columns: Column<CatalogueVersion>[] = [
  { title: "Version", cell: ({ version }) => <span className="mono">{version}</span> },
  { title: "What", cell: ({ kind }) => kindNames[kind] },
  { title: "File", cell: ({ source }) => source },
  { title: "When", cell: ({ imported_at }) => <When at={imported_at} /> },
  { title: "Added", number: true, cell: ({ added }) => added.toLocaleString() },
  { title: "Changed", number: true, cell: ({ changed }) => changed.toLocaleString() },
  { title: "Retired", number: true, cell: ({ retired }) => retired.toLocaleString() },
];
