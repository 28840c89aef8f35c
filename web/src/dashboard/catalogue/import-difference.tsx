import type { CatalogueImportAnswer } from "@pestle/contract";
import { Button } from "../../ui/controls/button.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import styles from "./catalogue-screen.module.css";

type Fault = CatalogueImportAnswer["faults"][number];
type Changed = CatalogueImportAnswer["changed"][number];

/** Enough to review. The totals cover the rest. */
const MOST_SHOWN = 200;

/** A preview of an import, or its errors. */
export function ImportDifference({
  seen,
  busy,
  onApply,
}: {
  seen: CatalogueImportAnswer;
  busy: boolean;
  onApply: () => void;
}) {
  const { faults, warnings, added, changed, retired, unchanged } = seen;
  if (faults.length > 0) {
    return (
      <div className="stack-tight">
        <Notice tone="bad" title="This file has errors.">
          {faults.length.toLocaleString()} {faults.length === 1 ? "error" : "errors"}. Fix the file and upload it again.
          Nothing was imported.
        </Notice>
        <Table
          caption="Errors"
          columns={faultColumns}
          rows={faults.slice(0, MOST_SHOWN)}
          rowKey={({ at, column, sentence }) => `${at} ${column} ${sentence}`}
        />
      </div>
    );
  }
  const total = added.length + changed.length + retired.length;
  if (total === 0) return <Notice tone="good">No changes. The catalogue already matches this file.</Notice>;
  return (
    <div className="stack-tight">
      <ul className={styles["totals"]}>
        <li data-tone="good">{added.length.toLocaleString()} added</li>
        <li data-tone="wait">{changed.length.toLocaleString()} changed</li>
        <li data-tone="bad">{retired.length.toLocaleString()} retired</li>
        <li>{unchanged.toLocaleString()} unchanged</li>
      </ul>
      <div className="row">
        <Button tone={retired.length > 0 ? "danger" : "primary"} icon="upload" busy={busy} onClick={onApply}>
          {retired.length > 0 ? `Import and retire ${retired.length.toLocaleString()}` : "Import"}
        </Button>
      </div>
      {warnings.length > 0 && (
        <>
          <Notice tone="wait" title="The safety check does not know every ingredient.">
            You can import this file. Orders of these products are held until a pharmacist has looked.
          </Notice>
          <Table
            caption="Warnings"
            columns={faultColumns}
            rows={warnings.slice(0, MOST_SHOWN)}
            rowKey={({ at, column, sentence }) => `${at} ${column} ${sentence}`}
          />
        </>
      )}
      <Keys title="Added" keys={added} />
      <Keys title="Retired" keys={retired} />
      {changed.length > 0 && (
        <section className="stack-tight">
          <h3>Changed</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: lets the keyboard scroll a long list */}
          <div className={styles["changes"]} tabIndex={0}>
            <Table
              caption="Changed"
              columns={changedColumns}
              rows={changed.slice(0, MOST_SHOWN)}
              rowKey={({ key }) => key}
            />
          </div>
        </section>
      )}
    </div>
  );
}

function Keys({ title, keys }: { title: string; keys: readonly (string | number)[] }) {
  if (keys.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <p className="mono">
        {keys.slice(0, MOST_SHOWN).join(", ")}
        {keys.length > MOST_SHOWN && ` and ${(keys.length - MOST_SHOWN).toLocaleString()} more`}
      </p>
    </section>
  );
}

const faultColumns: Column<Fault>[] = [
  { title: "Where", cell: ({ at }) => at },
  { title: "Column", cell: ({ column }) => column && <code>{column}</code> },
  { title: "Error", cell: ({ sentence }) => sentence },
];

const changedColumns: Column<Changed>[] = [
  { title: "Key", cell: ({ key }) => <code>{key}</code> },
  {
    title: "Fields",
    cell: ({ fields }) => (
      <ul>
        {fields.map(({ field, from, to }) => (
          <li key={field}>
            <span className="quiet">{field}</span> <del>{text(from)}</del> <ins>{text(to)}</ins>
          </li>
        ))}
      </ul>
    ),
  },
];

const text = (value: unknown): string =>
  value === null || value === "" ? "empty" : Array.isArray(value) ? value.join("; ") || "empty" : String(value);
