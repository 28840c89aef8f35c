import type { DashboardOrderRow, ExceptionGroup } from "@pestle/contract";
import { useEffect, useState } from "react";
import { Loaded } from "../../app/loaded.tsx";
import { Link, useNavigate } from "../../app/router/router.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useApi } from "../../app/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { RowGrid } from "../../ui/display/row-grid.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say, sayName } from "../../ui/words/say.tsx";
import { BulkReport } from "../bulk-report.tsx";
import { orderPath } from "../order-link.ts";
import type { BulkOutcome } from "../send-bulk.ts";
import { setWorkList } from "../work-list.ts";
import { type Deed, DeedDialog } from "./deed-dialog.tsx";
import styles from "./exceptions-screen.module.css";
import { heldColumns } from "./held-columns.tsx";
import { overriding, whoActs } from "./who-acts.ts";

/** The bulk limit. The longest-waiting orders come first. */
const SHOWN = 200;

/** One exception: what it means, who can act, and the orders it holds. */
export function GroupDetail({ group, narrowed }: { group: ExceptionGroup; narrowed: Record<string, string> }) {
  const { exception_id, count } = group;
  const name = sayName(group.name);
  const navigate = useNavigate();
  const search = new URLSearchParams({ queue: "on_hold", exception_id: String(exception_id), ...narrowed }).toString();
  const orders = useApi(`/dashboard/orders?${search}&limit=${SHOWN}`);
  const { refetch } = orders;
  // biome-ignore lint/correctness/useExhaustiveDependencies: refetch when the group changes
  useEffect(() => void refetch(), [count, group.oldest_at, refetch]);

  const rows = orders.data?.orders ?? [];
  const [key, setKey] = useState<string | null>(null);
  const cursor = Math.max(
    0,
    rows.findIndex((row) => orderPath(row) === key),
  );
  const at = rows[cursor];
  const goTo = (to: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, to))];
    if (row) setKey(orderPath(row));
  };
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const toggle = (row: DashboardOrderRow) =>
    setTicked((before) => {
      const next = new Set(before);
      if (!next.delete(orderPath(row))) next.add(orderPath(row));
      return next;
    });
  // Drop selected orders that left the list.
  const chosen = rows.filter((row) => ticked.has(orderPath(row)));
  const meant = chosen.length > 0 ? chosen : at ? [at] : [];

  const [deed, setDeed] = useState<Deed | null>(null);
  const [outcome, setOutcome] = useState<BulkOutcome | null>(null);
  // A pharmacist decides each of these on the order's own page, with its findings in view.
  const may_end = group.overridden_by !== "pharmacist";
  const open = (row: DashboardOrderRow) => {
    setWorkList({ title: say("Exceptions"), back: `/exceptions${location.search}`, orders: rows });
    void navigate({ to: orderPath(row) });
  };
  const ask = (next: Deed) => meant.length > 0 && setDeed(next);
  useShortcuts([
    { keys: "j", label: say("Next order"), run: () => goTo(cursor + 1) },
    { keys: "k", label: say("Previous order"), run: () => goTo(cursor - 1) },
    { keys: "Enter", label: say("Open order"), run: () => at && open(at) },
    { keys: "x", label: say("Select order"), run: () => at && toggle(at) },
    { keys: "X", label: say("Select all"), run: () => setTicked(new Set(rows.map(orderPath))) },
    { keys: "Escape", label: say("Clear selection"), run: () => setTicked(new Set()) },
    ...(may_end ? [{ keys: "e", label: say("Resolve exception"), run: () => ask("resolve") }] : []),
    { keys: "n", label: say("Add note"), run: () => ask("note") },
  ]);

  return (
    <section aria-label={name} className={styles["detail"]}>
      <About group={group} />
      {/* biome-ignore lint/a11y/useSemanticElements: not a form */}
      <div role="group" aria-label={say("Actions")} className={styles["deeds"]}>
        {may_end ? (
          <Button tone="primary" icon="check" keys="e" onClick={() => ask("resolve")}>
            {say("Resolve")}
          </Button>
        ) : (
          <Button tone="primary" icon="external" onClick={() => at && open(at)}>
            {say("Open order")}
          </Button>
        )}
        <Button icon="note" keys="n" onClick={() => ask("note")}>
          {say("Note")}
        </Button>
        <Button icon="close" tone="danger" onClick={() => ask("cancel")}>
          {say("Cancel")}
        </Button>
        <span role="status" className="quiet">
          {chosen.length > 0
            ? say("{count} selected", { count: numberText(chosen.length) })
            : at && say("for {order_number}", { order_number: at.order_number })}
        </span>
        {count > rows.length && rows.length > 0 && (
          <Link to="/queue/on_hold" search={{ exception_id: String(exception_id), ...narrowed } as never}>
            {say("Showing the {shown} oldest of {all}", { shown: rows.length, all: numberText(count) })}
          </Link>
        )}
      </div>
      <Loaded query={orders} lines={8}>
        {() =>
          rows.length === 0 ? (
            <Empty title={say("No orders left in this group")} />
          ) : (
            <RowGrid
              label={say("Orders on hold: {name}", { name })}
              columns={heldColumns({ exception_id, rows, ticked, toggle })}
              rows={rows}
              rowKey={orderPath}
              cursor={cursor}
              onCursor={goTo}
              onOpen={open}
              selected={ticked}
              onSelect={toggle}
              more={false}
              onMore={() => {}}
              least="40rem"
            />
          )
        }
      </Loaded>
      {deed && (
        <DeedDialog
          deed={deed}
          group={group}
          orders={meant}
          onClose={() => setDeed(null)}
          onDone={(result) => {
            setDeed(null);
            setTicked(new Set(result.refused.map(orderPath)));
            if (result.refused.length > 0) setOutcome(result);
            void refetch();
          }}
        />
      )}
      {outcome && <BulkReport outcome={outcome} onClose={() => setOutcome(null)} />}
    </section>
  );
}

function About({ group }: { group: ExceptionGroup }) {
  const { name, message, who_acts, overridden_by, resolves_itself, actions, exception_id, orders } = group;
  return (
    <div className={styles["about"]}>
      <div className="row">
        <h2>{sayName(name)}</h2>
        <span className="quiet">{exception_id}</span>
        <Badge tone={whoActs[who_acts].tone}>{whoActs[who_acts].says}</Badge>
      </div>
      <p>{sayName(message)}</p>
      <dl className={styles["ways"]}>
        <div>
          <dt>{say("The partner can")}</dt>
          <dd>{actions.map(({ action }) => sayName(action).toLowerCase()).join(", ")}</dd>
        </div>
        <div>
          <dt>{say("The pharmacy")}</dt>
          <dd>{overriding[overridden_by]}</dd>
        </div>
        {resolves_itself !== null && (
          <div>
            <dt>{say("Automatic")}</dt>
            <dd>
              {sayName(resolves_itself)} {exception_id === 76 && <ToStock orders={orders} />}
            </dd>
          </div>
        )}
      </dl>
    </div>
  );
}

/** Links to the stock of the longest-waiting order's account. */
function ToStock({ orders: [first] }: Pick<ExceptionGroup, "orders">) {
  return (
    <Link to="/stock" search={(first ? { account_id: first.account_id } : {}) as never}>
      {say("Go to stock")}
    </Link>
  );
}
