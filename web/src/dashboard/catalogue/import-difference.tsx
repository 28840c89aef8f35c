import type { CatalogueImportAnswer } from "@pestle/contract";
import { Button } from "../../ui/controls/button.tsx";
import { counted } from "../../ui/counted.ts";
import { Notice } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say } from "../../ui/words/say.tsx";
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
        <Notice tone="bad" title={say("This file has errors.")}>
          {say("{errors}. Fix the file and upload it again. Nothing was imported.", {
            errors: counted(faults.length, "error"),
          })}
        </Notice>
        <Table
          caption={say("Errors")}
          columns={faultColumns}
          rows={faults.slice(0, MOST_SHOWN)}
          rowKey={({ at, column, sentence }) => `${at} ${column} ${sentence}`}
        />
      </div>
    );
  }
  const total = added.length + changed.length + retired.length;
  if (total === 0) return <Notice tone="good">{say("No changes. The catalogue already matches this file.")}</Notice>;
  return (
    <div className="stack-tight">
      <ul className={styles["totals"]}>
        <li data-tone="good">{say("{count} added", { count: numberText(added.length) })}</li>
        <li data-tone="wait">{say("{count} changed", { count: numberText(changed.length) })}</li>
        <li data-tone="bad">{say("{count} retired", { count: numberText(retired.length) })}</li>
        <li>{say("{count} unchanged", { count: numberText(unchanged) })}</li>
      </ul>
      <div className="row">
        <Button tone={retired.length > 0 ? "danger" : "primary"} icon="upload" busy={busy} onClick={onApply}>
          {retired.length > 0 ? say("Import and retire {count}", { count: numberText(retired.length) }) : say("Import")}
        </Button>
      </div>
      {warnings.length > 0 && (
        <>
          <Notice tone="wait" title={say("The safety check does not know every ingredient.")}>
            {say("You can import this file. Orders of these products are held until a pharmacist has looked.")}
          </Notice>
          <Table
            caption={say("Warnings")}
            columns={faultColumns}
            rows={warnings.slice(0, MOST_SHOWN)}
            rowKey={({ at, column, sentence }) => `${at} ${column} ${sentence}`}
          />
        </>
      )}
      <Keys title={say("Added")} keys={added} />
      <Keys title={say("Retired")} keys={retired} />
      {changed.length > 0 && (
        <section className="stack-tight">
          <h3>{say("Changed")}</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: lets the keyboard scroll a long list */}
          <div className={styles["changes"]} tabIndex={0}>
            <Table
              caption={say("Changed")}
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
  const list = keys.slice(0, MOST_SHOWN).join(", ");
  return (
    <section>
      <h3>{title}</h3>
      <p className="mono">
        {keys.length > MOST_SHOWN
          ? say("{list} and {count} more", { list, count: numberText(keys.length - MOST_SHOWN) })
          : list}
      </p>
    </section>
  );
}

const faultColumns: Column<Fault>[] = [
  { title: say("Where"), cell: ({ at }) => at },
  { title: say("Column"), cell: ({ column }) => column && <code>{column}</code> },
  { title: say("Error"), cell: ({ sentence }) => sentence },
];

const changedColumns: Column<Changed>[] = [
  { title: say("Key"), cell: ({ key }) => <code>{key}</code> },
  {
    title: say("Fields"),
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
  value === null || value === ""
    ? say("empty")
    : Array.isArray(value)
      ? value.join("; ") || say("empty")
      : String(value);
