import type { DashboardPatient } from "@pestle/contract";
import { Link } from "../../../app/router/router.tsx";
import { Card } from "../../../ui/display/card.tsx";
import { Icon, type IconName } from "../../../ui/icon.tsx";
import { dateText, useNow } from "../../../ui/time.tsx";
import { say, sayWith } from "../../../ui/words/say.tsx";
import { orderPath } from "../../order-link.ts";
import { type Moment, patientMoments } from "./patient-moments.ts";
import styles from "./patient-screen.module.css";

const kinds: Record<Moment["kind"], { icon: IconName; text: string; due?: string }> = {
  prescribed: { icon: "inbox", text: say("Prescription received") },
  ordered: { icon: "list", text: say("Ordered") },
  shipped: { icon: "truck", text: say("Shipped") },
  runs_out: { icon: "clock", text: say("Supply ended"), due: say("Supply ends") },
};

/** Prescriptions, orders and fills on a time line. What is still to come is at the top. */
export function MomentsCard({ page }: { page: DashboardPatient }) {
  const now_ms = useNow();
  const moments = patientMoments(page);
  return (
    <Card title={say("Time line")}>
      {moments.length === 0 ? (
        <p className="quiet">{say("Nothing has happened yet.")}</p>
      ) : (
        <ol className={styles["moments"]}>
          {moments.map(({ at, kind, what, order_number }) => {
            const { icon, text, due } = kinds[kind];
            const coming = Date.parse(at) > now_ms;
            return (
              <li key={`${at} ${kind} ${order_number} ${what}`} data-coming={coming || undefined}>
                <time dateTime={at}>{dateText(at)}</time>
                <Icon name={icon} />
                <span>
                  {coming ? (due ?? text) : text}:{" "}
                  {order_number
                    ? sayWith("{what}, order {order}", {
                        what,
                        order: (
                          <Link to={orderPath({ account_id: page.account_id, order_number })} className="mono">
                            {order_number}
                          </Link>
                        ),
                      })
                    : what}
                </span>
              </li>
            );
          })}
        </ol>
      )}
    </Card>
  );
}
