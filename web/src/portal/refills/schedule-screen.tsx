import type { PortalSchedule } from "@pestle/contract";
import { Loaded } from "../../app/loaded.tsx";
import { Link } from "../../app/router/router.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useParam } from "../../app/use-address.ts";
import { useApi } from "../../app/use-api.ts";
import { counted } from "../../ui/counted.ts";
import { Card, Facts } from "../../ui/display/card.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import { dateText, When } from "../../ui/time.tsx";
import { say } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { ScheduleActions } from "./schedule-actions.tsx";
import { ScheduleBadge } from "./schedule-badge.tsx";
import styles from "./schedule-screen.module.css";

const consentNames = {
  written: say("in writing"),
  electronic: say("electronically"),
  verbal: say("by word of mouth"),
} as const;

/** One schedule: what stops it and what the user can do first, then the details. */
export function ScheduleScreen() {
  const { api_base, link_base, may_change } = usePortal();
  const schedule_id = useParam("schedule_id");
  const found = useApi(`${api_base}/refill_schedules/${encodeURIComponent(schedule_id)}`, { written_down: true });
  return (
    <Page
      title={say("Refill schedule")}
      heading={
        <span className="row">
          <span>{say("Refill schedule")}</span>
          {found.data && <ScheduleBadge status={found.data.schedule.status} />}
        </span>
      }
      about={<Link to={`${link_base}/refills`}>{say("All schedules")}</Link>}
    >
      <Loaded query={found} lines={10}>
        {(shown) => (
          <>
            <Troubles {...shown} />
            {may_change && <ScheduleActions shown={shown} />}
            <div className="grid-2">
              <Fills {...shown} />
              <Repeated {...shown} />
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Troubles({ schedule: { status, paused_because, next_fill_problems, next_fill_on } }: PortalSchedule) {
  return (
    <>
      {paused_because && (
        <Notice tone="wait" title={say("Paused: {code}", { code: paused_because.code })}>
          <span lang="en">{paused_because.message}</span>
        </Notice>
      )}
      {status !== "canceled" && next_fill_problems.length > 0 && (
        <Notice
          tone="wait"
          title={say("The fill on {next_fill_on} would fail", { next_fill_on: dateText(next_fill_on!) })}
        >
          <ul>
            {next_fill_problems.map(({ code, message }) => (
              <li key={code}>
                {code} <span lang="en">{message}</span>
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}

function Fills({ schedule, drug_name }: PortalSchedule) {
  const { link_base } = usePortal();
  const { patient_id, prescription_id, last_order_number: last, last_filled_on, next_fill_on } = schedule;
  const days = counted(schedule.interval_days, "day");
  const orders = { patient_id, prescription_id: String(prescription_id) };
  return (
    <Card title={say("Fills")}>
      <Facts
        facts={[
          [say("Medication"), drug_name],
          [
            say("Prescription"),
            <span key="rx" className="mono">
              {prescription_id}
            </span>,
          ],
          [
            say("Patient"),
            <span key="patient" className="mono">
              {patient_id}
            </span>,
          ],
          [say("Next fill"), next_fill_on && dateText(next_fill_on)],
          [say("Every"), schedule.every_days === null ? say("{days}, the days’ supply", { days }) : days],
          [say("Notice"), say("{days} before each fill", { days: counted(schedule.lead_days, "day") })],
          [
            say("Last order"),
            last && (
              <Link key="last" className="mono" to={`${link_base}/orders/${last}`}>
                {last}
              </Link>
            ),
          ],
          [say("Ordered on"), last_filled_on && dateText(last_filled_on)],
          [
            say("All orders"),
            <Link key="orders" to={`${link_base}/orders`} search={orders as never}>
              {say("Orders of this prescription")}
            </Link>,
          ],
        ]}
      />
    </Card>
  );
}

/** What each order of the schedule repeats. */
function Repeated({ schedule: { shipping, address, payment, consent, created_at, updated_at } }: PortalSchedule) {
  const { api_base } = usePortal();
  const { data } = useApi(`${api_base}/catalogue`);
  const method = data?.shipping_methods.find(({ id }) => id === shipping.method_id);
  return (
    <Card title={say("Each order")}>
      <Facts
        facts={[
          [say("Shipping"), method?.name ?? say("Method {ids}", { ids: shipping.method_id })],
          [say("Signature"), shipping.signature_confirmation && say("On delivery")],
          [
            say("Address"),
            address === null ? (
              say("The patient’s default address")
            ) : (
              <span key="address" className={styles["address"]}>
                {[
                  `${address.first_name} ${address.last_name}`,
                  address.street1,
                  address.street2,
                  `${address.city}, ${address.state} ${address.zip}`,
                ]
                  .filter(Boolean)
                  .join("\n")}
              </span>
            ),
          ],
          [say("Payer"), payment.payer === "partner" ? say("You") : say("The patient")],
          [
            say("Consent"),
            <span key="consent">
              <When at={consent.given_at} />, {consentNames[consent.method]}
            </span>,
          ],
          [say("Created"), <When key="created" at={created_at} />],
          [say("Updated"), <When key="updated" at={updated_at} />],
        ]}
      />
    </Card>
  );
}
