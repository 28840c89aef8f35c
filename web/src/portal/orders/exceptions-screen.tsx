import { needOf, type PortalExceptionGroup } from "@pestle/contract";
import { Loaded } from "../../app/loaded.tsx";
import { Link } from "../../app/router/router.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useApi } from "../../app/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { counted } from "../../ui/counted.ts";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { Age } from "../../ui/time.tsx";
import { say, sayName, sayWith } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import styles from "./exceptions-screen.module.css";
import { HeldOrder } from "./held-order.tsx";

const REFRESH_MS = 10_000;
const whoNames = {
  partner: ["wait", say("Needs your action")],
  pharmacist: ["info", say("Pharmacist is reviewing")],
  pharmacy: ["info", say("Pharmacy is handling it")],
} as const;

/** Open exceptions by type. Those that need the partner come first. */
export function ExceptionsScreen() {
  const { api_base } = usePortal();
  const exceptions = useApi(`${api_base}/exceptions`, { refetch_ms: REFRESH_MS });
  return (
    <Page title={say("Exceptions")} about={say("Why orders are on hold and how to resolve them.")}>
      <Loaded query={exceptions}>
        {({ groups }) =>
          groups.length === 0 ? (
            <Card>
              <Empty title={say("No orders on hold")}>
                <p>{say("When an order is on hold, it appears here with the actions you can take.")}</p>
              </Empty>
            </Card>
          ) : (
            <ul className="stack">
              {groups.map((group) => (
                <li key={group.exception_id}>
                  <Group {...group} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Page>
  );
}

function Group({
  exception_id,
  name,
  message,
  who_acts,
  actions,
  count,
  oldest_at,
  order_numbers,
}: PortalExceptionGroup) {
  const { link_base, account } = usePortal();
  const [tone, who] = whoNames[who_acts];
  const offered = actions.flatMap(({ event_key }) => (event_key === "cancel" ? [] : [event_key]));
  return (
    <Card
      title={
        <span className="row">
          {sayName(needOf(exception_id))} <Badge tone={tone}>{who}</Badge>
        </span>
      }
      actions={
        <Link to={`${link_base}/orders`} search={{ exception_id: String(exception_id) } as never}>
          {counted(count, "order")}
        </Link>
      }
    >
      <div className="stack-tight">
        <p>
          {sayName(message)}{" "}
          <span className="quiet">
            {sayWith("{name} ({exception_id}). Oldest: {age}.", {
              name: sayName(name),
              exception_id,
              age: <Age since={oldest_at} ahead_s={account.clock_offset_s} />,
            })}
          </span>
        </p>
        <ul className={styles["orders"]} aria-label={say("Orders on hold: {name}", { name: sayName(name) })}>
          {order_numbers.map((order_number) => (
            <HeldOrder key={order_number} order_number={order_number} exception_id={exception_id} offered={offered} />
          ))}
        </ul>
      </div>
    </Card>
  );
}
