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
import styles from "./row-grid.module.css";

export type GridColumn<Row> = {
  title: string;
  /** A width as CSS knows it: `8rem`, `minmax(6rem, 2fr)`. */
  width: string;
  number?: boolean;
  unseen?: boolean;
  cell: (row: Row) => ReactNode;
};

const ROW_PX = 40;
/** So many rows before the end the next page is asked for, so that nobody waits at it. */
const AHEAD = 60;

/**
 * A list of any length, of which only the rows in sight are on the page. It is one stop of the Tab key; inside it the
 * arrows (or j and k, by the screen's shortcuts) move a cursor.
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
  /** The row that keys act on. */
  cursor: number;
  onCursor: (at: number) => void;
  onOpen: (row: Row) => void;
  /** With it rows can be ticked. */
  selected?: ReadonlySet<string>;
  onSelect?: (row: Row) => void;
  /** Whether there are rows beyond those given. */
  more: boolean;
  onMore: () => void;
  total?: number | undefined;
  /** Narrower than this it scrolls sideways. */
  least: string;
  /** Says which rows are in sight. */
  range?: RefObject<{ first: number; last: number }>;
}) {
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollPaddingStart: ROW_PX,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const first = items[0]?.index ?? 0;
  useEffect(() => {
    if (range) range.current = { first, last };
  }, [range, first, last]);
  useEffect(() => {
    if (more && last >= rows.length - AHEAD) onMore();
  }, [more, last, rows.length, onMore]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a moved cursor scrolls
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
    // A button or link inside a row keeps its own keys.
    const own = event.target !== frame.current;
    if (event.key in to) onCursor(Math.max(0, Math.min(rows.length - 1, to[event.key]!)));
    else if (event.key === "Enter" && row && !own) onOpen(row);
    else if (event.key === " " && row && onSelect && !own) onSelect(row);
    else return;
    event.preventDefault();
  };

  // What a row does never changes for it, so that a row that stays in sight is not drawn again.
  const latest = useRef({ rows, onCursor, onOpen });
  latest.current = { rows, onCursor, onOpen };
  const act = useRef((index: number, open: boolean) => {
    latest.current.onCursor(index);
    if (open) latest.current.onOpen(latest.current.rows[index]!);
  }).current;
  const frameWidth = { minWidth: least };
  const template = columns.map(({ width }) => width).join(" ");
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot leave out the rows that are not in sight
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
        className={styles["head"]}
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
  cursor: boolean;
  selected: boolean | undefined;
  act: (index: number, open: boolean) => void;
};

function DrawnRow<Row>({ id, index, start, row, columns, template, cursor, selected, act }: RowProps<Row>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: as above
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys
    <div
      id={id}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      data-cursor={cursor || undefined}
      className={styles["row"]}
      style={{ gridTemplateColumns: template, transform: `translateY(${start}px)` }}
      onClick={(event) => {
        const inner = (event.target as Element).closest("a, button, input, label");
        // A tick box does what it does; a link opens its row, unless another tab was asked for.
        const opens = inner === null || (inner instanceof HTMLAnchorElement && isPlain(event));
        if (opens) event.preventDefault();
        act(index, opens);
      }}
    >
      {columns.map(({ title, number, cell }) => (
        // biome-ignore lint/a11y/useSemanticElements: as above
        // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus
        <div key={title} role="gridcell" className={number ? "number" : undefined}>
          {cell(row)}
        </div>
      ))}
    </div>
  );
}
const GridRow = memo(DrawnRow) as typeof DrawnRow;

const isPlain = (event: MouseEvent) => !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
