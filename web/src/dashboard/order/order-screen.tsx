import type { DashboardOrder } from "@pestle/contract";
import { useState } from "react";
import { sendHeldStep, useHeldStep } from "../../app/held-step.ts";
import { Loaded } from "../../app/loaded.tsx";
import { Link, useNavigate } from "../../app/router/router.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useParam } from "../../app/use-address.ts";
import { IconButton } from "../../ui/controls/button.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import { Icon } from "../../ui/icon.tsx";
import { EnvironmentBadge, StatusBadge } from "../../ui/order-badges.tsx";
import { Age, When } from "../../ui/time.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import { orderPath } from "../order-link.ts";
import { placeInWorkList } from "../work-list.ts";
import { CheckCard } from "./check-card.tsx";
import { ClinicalCard } from "./clinical/clinical-card.tsx";
import { DocumentsCard } from "./documents-card.tsx";
import { ExceptionsCard } from "./exceptions-card.tsx";
import { FillCard } from "./fill-card.tsx";
import { LinesCard } from "./lines-card.tsx";
import { MessagesCard } from "./messages-card.tsx";
import { OrderActions } from "./order-actions.tsx";
import styles from "./order-screen.module.css";
import { PatientCard } from "./patient-card.tsx";
import { PaymentsCard } from "./payments-card.tsx";
import { PrescriberCard } from "./prescriber-card.tsx";
import { ShipmentsCard } from "./shipments-card.tsx";
import { ChangedNotice } from "./step/changed-notice.tsx";
import { PackCard } from "./step/pack-card.tsx";
import { TimelineCard } from "./timeline-card.tsx";
import { useOrder, useWork } from "./use-order.ts";
import { WorkProblem } from "./work-problem.tsx";

/** One order with all its details and available actions. */
export function OrderScreen() {
  const place = { account_id: useParam("account_id"), order_number: useParam("order_number") };
  const query = useOrder(place);
  return (
    <Loaded query={query} lines={12}>
      {(page) => <OrderPage key={orderPath(place)} page={page} again={() => void query.refetch()} />}
    </Loaded>
  );
}

function OrderPage({ page, again }: { page: DashboardOrder; again: () => void }) {
  const { order, account_id, environment, partner } = page;
  const { order_number } = order;
  const work = useWork(page);
  const own = orderPath({ account_id, order_number });
  const held = useHeldStep()?.page === own;
  const [opened] = useState(page.revision);
  const fresh = () => {
    work.forget();
    again();
  };
  const lookAgain = () => {
    // The answer to the step is the new page.
    if (held) return void sendHeldStep();
    fresh();
  };
  return (
    <Page
      title={say("Order {order_number}", { order_number })}
      recent="pack"
      heading={
        <span className={styles["title"]}>
          <span className="mono">{order_number}</span>
          <StatusBadge status={order.order_status} stage={page.state.includes("/") ? stageOf(page) : null} />
          <EnvironmentBadge environment={environment} />
        </span>
      }
      about={<About page={page} />}
      actions={<InList account_id={account_id} order_number={order_number} again={lookAgain} />}
    >
      {environment === "sandbox" && (
        <Notice tone="sandbox">
          {say("Sandbox order from {partner}. There is no real patient. Do not ship anything.", { partner })}
        </Notice>
      )}
      <ChangedNotice page={page} busy={work.busy && !held} again={fresh} />
      <OrderActions page={page} work={work} />
      <WorkProblem work={work} again={lookAgain} />
      <div className={styles["columns"]}>
        <div className="stack">
          <ExceptionsCard page={page} work={work} />
          {/* What the user typed stays as it is until it is sent. */}
          <div className={styles["steps"]} inert={held}>
            {/* Reset the forms when the order changes. Every package must be scanned again. */}
            <FillCard key={`fill ${page.revision}`} page={page} work={work} opened={opened === page.revision} />
            <CheckCard key={`check ${page.revision}`} page={page} work={work} />
            <PackCard page={page} work={work} />
          </div>
          <ClinicalCard key={`clinical ${page.revision}`} page={page} />
          <LinesCard lines={page.lines} />
          <MessagesCard page={page} />
          <PrescriberCard page={page} />
        </div>
        <div className={`stack ${styles["side"]}`}>
          <PatientCard page={page} work={work} />
          <DocumentsCard page={page} />
          <ShipmentsCard page={page} work={work} />
          <PaymentsCard page={page} work={work} />
        </div>
        <TimelineCard entries={page.timeline} />
      </div>
    </Page>
  );
}

const stageOf = ({ state }: DashboardOrder) =>
  (state.split("/")[1] as Parameters<typeof StatusBadge>[0]["stage"]) ?? null;

function About({ page: { order, partner, brand, stage_since, late, claim } }: { page: DashboardOrder }) {
  return (
    <span className={styles["about"]}>
      <span>
        {partner}
        {brand && `, ${brand}`}
      </span>
      <span>{sayWith("Placed {when}", { when: <When at={order.created_at} /> })}</span>
      <span className={late ? styles["late"] : undefined}>
        {late
          ? sayWith("In this stage for {age}, late", { age: <Age since={stage_since} /> })
          : sayWith("In this stage for {age}", { age: <Age since={stage_since} /> })}
      </span>
      {order.reference && <span>{say("Reference {reference}", { reference: order.reference })}</span>}
      {claim && (
        <span>
          {claim.mine
            ? sayWith("Claimed by you until {when}", { when: <When at={claim.until} /> })
            : sayWith("Claimed by {name} until {when}", { name: claim.name, when: <When at={claim.until} /> })}
        </span>
      )}
    </span>
  );
}

/** Navigation within the work list. */
function InList({ account_id, order_number, again }: { account_id: string; order_number: string; again: () => void }) {
  const navigate = useNavigate();
  const list = placeInWorkList({ account_id, order_number });
  const go = (to: { account_id: string; order_number: string } | undefined) =>
    to && void navigate({ to: orderPath(to) });
  const back = () => void navigate({ to: list?.back ?? "/orders" });
  useShortcuts([
    { keys: "]", label: say("Next order in list"), run: () => go(list?.next) },
    { keys: "[", label: say("Previous order"), run: () => go(list?.previous) },
    {
      keys: "Escape",
      label: list ? say("Back to {title}", { title: list.title }) : say("Back to all orders"),
      run: back,
    },
    { keys: "r", label: say("Refresh"), run: again },
  ]);
  return (
    <>
      {list && (
        <span className={styles["list"]}>
          <Link to={list.back}>
            <Icon name="list" /> {list.title}
          </Link>
          <span className="quiet">{say("{at} of {count}", { at: list.at + 1, count: list.length })}</span>
          <IconButton
            label={say("Previous order: [")}
            icon="left"
            disabled={!list.previous}
            onClick={() => go(list.previous)}
          />
          <IconButton
            label={say("Next order in list: ]")}
            icon="right"
            disabled={!list.next}
            onClick={() => go(list.next)}
          />
        </span>
      )}
      <IconButton label={say("Refresh: r")} icon="refresh" onClick={again} />
    </>
  );
}
