import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
} from "react";
import { useNarrow } from "../use-narrow.ts";
import styles from "./row-grid.module.css";

export type GridColumn<Row> = {
  title: string;
  /** A CSS grid width: `8rem`, `minmax(6rem, 2fr)`. */
  width: string;
  number?: boolean;
  unseen?: boolean;
  cell: (row: Row) => ReactNode;
};

const ROW_PX = 40;
/** Fetch the next page this many rows before the end, so users do not wait for it. */
const AHEAD = 60;

/**
 * A virtualized list of any length. It is one tab stop; inside it, the arrow keys (or j and k, through the screen's
 * shortcuts) move a cursor. On a phone, the cells of a row wrap, each with its heading.
 */
export function RowGrid<Row>({
  label,
  columns,
  rows,
  rowKey,
  cursor,
  onCursor,
  onOpen,
  selected,
  onSelect,
  more,
  onMore,
  total,
  least,
  range,
}: {
  label: string;
  columns: readonly GridColumn<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** The row that keyboard actions apply to. */
  cursor: number;
  onCursor: (at: number) => void;
  onOpen: (row: Row) => void;
  /** Makes rows selectable. */
  selected?: ReadonlySet<string>;
  onSelect?: (row: Row) => void;
  /** Whether there are more rows to load. */
  more: boolean;
  onMore: () => void;
  total?: number | undefined;
  /** Minimum width; the grid scrolls sideways below it. */
  least: string;
  /** Receives the range of visible rows. */
  range?: RefObject<{ first: number; last: number }>;
}) {
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const narrow = useNarrow();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollPaddingStart: ROW_PX,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: all rows have another height then
  useEffect(() => virtual.measure(), [narrow]);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const first = items[0]?.index ?? 0;
  useEffect(() => {
    if (range) range.current = { first, last };
  }, [range, first, last]);
  useEffect(() => {
    if (more && last >= rows.length - AHEAD) onMore();
  }, [more, last, rows.length, onMore]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scroll only when the cursor moves
  useEffect(() => {
    if (rows.length > 0) virtual.scrollToIndex(Math.min(cursor, rows.length - 1), { align: "auto" });
  }, [cursor]);

  const press = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor((frame.current?.clientHeight ?? 0) / ROW_PX) - 2);
    const to: Record<string, number> = {
      ArrowDown: cursor + 1,
      ArrowUp: cursor - 1,
      PageDown: cursor + page,
      PageUp: cursor - page,
      Home: 0,
      End: rows.length - 1,
    };
    const row = rows[cursor];
    // Buttons and links inside a row handle their own keys.
    const own = event.target !== frame.current;
    if (event.key in to) onCursor(Math.max(0, Math.min(rows.length - 1, to[event.key]!)));
    else if (event.key === "Enter" && row && !own) onOpen(row);
    else if (event.key === " " && row && onSelect && !own) onSelect(row);
    else return;
    event.preventDefault();
  };

  // Keep this callback stable so visible rows do not rerender.
  const latest = useRef({ rows, onCursor, onOpen });
  latest.current = { rows, onCursor, onOpen };
  const act = useRef((index: number, open: boolean) => {
    latest.current.onCursor(index);
    if (open) latest.current.onOpen(latest.current.rows[index]!);
  }).current;
  const frameWidth = narrow ? {} : { minWidth: least };
  const template = columns.map(({ width }) => width).join(" ");
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element cannot be virtualized
    <div
      ref={frame}
      role="grid"
      aria-label={label}
      aria-rowcount={total ?? (more ? -1 : rows.length + 1)}
      aria-multiselectable={selected !== undefined || undefined}
      aria-activedescendant={rows.length > 0 ? `${id}-${cursor}` : undefined}
      tabIndex={0}
      className={styles["grid"]}
      onKeyDown={press}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus */}
      <div
        role="row"
        aria-rowindex={1}
        className={narrow ? "unseen" : styles["head"]}
        style={{ gridTemplateColumns: template, ...frameWidth }}
      >
        {columns.map(({ title, number, unseen }) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus
          <div key={title} role="columnheader" className={number ? "number" : undefined}>
            {unseen ? <span className="unseen">{title}</span> : title}
          </div>
        ))}
      </div>
      <div role="presentation" className={styles["body"]} style={{ ...frameWidth, height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index]!;
          return (
            <GridRow
              key={index}
              id={`${id}-${index}`}
              index={index}
              start={start}
              row={row}
              columns={columns}
              template={template}
              measure={narrow ? virtual.measureElement : undefined}
              cursor={index === cursor}
              selected={selected?.has(rowKey(row))}
              act={act}
            />
          );
        })}
      </div>
    </div>
  );
}

type RowProps<Row> = {
  id: string;
  index: number;
  start: number;
  row: Row;
  columns: readonly GridColumn<Row>[];
  template: string;
  /** Receives a row whose height depends on its content. */
  measure: ((row: HTMLElement | null) => void) | undefined;
  cursor: boolean;
  selected: boolean | undefined;
  act: (index: number, open: boolean) => void;
};

function DrawnRow<Row>({ id, index, start, row, columns, template, measure, cursor, selected, act }: RowProps<Row>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: as above
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys
    <div
      id={id}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      ref={measure}
      data-index={index}
      data-cursor={cursor || undefined}
      className={measure ? styles["wrapped"] : styles["row"]}
      style={{ gridTemplateColumns: template, transform: `translateY(${start}px)` }}
      onClick={(event) => {
        const inner = (event.target as Element).closest("a, button, input, label");
        // Check boxes handle their own clicks. A link opens its row, unless the user opens it in a new tab.
        const opens = inner === null || (inner instanceof HTMLAnchorElement && isPlain(event));
        if (opens) event.preventDefault();
        act(index, opens);
      }}
    >
      {columns.map(({ title, number, unseen, cell }) => (
        // biome-ignore lint/a11y/useSemanticElements: as above
        // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus
        <div
          key={title}
          role="gridcell"
          className={number ? "number" : undefined}
          data-title={unseen ? undefined : title}
        >
          {cell(row)}
        </div>
      ))}
    </div>
  );
}
const GridRow = memo(DrawnRow) as typeof DrawnRow;

const isPlain = (event: MouseEvent) => !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
