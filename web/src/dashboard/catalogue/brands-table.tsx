import type { DashboardCatalogue } from "@pestle/contract";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { say } from "../../ui/words/say.tsx";
import { saveRows } from "./save-rows.ts";

type Brand = DashboardCatalogue["brands"][number];

export function BrandsTable({ brands }: { brands: readonly Brand[] }) {
  return (
    <Card
      title={say("Brands")}
      flush
      actions={
        <Button small icon="download" onClick={() => saveRows("brands", brands)}>
          {say("CSV")}
        </Button>
      }
    >
      <Table
        caption={say("Brands")}
        columns={columns}
        rows={brands}
        rowKey={({ id }) => id}
        empty={<Empty title={say("No brands yet")}>{say("Orders ship under the pharmacy's own name.")}</Empty>}
      />
    </Card>
  );
}

const columns: Column<Brand>[] = [
  { title: say("ID"), cell: ({ id }) => <span className="mono">{id}</span> },
  { title: say("Name"), cell: ({ name }) => name },
  {
    title: say("Default"),
    cell: ({ default: usual }) => usual && <Badge tone="good">{say("Default")}</Badge>,
  },
];
