import type { DashboardReviewPage, ReviewClosed } from "@pestle/contract";
import { Loaded } from "../../app/loaded.tsx";
import { Link, useNavigate } from "../../app/router/router.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useParam } from "../../app/use-address.ts";
import { useApi } from "../../app/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { CodeText } from "../../ui/code-text.tsx";
import { IconButton } from "../../ui/controls/button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { toast } from "../../ui/display/toast.tsx";
import { Icon } from "../../ui/icon.tsx";
import { EnvironmentBadge } from "../../ui/order-badges.tsx";
import { Age } from "../../ui/time.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import { orderPath } from "../order-link.ts";
import { reviewPath } from "../review-link.ts";
import { DecisionCard } from "./decision-card.tsx";
import { MessageCard } from "./message-card.tsx";
import { PeopleCard } from "./people-card.tsx";
import { PrescriptionCard } from "./prescription-card.tsx";
import { kindOf } from "./review-kinds.ts";
import { leaveReviewList, placeInReviewList } from "./review-list.ts";
import styles from "./reviews-screen.module.css";

/** One review: the question, the evidence and the decision. */
export function ReviewScreen() {
  const account_id = useParam("account_id");
  const review_id = useParam("review_id");
  const path = `/dashboard/reviews/${encodeURIComponent(account_id)}/${encodeURIComponent(review_id)}` as const;
  const query = useApi(path, { written_down: true });
  return (
    <Loaded query={query} lines={10}>
      {(page) => <Review key={path} page={page} path={path} again={() => void query.refetch()} />}
    </Loaded>
  );
}

function Review({
  page,
  path,
  again,
}: {
  page: DashboardReviewPage;
  path: `/dashboard/reviews/${string}/${string}`;
  again: () => void;
}) {
  const { review, prescription, patients, has_message } = page;
  const { partner, environment, says, created_at, reasons, facts } = review;
  const { name, tone } = kindOf(review.kind);
  const navigate = useNavigate();
  const list = placeInReviewList(review);
  const go = (to: typeof list.next) => to && void navigate({ to: reviewPath(to) });
  useShortcuts([
    { keys: "]", label: say("Next review"), run: () => go(list.next) },
    { keys: "[", label: say("Previous review"), run: () => go(list.previous) },
    { keys: "Escape", label: say("Back to reviews"), run: () => void navigate({ to: list.back }) },
  ]);
  const closed = (answer: ReviewClosed, said: string) => {
    toast(answer.order_due_at ? `${said} ${say("Pestle will create an order.")}` : said);
    if (answer.order_number) {
      leaveReviewList(review);
      void navigate({ to: orderPath({ ...review, order_number: answer.order_number }) });
      return;
    }
    leaveReviewList(review);
    void navigate({ to: list.next ? reviewPath(list.next) : list.back });
  };
  const ndc_drug = facts["ndc_drug"] as string | undefined;
  const order_numbers = (facts["order_numbers"] ?? []) as string[];
  return (
    <Page
      title={`${name} #${review.review_id}`}
      recent="inbox"
      heading={
        <span className="row">
          {name} <Badge tone={tone}>#{review.review_id}</Badge>
          <EnvironmentBadge environment={environment} />
        </span>
      }
      about={sayWith("{partner} · received {age} ago", {
        partner: partner ?? say("Unknown account"),
        age: <Age since={created_at} />,
      })}
      actions={
        <span className={styles["list"]}>
          <Link to={list.back}>
            <Icon name="inbox" /> {say("Reviews")}
          </Link>
          {list.length > 0 && (
            <>
              <span className="quiet">{say("{at} of {count}", { at: list.at + 1, count: list.length })}</span>
              <IconButton
                label={say("Previous review: [")}
                icon="left"
                disabled={!list.previous}
                onClick={() => go(list.previous)}
              />
              <IconButton
                label={say("Next review: ]")}
                icon="right"
                disabled={!list.next}
                onClick={() => go(list.next)}
              />
            </>
          )}
        </span>
      }
    >
      <div className={styles["columns"]}>
        <div className="stack">
          <Card title={say("Reason for review")}>
            <div className="stack-tight">
              <p>{says}</p>
              {reasons.length > 0 && (
                <ul className={styles["reasons"]}>
                  {reasons.map(({ code, sentence }) => (
                    <li key={code}>
                      <Icon name="alert" />{" "}
                      <span>
                        <CodeText text={sentence} />
                      </span>
                    </li>
                  ))}
                </ul>
              )}
              {order_numbers.length > 0 && (
                <p>
                  {sayWith("Filling in {orders}", {
                    orders: order_numbers.map((order_number) => (
                      <Link key={order_number} className="mono" to={orderPath({ ...review, order_number })}>
                        {order_number}
                      </Link>
                    )),
                  })}
                </p>
              )}
            </div>
          </Card>
          {prescription && <PrescriptionCard prescription={prescription} ndcDrug={ndc_drug} />}
          {has_message && <MessageCard path={path} />}
        </div>
        <div className="stack">
          <DecisionCard page={page} path={path} onClosed={closed} again={again} />
          {patients.length > 0 && <PeopleCard path={path} patients={patients} />}
        </div>
      </div>
    </Page>
  );
}
