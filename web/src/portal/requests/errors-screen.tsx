import type { PortalErrorGroup } from "@pestle/contract";
import { addressOf } from "../../app/api.ts";
import { type CsvColumn, saveCsv } from "../../app/csv-button.tsx";
import { Loaded } from "../../app/loaded.tsx";
import { Link } from "../../app/router/router.tsx";
import { type Filter, FilterBar } from "../../app/shell/filter-bar.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useFilters } from "../../app/use-address.ts";
import { useApi } from "../../app/use-api.ts";
import { Button } from "../../ui/controls/button.tsx";
import { SelectField } from "../../ui/controls/field.tsx";
import { counted } from "../../ui/counted.ts";
import { dayAfter } from "../../ui/day-after.ts";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { When } from "../../ui/time.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say, sayWith } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { ErrorHint } from "./error-hint.tsx";
import styles from "./errors-screen.module.css";
import { StatusCode } from "./status-code.tsx";

const REFRESH_MS = 15_000;
const spans = [
  ["1", say("Last hour")],
  ["24", say("Last 24 hours")],
  ["168", say("Last 7 days")],
] as const;

const filters: readonly Filter[] = [
  { name: "since", label: say("From"), date: true },
  { name: "until", label: say("To"), date: true },
];

const csv: readonly CsvColumn<PortalErrorGroup>[] = [
  ["Code", ({ code }) => code],
  ["Error", ({ title }) => title],
  ["Status", ({ status }) => status],
  ["Requests", ({ count }) => count],
  ["Field", ({ field }) => field],
  ["What to do", ({ resolution }) => resolution],
  ["Paths", ({ routes }) => routes.map(({ method, route, count }) => `${method} ${route} × ${count}`)],
  ["First seen", ({ first_at }) => first_at],
  ["Last seen", ({ last_at }) => last_at],
  ["Latest requests", ({ request_ids }) => request_ids],
];

/** API errors, most frequent first, and how to fix them. */
export function ErrorsScreen() {
  const { api_base } = usePortal();
  const [{ hours = "24", since, until }, change] = useFilters();
  const chosen = since !== undefined || until !== undefined;
  const errors = useApi(
    addressOf(`${api_base}/request_errors`, chosen ? { since, until: dayAfter(until) } : { hours }),
    { refetch_ms: REFRESH_MS },
  );
  return (
    <Page
      title={say("Errors")}
      about={say("Failed requests, grouped by error.")}
      actions={
        <>
          <SelectField
            label={say("Time range")}
            unseen
            options={chosen ? [["", say("Chosen days")], ...spans] : spans}
            value={chosen ? "" : hours}
            onChange={(event) => change({ hours: event.target.value, since: null, until: null })}
          />
          <Button icon="download" onClick={() => saveCsv("errors", csv, errors.data?.groups ?? [])}>
            {say("CSV")}
          </Button>
        </>
      }
    >
      <FilterBar filters={filters} />
      <Loaded query={errors}>
        {({ groups }) =>
          groups.length === 0 ? (
            <Card>
              <Empty title={say("No errors")}>
                <p>{say("No requests failed in this period.")}</p>
              </Empty>
            </Card>
          ) : (
            <ul className="stack">
              {groups.map((group) => (
                <li key={`${group.status} ${group.code}`}>
                  <Group group={group} days={{ ...(since && { since }), ...(until && { until }) }} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Page>
  );
}

function Group({ group, days }: { group: PortalErrorGroup; days: Record<string, string> }) {
  const { link_base } = usePortal();
  const { code, title, status, count, last_at, routes, request_ids } = group;
  // An error without its own code uses the HTTP status.
  const search = { ...(code === String(status) ? { status: code } : { error_code: code }), ...days };
  return (
    <Card
      title={
        <span className="row">
          <code>{code}</code> <span lang="en">{title}</span> <StatusCode status={status} />
        </span>
      }
      actions={
        <Link to={`${link_base}/requests`} search={search as never}>
          {counted(count, "request")}
        </Link>
      }
    >
      <div className="stack-tight">
        <ErrorHint {...group} />
        <ul className={styles["routes"]}>
          {routes.map(({ method, route, count: times }) => (
            <li key={`${method} ${route}`}>
              <span className="mono">
                {method} {route}
              </span>{" "}
              <span className="quiet">× {numberText(times)}</span>
            </li>
          ))}
        </ul>
        <p className="quiet small">
          {sayWith("Last seen {when} · latest requests {requests}", {
            when: <When at={last_at} seconds />,
            requests: request_ids.map((request_id) => (
              <Link key={request_id} className={`mono ${styles["id"]}`} to={`${link_base}/requests/${request_id}`}>
                {request_id.slice(0, 8)}
              </Link>
            )),
          })}
        </p>
      </div>
    </Card>
  );
}
