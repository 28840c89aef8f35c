import { type DashboardTargets, type QueueKey, queueKeys, queues } from "@pestle/contract";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { Loaded } from "../../app/loaded.tsx";
import { Problem } from "../../app/problem.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useApi } from "../../app/use-api.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Age, ageText } from "../../ui/time.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say, sayName } from "../../ui/words/say.tsx";
import { useHome } from "../live-home.tsx";
import { leads } from "../roles.ts";
import styles from "./targets-screen.module.css";

type Targets = DashboardTargets["targets"];
const PATH = "/dashboard/targets";
const MINUTE_MS = 60_000;

/** Time limits per queue, after which an order is late. */
export function TargetsScreen() {
  const targets = useApi(PATH);
  return (
    <Page
      title={say("Targets")}
      about={say("How long an order can stay in a queue before it is late. Late orders show in red.")}
    >
      <Loaded query={targets}>{({ targets: now }) => <TargetForm key={JSON.stringify(now)} now={now} />}</Loaded>
    </Page>
  );
}

/** Form input. Both fields are empty if orders are never late. */
type Typed = Record<QueueKey, { hours: string; minutes: string }>;

function typedOf(targets: Targets): Typed {
  const typed = (minutes: number | null) =>
    minutes === null
      ? { hours: "", minutes: "" }
      : { hours: String(Math.floor(minutes / 60)), minutes: String(minutes % 60) };
  return Object.fromEntries(queueKeys.map((key) => [key, typed(targets[key])])) as Typed;
}

function minutesOf({ hours, minutes }: Typed[QueueKey]): number | null {
  return hours === "" && minutes === "" ? null : Number(hours) * 60 + Number(minutes);
}

function TargetForm({ now }: { now: Targets }) {
  const may = leads.includes(useSignedIn().role);
  const { data: home } = useHome();
  const [typed, setTyped] = useState(() => typedOf(now));
  const next = Object.fromEntries(queueKeys.map((key) => [key, minutesOf(typed[key])])) as Targets;
  const changed = queueKeys.filter((key) => next[key] !== now[key]);
  const save = useChange(
    () => {
      const targets = Object.fromEntries(changed.map((key) => [key, next[key]]));
      return api(PATH, { method: "PUT", body: { targets } });
    },
    { done: say("Targets saved."), reads: [PATH, "/dashboard/home", "/dashboard/orders"] },
  );
  useShortcuts(may ? [{ keys: "mod+s", label: say("Save targets"), run: () => void save.run() }] : []);
  const part = (key: QueueKey, name: "hours" | "minutes", label: string) => (
    <label>
      <input
        type="number"
        inputMode="numeric"
        min={0}
        max={name === "minutes" ? 59 : 8760}
        step={1}
        readOnly={!may}
        aria-label={`${sayName(queues[key].name)}: ${name === "hours" ? say("hours") : say("minutes")}`}
        value={typed[key][name]}
        onChange={(event) => setTyped({ ...typed, [key]: { ...typed[key], [name]: event.target.value } })}
      />
      <span aria-hidden="true">{label}</span>
    </label>
  );
  const columns: Column<QueueKey>[] = [
    { title: say("Queue"), cell: (key) => <span className={styles["name"]}>{sayName(queues[key].name)}</span> },
    {
      title: say("Late after"),
      cell: (key) => (
        <span className={styles["target"]}>
          {part(key, "hours", "h")}
          {part(key, "minutes", "min")}
          {next[key] === null && <span className="quiet">{say("never late")}</span>}
          {changed.includes(key) && (
            <span className={styles["changed"]}>
              {say("was {target}", { target: now[key] === null ? say("never late") : ageText(now[key] * MINUTE_MS) })}
            </span>
          )}
        </span>
      ),
    },
    {
      title: say("Waiting"),
      number: true,
      cell: (key) => {
        const count = tileOf(key)?.count;
        return <span className={styles["figure"]}>{count === undefined ? "–" : numberText(count)}</span>;
      },
    },
    {
      title: say("Oldest"),
      number: true,
      cell: (key) => {
        const oldest_at = tileOf(key)?.oldest_at;
        return <span className={styles["figure"]}>{oldest_at ? <Age since={oldest_at} /> : "–"}</span>;
      },
    },
    {
      title: say("Late now"),
      number: true,
      cell: (key) => {
        const late = tileOf(key)?.late ?? 0;
        return <span className={late > 0 ? styles["late"] : styles["figure"]}>{numberText(late)}</span>;
      },
    },
  ];
  function tileOf(key: QueueKey) {
    return home?.queues.find((tile) => tile.key === key);
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      <Card flush>
        <Table caption={say("Targets")} columns={columns} rows={queueKeys} rowKey={(key) => key} />
      </Card>
      {save.error !== null && <Problem error={save.error} />}
      {may ? (
        <div className="row">
          <Button tone="primary" type="submit" keys="mod+s" busy={save.busy} disabled={changed.length === 0}>
            {say("Save")}
          </Button>
          {changed.length > 0 && <Button onClick={() => setTyped(typedOf(now))}>{say("Undo")}</Button>}
          <span className="quiet">{say("Leave both fields empty for no target.")}</span>
        </div>
      ) : (
        <p className="quiet">{say("Only a lead or admin can change targets.")}</p>
      )}
    </form>
  );
}
