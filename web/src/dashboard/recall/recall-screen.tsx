import { type DashboardRecall, environments, type RecallRequest, type RecallRow } from "@pestle/contract";
import { type FormEvent, useRef, useState } from "react";
import { api } from "../../app/api.ts";
import { Loaded } from "../../app/loaded.tsx";
import { Problem } from "../../app/problem.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useFilters } from "../../app/use-address.ts";
import { useApi } from "../../app/use-api.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { SelectField, TextField } from "../../ui/controls/field.tsx";
import { counted } from "../../ui/counted.ts";
import { Card } from "../../ui/display/card.tsx";
import { Empty, Notice } from "../../ui/display/notice.tsx";
import { Table } from "../../ui/display/table.tsx";
import { TileBody, tileClass, tilesClass } from "../../ui/display/tile.tsx";
import { When } from "../../ui/time.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say, sayWith } from "../../ui/words/say.tsx";
import { reviewers } from "../roles.ts";
import { recallColumns } from "./recall-columns.tsx";
import styles from "./recall-screen.module.css";
import { RecallShelves } from "./recall-shelves.tsx";
import { orderKey, recallTotals } from "./recall-totals.ts";
import { RecallWork } from "./recall-work.tsx";
import { saveContacts } from "./save-contacts.ts";

/** Finds every package of a lot: orders to stop and patients to call. */
export function RecallScreen() {
  const [filters, change] = useFilters();
  const { lot = "", sku = "", environment = "" } = filters;
  const [given, setGiven] = useState({ lot, sku, environment });
  const field = useRef<HTMLInputElement>(null);
  useShortcuts([{ keys: "f", label: say("Search by lot"), run: () => field.current?.focus() }]);
  const search = (event: FormEvent) => {
    event.preventDefault();
    change({ lot: given.lot.trim(), sku: given.sku.trim(), environment: given.environment });
  };
  const asked: RecallRequest = {
    lot,
    ...(sku !== "" && { sku }),
    ...(environment !== "" && { environment: environment as NonNullable<RecallRequest["environment"]> }),
  };
  return (
    <Page title={say("Recall")} about={say("Find every shipped or open order with a given lot, across all partners.")}>
      <form className={styles["search"]} onSubmit={search}>
        <TextField
          ref={field}
          label={say("Lot")}
          required
          autoFocus={lot === ""}
          maxLength={40}
          spellCheck={false}
          value={given.lot}
          onChange={(event) => setGiven({ ...given, lot: event.target.value })}
        />
        <TextField
          label={say("SKU (optional)")}
          maxLength={100}
          spellCheck={false}
          value={given.sku}
          onChange={(event) => setGiven({ ...given, sku: event.target.value })}
        />
        <SelectField
          label={say("Environment")}
          options={[
            ["", say("Both")],
            ...environments.map((one) => [one, one === "sandbox" ? say("Sandbox") : say("Production")] as const),
          ]}
          value={given.environment}
          onChange={(event) => setGiven({ ...given, environment: event.target.value })}
        />
        <Button tone="primary" type="submit" icon="search">
          {say("Search")}
        </Button>
      </form>
      {lot === "" ? (
        <Card>
          <Empty title={say("Enter a lot number")}>
            {say("It is printed on the package next to the expiration date. The audit log records each search.")}
          </Empty>
        </Card>
      ) : (
        <Found key={JSON.stringify(asked)} asked={asked} />
      )}
    </Page>
  );
}

