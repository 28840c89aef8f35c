import type { DashboardShelf } from "@pestle/contract";
import { useMemo, useRef, useState } from "react";
import { Loaded } from "../../app/loaded.tsx";
import { Link } from "../../app/router/router.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useFilters } from "../../app/use-address.ts";
import { useApi } from "../../app/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { CheckField, TextField } from "../../ui/controls/field.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type GridColumn, RowGrid } from "../../ui/display/row-grid.tsx";
import { EnvironmentBadge } from "../../ui/order-badges.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say, sayWith } from "../../ui/words/say.tsx";
import { AccountSelect, useChosenAccount } from "../accounts.tsx";
import { findShelves } from "./find-shelves.ts";
import { LotsDialog } from "./lots-dialog.tsx";
import { type Move, MoveDialog } from "./move-dialog.tsx";
import { ReturnDialog } from "./return-dialog.tsx";
import styles from "./stock-screen.module.css";

/** An account's stock, with units reserved for orders. */
export function StockScreen() {
  const [account] = useChosenAccount();
  const path = `/dashboard/stock/${account?.account_id}` as const;
  const stock = useApi(path, { enabled: account !== undefined, refetch_ms: 15_000 });
  return (
    <Page
      title={say("Stock")}
      fill
      heading={
        <span className="row">
          {say("Stock")} {account && <EnvironmentBadge environment={account.environment} />}
        </span>
      }
      about={say("Units on hand, reserved for orders, and available. Lots shows them by lot.")}
      actions={<AccountSelect />}
    >
      <Loaded query={stock} lines={10}>
        {({ shelves }) => <Shelves key={path} path={path} shelves={shelves} />}
      </Loaded>
    </Page>
  );
}

function Shelves({ path, shelves }: { path: `/dashboard/stock/${string}`; shelves: readonly DashboardShelf[] }) {
  const [{ find = "", empty }, change] = useFilters();
  const rows = useMemo(
    () => findShelves(shelves, find).filter(({ free_units }) => empty === undefined || free_units <= 0),
    [shelves, find, empty],
  );
  const field = useRef<HTMLInputElement>(null);
  const [sku, setSku] = useState<string | null>(null);
  const [moving, setMoving] = useState<{ move: Move; shelf: DashboardShelf } | null>(null);
  const cursor = Math.max(
    0,
    rows.findIndex((row) => row.sku === sku),
  );
  const goTo = (to: number) => setSku(rows[Math.max(0, Math.min(rows.length - 1, to))]?.sku ?? null);
  const [shown, setShown] = useState<DashboardShelf | null>(null);
  const [returning, setReturning] = useState(false);
  const ask = (move: Move, shelf = rows[cursor]) => shelf && setMoving({ move, shelf });
  useShortcuts([
    { keys: "j", label: say("Next product"), run: () => goTo(cursor + 1) },
    { keys: "k", label: say("Previous product"), run: () => goTo(cursor - 1) },
    { keys: "f", label: say("Find product"), run: () => field.current?.focus() },
    { keys: "r", label: say("Receive stock"), run: () => ask("receive") },
    { keys: "c", label: say("Count stock"), run: () => ask("count") },
    { keys: "l", label: say("Lots"), run: () => setShown(rows[cursor] ?? null) },
    { keys: "b", label: say("Book a returned parcel"), run: () => setReturning(true) },
  ]);
  return (
    <div className={styles["shelves"]}>
      <div className={styles["bar"]}>
        <div className={styles["find"]}>
          <TextField
            ref={field}
            label={say("Find a product")}
            unseen
            placeholder={say("Name, SKU or NDC, typed or scanned")}
            spellCheck={false}
            value={find}
            onChange={(event) => change({ find: event.target.value })}
            onKeyDown={(event) => {
              // A scanner ends with Enter. A single match opens the Receive dialog.
              if (event.key === "Enter" && rows.length === 1) ask("receive", rows[0]);
            }}
          />
        </div>
        <CheckField
          label={say("Out of stock only")}
          checked={empty !== undefined}
          onChange={(event) => change({ empty: event.target.checked ? "only" : null })}
        />
        <div className={styles["deeds"]}>
          <span className="quiet clip">{rows[cursor]?.name}</span>
          <Button tone="primary" icon="plus" keys="r" disabled={rows.length === 0} onClick={() => ask("receive")}>
            {say("Receive")}
          </Button>
          <Button icon="list" keys="c" disabled={rows.length === 0} onClick={() => ask("count")}>
            {say("Count")}
          </Button>
          <Button icon="layers" keys="l" disabled={rows.length === 0} onClick={() => setShown(rows[cursor] ?? null)}>
            {say("Lots")}
          </Button>
          <Button icon="inbox" keys="b" onClick={() => setReturning(true)}>
            {say("Returned parcel")}
          </Button>
        </div>
      </div>
      {rows.length === 0 ? (
        <Empty title={shelves.length === 0 ? say("No products yet") : say("No matching products")}>
          {shelves.length === 0
            ? sayWith("{link} to track stock.", { link: <Link to="/catalogue">{say("Import products")}</Link> })
            : say("Search by part of the name, the SKU, or the NDC with or without dashes.")}
        </Empty>
      ) : (
        <RowGrid
          label={say("Stock")}
          columns={columns}
          rows={rows}
          rowKey={(row) => row.sku}
          cursor={cursor}
          onCursor={goTo}
          onOpen={(row) => ask("receive", row)}
          more={false}
          onMore={() => {}}
          least="44rem"
        />
      )}
      {shown && <LotsDialog shelf={shown} path={path} onClose={() => setShown(null)} />}
      {returning && <ReturnDialog path={path} onClose={() => setReturning(false)} />}
      {moving && <MoveDialog {...moving} path={path} onClose={() => setMoving(null)} />}
    </div>
  );
}

const units = (value: number) => numberText(value);

const columns: GridColumn<DashboardShelf>[] = [
  { title: say("Product"), width: "minmax(10rem, 3fr)", cell: ({ name }) => <span title={name}>{name}</span> },
  { title: say("SKU"), width: "minmax(7rem, 1.5fr)", cell: ({ sku }) => <span className="mono">{sku}</span> },
  { title: say("NDC"), width: "7.5rem", cell: ({ ndc }) => <span className="mono">{ndc ?? "–"}</span> },
  { title: say("On hand"), width: "5.5rem", number: true, cell: ({ on_hand_units }) => units(on_hand_units) },
  { title: say("Reserved"), width: "5.5rem", number: true, cell: ({ reserved_units }) => units(reserved_units) },
  {
    title: say("Available"),
    width: "5.5rem",
    number: true,
    cell: ({ free_units }) => (free_units <= 0 ? <Badge tone="bad">{say("Out of stock")}</Badge> : units(free_units)),
  },
];
