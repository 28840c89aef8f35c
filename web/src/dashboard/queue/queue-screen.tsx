import { type DashboardOrderRow, type Environment, isQueueKey, PARTNER_MESSAGE_DAYS, queues } from "@pestle/contract";
import { useEffect, useMemo, useRef, useState } from "react";
import { apiFile } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useLocation, useNavigate } from "../../app/router/router.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useFilters } from "../../app/use-address.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { counted } from "../../ui/counted.ts";
import { Empty, Skeleton } from "../../ui/display/notice.tsx";
import { RowGrid } from "../../ui/display/row-grid.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { useNow } from "../../ui/time.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say, sayName } from "../../ui/words/say.tsx";
import { useEnvironment, withEnvironment } from "../environment.ts";
import { useHome } from "../live-home.tsx";
import { orderPath } from "../order-link.ts";
import { setWorkList } from "../work-list.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { columnsOf } from "./columns.tsx";
import { emptyTexts } from "./empty-texts.ts";
import { FilterBar } from "./filter-bar.tsx";
import { HeldSides } from "./held-sides.tsx";
import styles from "./queue-screen.module.css";
import { SavedViews } from "./saved-views.tsx";
import { useCursor } from "./use-cursor.ts";
import { filterSearch, useOrders } from "./use-orders.ts";

const REFRESH_MS = 1500;
/** Number of neighbors on each side kept for previous/next navigation. */
const LIST_REACH = 500;

const MESSAGES_PATH = "/messages";

/** A work queue, or all orders, sorted by wait time and usable by keyboard. */
export function QueueScreen() {
  const path = useLocation().pathname;
  const last = path.split("/").at(-1) ?? "";
  const queue = isQueueKey(last) ? last : null;
  const messages = path === MESSAGES_PATH;
  const environment = useEnvironment();
  if (environment === undefined) return <Skeleton lines={10} />;
  // The key resets the table and its selection for each queue.
  return (
    <QueueTable
      key={`${path} ${environment}`}
      path={path}
      queue={queue}
      messages={messages}
      environment={environment}
    />
  );
}

