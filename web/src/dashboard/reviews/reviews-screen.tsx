import type { DashboardReview } from "@pestle/contract";
import { useEffect, useState } from "react";
import { addressOf } from "../../app/api.ts";
import { Loaded } from "../../app/loaded.tsx";
import { useNavigate } from "../../app/router/router.tsx";
import { FilterBar } from "../../app/shell/filter-bar.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useFilters } from "../../app/use-address.ts";
import { useApi } from "../../app/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { CodeText } from "../../ui/code-text.tsx";
import { Choices } from "../../ui/controls/choices.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type GridColumn, RowGrid } from "../../ui/display/row-grid.tsx";
import { EnvironmentBadge } from "../../ui/order-badges.tsx";
import { Age, When } from "../../ui/time.tsx";
import { say } from "../../ui/words/say.tsx";
import { environmentFilter, useEnvironment, withEnvironment } from "../environment.ts";
import { useHome } from "../live-home.tsx";
import { reviewPath } from "../review-link.ts";
import { divisions, inDivision, kindOf } from "./review-kinds.ts";
import { setReviewList } from "./review-list.ts";
import styles from "./reviews-screen.module.css";

/** Prescriptions and messages that need a pharmacist's decision. */
export function ReviewsScreen() {
  const [filters, change] = useFilters();
  const { show = "all" } = filters;
  const chosen = useEnvironment();
  const { environment } = withEnvironment(filters, chosen ?? "production");
  const closed = show === "closed";
  const asked = { ...(closed && { all: "true" }), ...(environment && { environment }) };
  const query = useApi(addressOf("/dashboard/reviews", asked), {
    enabled: chosen !== undefined,
  });
  const changed_ms = useHome().dataUpdatedAt;
  const { refetch } = query;
  // biome-ignore lint/correctness/useExhaustiveDependencies: refetch when the home page's counts change
  useEffect(() => {
    if (chosen !== undefined) void refetch();
  }, [changed_ms, refetch]);

  const all = query.data?.reviews ?? [];
  const division = divisions.find(({ key }) => key === show) ?? divisions[0];
  const rows = closed
    ? all.filter(({ resolved_at }) => resolved_at !== null)
    : all.filter((row) => inDivision(division.kinds, row));
  const counted = ({ key, name, kinds }: (typeof divisions)[number]) => ({
    key,
    name,
    count: closed || !query.data ? undefined : all.filter((row) => inDivision(kinds, row)).length,
  });
  return (
    <Page title={say("Reviews")} fill about={say("Prescriptions and messages that need a decision.")}>
      <div className={styles["bar"]}>
        <Choices<string>
          label={say("Filter reviews")}
          choices={[...divisions.map(counted), { key: "closed", name: say("Closed") }]}
          chosen={show}
          onChoose={(key) => change({ show: key })}
        />
        <FilterBar filters={[environmentFilter]} />
      </div>
      <Loaded query={query} lines={10}>
        {() =>
          rows.length === 0 ? (
            <div className={styles["nothing"]}>
              <Empty title={closed ? say("No closed reviews") : say("All caught up")}>
                {closed
                  ? say("Closed reviews appear here with the decision and who made it.")
                  : say("Possible duplicates, failed messages and prescriptions to accept appear here.")}
              </Empty>
            </div>
          ) : (
            <>
              {query.data?.more && (
                <p className="quiet">{say("Older reviews are not shown. Filter by environment to see more.")}</p>
              )}
              <Entries rows={rows} closed={closed} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function Entries({ rows, closed }: { rows: readonly DashboardReview[]; closed: boolean }) {
  const navigate = useNavigate();
  const [key, setKey] = useState<string | null>(null);
  const cursor = Math.max(
    0,
    rows.findIndex((row) => reviewPath(row) === key),
  );
  const goTo = (to: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, to))];
    if (row) setKey(reviewPath(row));
  };
  const open = (row: DashboardReview | undefined) => {
    if (row === undefined) return;
    setReviewList({ back: `/reviews${location.search}`, entries: rows });
    void navigate({ to: reviewPath(row) });
  };
  useShortcuts([
    { keys: "j", label: say("Next review"), run: () => goTo(cursor + 1) },
    { keys: "k", label: say("Previous review"), run: () => goTo(cursor - 1) },
    { keys: "Enter", label: say("Open review"), run: () => open(rows[cursor]) },
  ]);
  return (
    <RowGrid
      label={closed ? say("Closed reviews") : say("Open reviews")}
      columns={closed ? closedColumns : openColumns}
      rows={rows}
      rowKey={reviewPath}
      cursor={cursor}
      onCursor={goTo}
      onOpen={open}
      more={false}
      onMore={() => {}}
      least="46rem"
    />
  );
}

const columns: GridColumn<DashboardReview>[] = [
  {
    title: say("Type"),
    width: "11.5rem",
    cell: ({ kind }) => <Badge tone={kindOf(kind).tone}>{kindOf(kind).name}</Badge>,
  },
  {
    title: say("Reason"),
    width: "minmax(14rem, 3fr)",
    cell: ({ says, reasons }) => {
      const why = reasons.length === 0 ? says : reasons.map(({ sentence }) => sentence).join(" ");
      return (
        <span title={why.replaceAll("`", "")}>
          <CodeText text={why} />
        </span>
      );
    },
  },
  {
    title: say("Partner"),
    width: "minmax(12rem, 1fr)",
    cell: ({ partner, environment }) => (
      <>
        <EnvironmentBadge environment={environment} /> {partner ?? say("Unknown")}
      </>
    ),
  },
];

const openColumns: GridColumn<DashboardReview>[] = [
  ...columns,
  { title: say("Waiting"), width: "6rem", number: true, cell: ({ created_at }) => <Age since={created_at} /> },
];

const closedColumns: GridColumn<DashboardReview>[] = [
  ...columns,
  {
    title: say("Outcome"),
    width: "minmax(9rem, 2fr)",
    cell: ({ outcome }) => <span title={outcome ?? ""}>{outcome}</span>,
  },
  { title: say("Closed by"), width: "minmax(6rem, 1fr)", cell: ({ resolved_by }) => resolved_by ?? "Pestle" },
  {
    title: say("Closed"),
    width: "8rem",
    number: true,
    cell: ({ resolved_at }) => resolved_at && <When at={resolved_at} />,
  },
];
