import type { CatalogueVersion } from "@pestle/contract";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { When } from "../../ui/time.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say } from "../../ui/words/say.tsx";
import { kindNames, sourceText } from "./kind-names.ts";

/** Past imports, newest first. */
export function VersionsTable({ versions }: { versions: readonly CatalogueVersion[] }) {
  return (
    <Card title={say("Imports")} flush>
      <Table
        caption={say("Imports")}
        columns={columns}
        rows={versions.toSorted((a, b) => b.version - a.version)}
        rowKey={({ version }) => version}
        empty={
          <Empty title={say("No imports yet")}>{say("Each import appears here with a summary of its changes.")}</Empty>
        }
      />
    </Card>
  );
}

const columns: Column<CatalogueVersion>[] = [
  { title: say("Version"), cell: ({ version }) => <span className="mono">{version}</span> },
  { title: say("Type"), cell: ({ kind }) => kindNames[kind] },
  { title: say("File"), cell: ({ source }) => sourceText(source) },
  { title: say("Imported"), cell: ({ imported_at }) => <When at={imported_at} /> },
  { title: say("Added"), number: true, cell: ({ added }) => numberText(added) },
  { title: say("Changed"), number: true, cell: ({ changed }) => numberText(changed) },
  { title: say("Retired"), number: true, cell: ({ retired }) => numberText(retired) },
];