function QueueTable({
  path,
  queue,
  messages,
  environment,
}: {
  path: string;
  queue: keyof typeof queues | null;
  /** Orders of every status whose partner wrote last. */
  messages: boolean;
  environment: Environment;
}) {
  const title = queue === null ? (messages ? say("Messages") : say("All orders")) : sayName(queues[queue].name);
  const navigate = useNavigate();
  const [filters, change] = useFilters();
  const shown = withEnvironment(filters, environment);
  const search = filterSearch({
    // All orders means all, also shipped and canceled ones, so the newest come first.
    ...(queue === null && !messages && { show: "all", sort: "newest" }),
    ...shown,
    ...(queue !== null && { queue }),
    ...(messages && { messages: "from_partner" }),
  });
  const { query, rows, more, loadMore, refresh } = useOrders(search);
  const [cursor, setCursor] = useCursor(`${path}?${search}`, rows);
  const [ticked, setTicked] = useState<ReadonlyMap<string, DashboardOrderRow>>(new Map());
  const range = useRef({ first: 0, last: 0 });
  const filter_bar = useRef<HTMLDivElement>(null);

  const home = useHome();
  const count = home.data?.queues.find(({ key }) => key === queue)?.count;
  const changed_ms = home.dataUpdatedAt;
  const shown_ms = useRef(changed_ms);
  useEffect(() => {
    if (shown_ms.current === changed_ms) return;
    const timer = setTimeout(() => {
      shown_ms.current = changed_ms;
      void refresh(range.current.first, range.current.last);
    }, REFRESH_MS);
    return () => clearTimeout(timer);
  }, [changed_ms, refresh]);
  // On return, show the cached rows immediately and refresh them.
  useEffect(() => void refresh(range.current.first, range.current.last), [refresh]);

  const toggle = (row: DashboardOrderRow) =>
    setTicked((before) => {
      const next = new Map(before);
      if (!next.delete(orderPath(row))) next.set(orderPath(row), row);
      return next;
    });
  const open = (row: DashboardOrderRow) => {
    const at = rows.indexOf(row);
    setCursor(at);
    setWorkList({
      title,
      back: `${path}${location.search}`,
      orders: rows.slice(Math.max(0, at - LIST_REACH), at + LIST_REACH),
    });
    void navigate({ to: orderPath(row) });
  };
  const at = rows[cursor];
  const step = (by: number) => setCursor(Math.max(0, Math.min(rows.length - 1, cursor + by)));
  useShortcuts([
    { keys: "j", label: say("Next row"), run: () => step(1) },
    { keys: "k", label: say("Previous row"), run: () => step(-1) },
    { keys: "Enter", label: say("Open order"), run: () => at && open(at) },
    { keys: "o", label: say("Open order"), run: () => at && open(at) },
    { keys: "x", label: say("Select row"), run: () => at && toggle(at) },
    {
      keys: "X",
      label: say("Select all loaded rows"),
      run: () => setTicked(new Map(rows.map((row) => [orderPath(row), row]))),
    },
    { keys: "Escape", label: say("Clear selection"), run: () => setTicked(new Map()) },
    { keys: "f", label: say("Filters"), run: () => filter_bar.current?.querySelector("select")?.focus() },
    { keys: "r", label: say("Refresh"), run: () => void refresh(range.current.first, range.current.last) },
  ]);

  const csv = useChange(() => apiFile(`/dashboard/orders.csv?${search}`), {
    after: ({ name, blob }) => saveFile(name, blob),
  });
  // Selected orders that left the list, or that a filter hides, do not count. A list can have 100,000 rows, so this compares
  // numbers, and only when the list changes.
  useEffect(() => {
    setTicked((before) => {
      if (before.size === 0) return before;
      const numbers = new Set([...before.values()].map(({ order_number }) => order_number));
      const listed = rows.filter((row) => numbers.has(row.order_number) && before.has(orderPath(row)));
      return new Map(listed.map((row) => [orderPath(row), row]));
    });
  }, [rows]);
  const now_ms = useNow();
  const selected = useMemo(() => new Set(ticked.keys()), [ticked]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `toggle` only changes the selection
  const columns = useMemo(() => columnsOf({ queue, selected, toggle, now_ms }), [queue, selected, now_ms]);
  const filtered = Object.keys(filters).some((name) => name !== "sort");
  return (
    <Page
      title={title}
      fill
      about={
        <span role="status">
          {filtered || count === undefined
            ? more
              ? say("{count}+ orders", { count: numberText(rows.length) })
              : counted(rows.length, "order")
            : counted(count, "order")}
        </span>
      }
      actions={
        <>
          <SavedViews path={path} search={{ ...filters }} />
          <Button icon="download" busy={csv.busy} onClick={() => void csv.run()}>
            {say("CSV")}
          </Button>
          <Button icon="refresh" keys="r" onClick={() => void refresh(range.current.first, range.current.last)}>
            {say("Refresh")}
          </Button>
        </>
      }
    >
      {queue === "on_hold" && (
        <HeldSides
          environment={shown["environment"]}
          chosen={filters["waits_for"]}
          changed_ms={changed_ms}
          onChoose={(waits_for) => change({ waits_for })}
        />
      )}
      <div ref={filter_bar}>
        <FilterBar
          queue={queue}
          messages={messages}
          filters={filters}
          change={change}
          loading={query.isPlaceholderData}
        />
      </div>
      {csv.error !== null && <Problem error={csv.error} retry={() => void csv.run()} />}
      {query.error !== null && <Problem error={query.error} retry={() => void query.refetch()} />}
      <BulkBar
        queue={queue}
        orders={[...ticked.values()]}
        onClear={() => setTicked(new Map())}
        onKeep={(kept) => {
          const keys = new Set(kept.map(orderPath));
          setTicked(new Map([...ticked].filter(([key]) => keys.has(key))));
        }}
        onDone={() => void refresh(range.current.first, range.current.last)}
      />
      {query.isPending ? (
        <Skeleton lines={10} />
      ) : rows.length === 0 ? (
        <div className={styles["nothing"]}>
          {filtered ? (
            <Empty title={say("No matching orders")}>
              <Button onClick={() => change(Object.fromEntries(Object.keys(filters).map((name) => [name, null])))}>
                {say("Clear filters")}
              </Button>
            </Empty>
          ) : messages ? (
            <Empty title={say("No new messages")}>
              {say("Orders whose partner wrote last appear here for {days} days.", { days: PARTNER_MESSAGE_DAYS })}
            </Empty>
          ) : (
            <Empty title={queue === "shipped_today" ? say("No orders shipped today") : say("All caught up")}>
              {queue === null ? say("An order appears here when a partner places it.") : emptyTexts[queue]}
            </Empty>
          )}
        </div>
      ) : (
        <RowGrid
          label={title}
          columns={columns}
          rows={rows}
          rowKey={orderPath}
          cursor={cursor}
          onCursor={setCursor}
          onOpen={open}
          selected={selected}
          onSelect={toggle}
          more={more}
          onMore={loadMore}
          range={range}
          least="60rem"
          total={filtered || count === undefined ? undefined : count + 1}
        />
      )}
    </Page>
  );
}