function Found({ asked }: { asked: RecallRequest }) {
  const { role } = useSignedIn();
  const search = new URLSearchParams(Object.entries(asked)).toString();
  const found = useApi(`/dashboard/recall?${search}`, { written_down: true });
  const [revealed, setRevealed] = useState<RecallRow[] | null>(null);
  const reveal = useChange(() => api("/dashboard/recall/reveal", { method: "POST", body: asked }), {
    after: ({ packages }) => setRevealed(packages),
  });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string) => {
    const next = new Set(chosen);
    if (!next.delete(key)) next.add(key);
    setChosen(next);
  };
  const again = async () => {
    const { data } = await found.refetch();
    // The contacts stay; the progress is new.
    const fresh = new Map(data?.packages.map((row) => [packageKey(row), row]));
    setRevealed((rows) => (rows === null ? null : rows.map((row) => ({ ...row, ...fresh.get(packageKey(row)) }))));
  };
  const may = reviewers.includes(role);
  useShortcuts(
    may ? [{ keys: "v", label: say("Reveal contacts"), run: () => revealed === null && void reveal.run() }] : [],
  );
  return (
    <Loaded query={found} lines={8}>
      {(recall) => {
        const { packages, quarantines, shelves } = recall;
        const rows = revealed ?? packages;
        if (rows.length === 0) {
          return (
            <>
              <Card>
                {shelves.length > 0 ? (
                  <Empty title={say("No package of this lot was dispensed")} />
                ) : (
                  <Empty title={say("No packages of this lot")}>
                    {say("Lot numbers must match exactly. Check how the lot was entered at the fill station.")}
                  </Empty>
                )}
                <Quarantined quarantines={quarantines} />
                <RecallWork
                  asked={asked}
                  found={recall}
                  chosen={chosen}
                  onChoose={setChosen}
                  onDone={() => void again()}
                />
              </Card>
              <RecallShelves shelves={shelves} />
            </>
          );
        }
        return (
          <>
            <Totals rows={rows} />
            <Quarantined quarantines={quarantines} />
            <RecallWork asked={asked} found={recall} chosen={chosen} onChoose={setChosen} onDone={() => void again()} />
            <RecallShelves shelves={shelves} />
            <Card
              title={say("Lot {lot}", { lot: asked.lot })}
              flush
              actions={
                <span className={styles["work"]}>
                  {revealed === null && may && (
                    <Button small icon="eye" keys="v" busy={reveal.busy} onClick={() => void reveal.run()}>
                      {say("Reveal contacts")}
                    </Button>
                  )}
                  <Button small icon="download" onClick={() => saveContacts(asked.lot, rows)}>
                    {revealed === null ? say("Report (CSV)") : say("Call list (CSV)")}
                  </Button>
                  <Button small icon="print" onClick={() => window.print()}>
                    {say("Print")}
                  </Button>
                </span>
              }
            >
              {reveal.error !== null && <Problem error={reveal.error} />}
              <Table
                caption={say("Packages of lot {lot}", { lot: asked.lot })}
                columns={recallColumns(revealed !== null, chosen, toggle)}
                rows={rows}
                rowKey={packageKey}
              />
            </Card>
            {may && revealed === null && (
              <p className="small quiet">{say("The audit log records each reveal of names and phone numbers.")}</p>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

const packageKey = (row: RecallRow) => `${orderKey(row)} ${row.sku}`;

type Quarantine = DashboardRecall["quarantines"][number];

function Quarantined({ quarantines }: { quarantines: readonly Quarantine[] }) {
  const [first] = quarantines;
  if (first === undefined) return null;
  return (
    <Notice tone="wait" title={say("This lot is in quarantine.")}>
      {sayWith("Since {when}, by {name}.", {
        when: <When at={first.quarantined_at} />,
        name: first.quarantined_by,
      })}{" "}
      {refusalText(first, quarantines.length > 1)}
    </Notice>
  );
}

function refusalText({ sku, environment }: Quarantine, everywhere: boolean): string {
  if (everywhere)
    return sku === ""
      ? say("Pestle refuses to fill, check or ship its packages.")
      : say("Pestle refuses to fill, check or ship its packages of {sku}.", { sku });
  if (environment === "sandbox")
    return sku === ""
      ? say("Pestle refuses to fill, check or ship its packages in the sandbox.")
      : say("Pestle refuses to fill, check or ship its packages of {sku} in the sandbox.", { sku });
  return sku === ""
    ? say("Pestle refuses to fill, check or ship its packages in production.")
    : say("Pestle refuses to fill, check or ship its packages of {sku} in production.", { sku });
}

function Totals({ rows }: { rows: readonly RecallRow[] }) {
  const { people, units, orders, inside, to_stop, told } = recallTotals(rows);
  return (
    <>
      <div className={tilesClass}>
        <div className={tileClass}>
          <TileBody label={say("Patients")} value={numberText(people)} />
        </div>
        <div className={tileClass}>
          <TileBody label={say("Packages")} value={numberText(rows.length)} about={counted(units, "unit")} />
        </div>
        <div className={tileClass}>
          <TileBody
            label={say("Orders stopped")}
            value={say("{part} of {whole}", { part: inside - to_stop, whole: inside })}
            about={inside === 0 ? say("All have shipped") : say("On hold, of those not shipped")}
            tone={to_stop > 0 ? "bad" : undefined}
          />
        </div>
        <div className={tileClass}>
          <TileBody
            label={say("Partners told")}
            value={say("{part} of {whole}", { part: told, whole: orders })}
            about={say("By order")}
          />
        </div>
      </div>
      {to_stop > 0 && (
        <Notice tone="bad" title={say("Stop these orders first.")}>
          {to_stop === 1
            ? say("1 order has not shipped. Hold or cancel it.")
            : say("{count} orders have not shipped. Hold or cancel them.", { count: numberText(to_stop) })}
        </Notice>
      )}
    </>
  );
}
