import {
  COUNSELING_DAYS,
  type CounselingFill,
  type CounselingState,
  counselingOutcomes,
  counselingStateNames,
  counselingStates,
} from "@pestle/contract";
import { useState } from "react";
import { Problem } from "../../app/problem.tsx";
import { Link } from "../../app/router/router.tsx";
import { FilterBar } from "../../app/shell/filter-bar.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useFilters } from "../../app/use-address.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { Choices } from "../../ui/controls/choices.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty, Skeleton } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { EnvironmentBadge } from "../../ui/order-badges.tsx";
import { When } from "../../ui/time.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import { environmentFilter, useEnvironment, withEnvironment } from "../environment.ts";
import { orderPath } from "../order-link.ts";
import styles from "./counseling-screen.module.css";
import { RecordDialog } from "./record-dialog.tsx";
import { fillKey, useCounseling } from "./use-counseling.ts";

const EMPTY: Record<CounselingState, readonly [title: string, text: string]> = {
  to_call: [
    say("All caught up"),
    say("Prescriptions appear here when they ship into a state where an offer in the parcel is not enough."),
  ],
  offered: [say("No offers"), say("New prescriptions appear here when they ship with a written offer.")],
  done: [say("Nothing recorded"), say("Counseling that was given or refused appears here.")],
};

/** The pharmacist's call list: shipped prescriptions for which the state asks an offer of counseling. */
export function CounselingScreen() {
  const [filters, change] = useFilters();
  const show = counselingStateNames.find((one) => one === filters["show"]) ?? "to_call";
  const chosen = useEnvironment();
  const { environment } = withEnvironment(filters, chosen ?? "production");
  const { query, fills, more } = useCounseling(show, environment, chosen !== undefined);
  const [open, setOpen] = useState<CounselingFill | null>(null);
  useShortcuts([{ keys: "r", label: say("Refresh"), run: () => void query.refetch() }]);
  const [title, text] = EMPTY[show];
  return (
    <Page
      title={say("Counseling")}
      about={say("Shipped prescriptions of the last {COUNSELING_DAYS} days that need an offer of counseling.", {
        COUNSELING_DAYS,
      })}
      actions={
        <Button icon="refresh" keys="r" busy={query.isFetching} onClick={() => void query.refetch()}>
          {say("Refresh")}
        </Button>
      }
    >
      <div className={styles["bar"]}>
        <Choices<CounselingState>
          label={say("Filter prescriptions")}
          choices={counselingStateNames.map((key) => ({ key, name: sayName(counselingStates[key]) }))}
          chosen={show}
          onChoose={(key) => change({ show: key === "to_call" ? null : key })}
        />
        <FilterBar filters={[environmentFilter]} />
      </div>
      {query.error !== null && <Problem error={query.error} retry={() => void query.refetch()} />}
      {query.isPending ? (
        <Skeleton lines={8} />
      ) : (
        query.isSuccess && (
          <Card flush>
            <Table
              caption={sayName(counselingStates[show])}
              columns={columnsFor(setOpen)}
              rows={fills}
              rowKey={fillKey}
              empty={<Empty title={title}>{text}</Empty>}
            />
          </Card>
        )
      )}
      {more && (
        <div className={styles["more"]}>
          <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {say("Load more")}
          </Button>
        </div>
      )}
      {open && <RecordDialog key={fillKey(open)} fill={open} onClose={() => setOpen(null)} />}
    </Page>
  );
}

const columnsFor = (open: (fill: CounselingFill) => void): Column<CounselingFill>[] => [
  {
    title: say("Shipped"),
    cell: ({ shipped_at }) => (
      <span className={styles["whole"]}>
        <When at={shipped_at} />
      </span>
    ),
  },
  {
    title: say("Order"),
    cell: (fill) => (
      <Link to={orderPath(fill)} className={`mono ${styles["whole"]}`}>
        {fill.order_number}
      </Link>
    ),
  },
  {
    title: say("Partner"),
    cell: ({ partner, environment }) => (
      <span className="row">
        {partner} <EnvironmentBadge environment={environment} />
      </span>
    ),
  },
  { title: say("Patient"), cell: ({ patient_initials }) => patient_initials },
  { title: say("Drug"), cell: ({ drug_name }) => drug_name },
  {
    title: say("State"),
    cell: ({ ship_state, rule }) => (
      <span title={`${rule.says} (${rule.source})`}>
        {ship_state ?? say("Unknown")}{" "}
        <Badge tone={rule.by_mail === "call" ? "wait" : "neutral"}>
          {rule.by_mail === "call" ? say("Call") : say("Written offer")}
        </Badge>
      </span>
    ),
  },
  {
    title: say("Last entry"),
    cell: ({ entries: [last], state }) =>
      last === undefined ? (
        <span className="quiet">{state === "offered" ? say("Offered in the parcel") : say("None")}</span>
      ) : (
        <>
          {sayName(counselingOutcomes[last.outcome].name)}
          <span className={styles["under"]}>
            {last.who}, <When at={last.at} />
          </span>
        </>
      ),
  },
  {
    title: say("Record"),
    unseen: true,
    cell: (fill) => (
      <Button
        small
        icon="person"
        aria-label={say("Counsel {patient_initials}, {drug_name}", {
          patient_initials: fill.patient_initials,
          drug_name: fill.drug_name,
        })}
        onClick={() => open(fill)}
      >
        {say("Counsel")}
      </Button>
    ),
  },
];
