import type { ExceptionGroup } from "@pestle/contract";
import { useEffect } from "react";
import { addressOf } from "../../app/api.ts";
import { Loaded } from "../../app/loaded.tsx";
import { Link } from "../../app/router/router.tsx";
import { FilterBar } from "../../app/shell/filter-bar.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useFilters } from "../../app/use-address.ts";
import { useApi } from "../../app/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { Age } from "../../ui/time.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say, sayName } from "../../ui/words/say.tsx";
import { accountName, useAccounts } from "../accounts.tsx";
import { environmentFilter, useEnvironment, withEnvironment } from "../environment.ts";
import { useHome } from "../live-home.tsx";
import styles from "./exceptions-screen.module.css";
import { GroupDetail } from "./group-detail.tsx";
import { whoActs } from "./who-acts.ts";

/** Held orders grouped by exception: who must act, what they can do, and bulk resolution. */
export function ExceptionsScreen() {
  const [filters, change] = useFilters();
  const accounts = useAccounts();
  const environment = useEnvironment();
  const narrowed = Object.entries(withEnvironment(filters, environment ?? "production")).filter(
    ([name]) => name === "environment" || name === "account_id",
  );
  const held = useApi(addressOf("/dashboard/exceptions", Object.fromEntries(narrowed)), {
    enabled: environment !== undefined,
  });
  const changed_ms = useHome().dataUpdatedAt;
  const { refetch } = held;
  // biome-ignore lint/correctness/useExhaustiveDependencies: refetch when the home page's counts change
  useEffect(() => {
    if (environment !== undefined) void refetch();
  }, [changed_ms, refetch]);

  const groups = bySide(held.data?.groups ?? []);
  const open = groups.find(({ exception_id }) => String(exception_id) === filters["exception_id"]) ?? groups[0];
  const at = open ? groups.indexOf(open) : -1;
  const choose = (group: ExceptionGroup | undefined) => group && change({ exception_id: String(group.exception_id) });
  useShortcuts([
    { keys: "]", label: say("Next exception"), run: () => choose(groups[at + 1]) },
    { keys: "[", label: say("Previous exception"), run: () => choose(groups[at - 1]) },
  ]);
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  return (
    <Page
      title={say("Exceptions")}
      fill
      about={
        held.data && (total === 0 ? say("No orders on hold.") : say("{total} open.", { total: numberText(total) }))
      }
      actions={<Link to="/queue/on_hold">{say("All orders on hold")}</Link>}
    >
      <FilterBar
        filters={[
          environmentFilter,
          {
            name: "account_id",
            label: say("Account"),
            options: accounts.map((one) => [one.account_id, accountName(one)] as const),
          },
        ]}
      />
      <Loaded query={held} lines={10}>
        {() =>
          open === undefined ? (
            <div className={styles["nothing"]}>
              <Empty title={say("No orders on hold")}>
                {say("When an exception holds an order, it appears here.")}
              </Empty>
            </div>
          ) : (
            <div className={styles["bench"]}>
              <Groups groups={groups} open={open} onChoose={choose} />
              <GroupDetail key={open.exception_id} group={open} narrowed={Object.fromEntries(narrowed)} />
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

function Groups({
  groups,
  open,
  onChoose,
}: {
  groups: readonly ExceptionGroup[];
  open: ExceptionGroup;
  onChoose: (group: ExceptionGroup) => void;
}) {
  return (
    <nav aria-label={say("Exceptions")} className={styles["groups"]}>
      {sides.map(({ title, isMeant }) => {
        const meant = groups.filter(isMeant);
        return (
          meant.length > 0 && (
            <section key={title} aria-label={title}>
              <h2>
                {title}
                <span>{numberText(meant.reduce((sum, { count }) => sum + count, 0))}</span>
              </h2>
              <GroupList groups={meant} open={open} onChoose={onChoose} />
            </section>
          )
        );
      })}
    </nav>
  );
}

/** In the order of the list, so that the keys walk down the screen. */
const sides: readonly { title: string; isMeant: (group: ExceptionGroup) => boolean }[] = [
  { title: say("Needs you"), isMeant: ({ who_acts }) => who_acts !== "partner" },
  { title: say("Waiting for partner"), isMeant: ({ who_acts }) => who_acts === "partner" },
];
const bySide = (groups: readonly ExceptionGroup[]) => sides.flatMap(({ isMeant }) => groups.filter(isMeant));

function GroupList({ groups, open, onChoose }: Parameters<typeof Groups>[0]) {
  return (
    <ul>
      {groups.map((group) => (
        <li key={group.exception_id}>
          <button type="button" aria-current={group === open || undefined} onClick={() => onChoose(group)}>
            <span className={styles["name"]}>{sayName(group.name)}</span>
            <span className={styles["count"]}>
              {numberText(group.count)}
              <span className="unseen"> {group.count === 1 ? say("order") : say("orders")}</span>
            </span>
            <Badge tone={whoActs[group.who_acts].tone}>{whoActs[group.who_acts].short}</Badge>
            <span className={styles["age"]}>
              <Age since={group.oldest_at} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
