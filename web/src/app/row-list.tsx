import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { Skeleton } from "../ui/display/notice.tsx";
import { type GridColumn, RowGrid } from "../ui/display/row-grid.tsx";
import { say } from "../ui/words/say.tsx";
import { Loaded } from "./loaded.tsx";
import { useNavigate } from "./router/router.tsx";
import { useShortcuts } from "./shell/shortcuts.ts";
import type { Pages } from "./use-pages.ts";

/** A long list with links. Users open rows with the mouse, the arrow keys, or j, k and Enter anywhere on the screen. */
export function RowList<Row>({
  label,
  pages: { query, rows, more, onMore },
  columns,
  rowKey,
  linkTo,
  empty,
}: {
  label: string;
  pages: Pages<Row>;
  columns: readonly GridColumn<Row>[];
  rowKey: (row: Row) => string;
  /** Null for a row that leads nowhere. */
  linkTo: (row: Row) => string | null;
  empty: ReactNode;
}) {
  const navigate = useNavigate();
  // New rows arrive at the top, so track the cursor by row key.
  const [key, setKey] = useState<string | null>(null);
  const cursor = Math.max(
    0,
    rows.findIndex((row) => rowKey(row) === key),
  );
  const goTo = (at: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, at))];
    if (row) setKey(rowKey(row));
  };
  const open = (row: Row | undefined) => {
    const to = row === undefined ? null : linkTo(row);
    if (to !== null) void navigate({ to });
  };
  useShortcuts([
    { keys: "j", label: say("Next row"), run: () => goTo(cursor + 1) },
    { keys: "k", label: say("Previous row"), run: () => goTo(cursor - 1) },
    { keys: "Enter", label: say("Open row"), run: () => open(rows[cursor]) },
  ]);
  // A page can be empty even if more pages follow.
  const searching = rows.length === 0 && more;
  useEffect(() => {
    if (searching) onMore();
  }, [searching, onMore]);
  return (
    <Loaded query={query as unknown as UseQueryResult<unknown>} lines={8}>
      {() =>
        searching ? (
          <Skeleton lines={8} />
        ) : rows.length === 0 ? (
          empty
        ) : (
          <RowGrid
            label={label}
            columns={columns}
            rows={rows}
            rowKey={rowKey}
            cursor={cursor}
            onCursor={goTo}
            onOpen={open}
            more={more}
            onMore={onMore}
            least="46rem"
          />
        )
      }
    </Loaded>
  );
}
