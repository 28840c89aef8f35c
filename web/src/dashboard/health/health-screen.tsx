import type { DashboardHealth } from "@pestle/contract";
import { Loaded } from "../../app/loaded.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useApi } from "../../app/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { CodeText } from "../../ui/code-text.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Age, When } from "../../ui/time.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say, sayWith } from "../../ui/words/say.tsx";
import { HEALTH_REFRESH_MS, HealthTiles, isStuck, safetyIn, states } from "../health-tiles.tsx";

type Finding = DashboardHealth["findings"][number];
type Lag = DashboardHealth["lags"][number];

const order = ["failed", "warning", "ok"] as const;

/** Service health: the findings of `pestle doctor` and overdue jobs. */
export function HealthScreen() {
  const health = useApi("/dashboard/health", { refetch_ms: HEALTH_REFRESH_MS });
  useShortcuts([{ keys: "r", label: say("Refresh"), run: () => void health.refetch() }]);
  return (
    <Page
      title={say("System health")}
      about={sayWith("The same checks as {code}.", { code: <code>pestle doctor</code> })}
      actions={
        <Button icon="refresh" keys="r" busy={health.isFetching} onClick={() => void health.refetch()}>
          {say("Refresh")}
        </Button>
      }
    >
      <Loaded query={health} lines={8}>
        {(data) => <Health health={data} read_at={new Date(health.dataUpdatedAt).toISOString()} />}
      </Loaded>
    </Page>
  );
}

function Health({ health, read_at }: { health: DashboardHealth; read_at: string }) {
  const { findings, lags } = health;
  const safety = safetyIn(health);
  const sorted = findings.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  return (
    <>
      <HealthTiles health={health} />
      {safety?.state === "failed" && (
        <Notice tone="bad" title={say("The safety engine failed its self-check. Orders are on hold.")}>
          {safety.says}
        </Notice>
      )}
      <Card
        title={say("Findings")}
        flush
        actions={
          <span className="quiet small">{sayWith("Checked at {when}", { when: <When at={read_at} seconds /> })}</span>
        }
      >
        <Table caption={say("Findings")} columns={findingColumns} rows={sorted} rowKey={({ what }) => what} />
      </Card>
      <Card title={say("Job backlog")} flush>
        <Table caption={say("Job backlog")} columns={lagColumns} rows={lags} rowKey={({ what }) => what} />
      </Card>
    </>
  );
}

const findingColumns: Column<Finding>[] = [
  { title: say("Check"), cell: ({ what }) => capital(what) },
  { title: say("State"), cell: ({ state }) => <Badge tone={states[state].tone}>{states[state].name}</Badge> },
  { title: say("Details"), cell: ({ says }) => <CodeText text={capital(says).replaceAll(SETTING, "`$&`")} /> },
];

const lagColumns: Column<Lag>[] = [
  { title: say("Job"), cell: ({ what }) => capital(what) },
  { title: say("Waiting"), number: true, cell: ({ waiting }) => numberText(waiting) },
  {
    title: say("Overdue"),
    number: true,
    cell: (lag) => (lag.oldest_at === null ? "–" : <Age since={lag.oldest_at} />),
  },
  {
    title: say("State"),
    cell: (lag) =>
      isStuck(lag) ? <Badge tone="bad">{say("Behind")}</Badge> : <Badge tone="good">{say("On time")}</Badge>,
  },
];

/** A setting or a role of the database. */
const SETTING = /\w+_\w+/g;
/** Leaves the names of files, folders and roles unchanged. */
const capital = (text: string) => (/^\S*[./_]/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1));
