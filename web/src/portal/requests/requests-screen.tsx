import type { PortalRequest } from "@pestle/contract";
import { addressOf } from "../../app/api.ts";
import { CsvButton, type CsvColumn } from "../../app/csv-button.tsx";
import { RowList } from "../../app/row-list.tsx";
import { type Filter, FilterBar } from "../../app/shell/filter-bar.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useFilters } from "../../app/use-address.ts";
import { useApi } from "../../app/use-api.ts";
import { usePages } from "../../app/use-pages.ts";
import { dayAfter } from "../../ui/day-after.ts";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import type { GridColumn } from "../../ui/display/row-grid.tsx";
import { When } from "../../ui/time.tsx";
import { say } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { durationText, StatusCode } from "./status-code.tsx";

const REFRESH_MS = 5_000;

const columns: readonly GridColumn<PortalRequest>[] = [
  { title: say("Time"), width: "10rem", cell: ({ at }) => <When at={at} seconds /> },
  { title: say("Method"), width: "4rem", cell: ({ method }) => <span className="mono">{method}</span> },
  { title: say("Path"), width: "minmax(11rem, 2fr)", cell: ({ route }) => <span className="mono">{route}</span> },
  { title: say("Status"), width: "4rem", cell: ({ status }) => <StatusCode status={status} /> },
  { title: say("Duration"), width: "4.5rem", number: true, cell: ({ duration_ms }) => durationText(duration_ms) },
  {
    title: say("Errors"),
    width: "minmax(7rem, 1.5fr)",
    cell: ({ errors }) =>
      errors.length > 0 && (
        <span lang="en">
          {errors.map(({ code, title }) => (code.length > 3 ? `${code} ${title}` : title)).join(", ")}
        </span>
      ),
  },
  { title: say("Credential"), width: "minmax(5rem, 1fr)", cell: ({ credential_name }) => credential_name },
  {
    title: say("Request ID"),
    width: "5.5rem",
    cell: ({ request_id }) => <span className="mono quiet">{request_id.slice(0, 8)}…</span>,
  },
];

const csv: readonly CsvColumn<PortalRequest>[] = [
  ["Time", ({ at }) => at],
  ["Method", ({ method }) => method],
  ["Path", ({ route }) => route],
  ["Status", ({ status }) => status],
  ["Duration in ms", ({ duration_ms }) => duration_ms],
  ["Errors", ({ errors }) => errors.map(({ code }) => code)],
  ["Credential", ({ credential_name, credential_id }) => credential_name ?? credential_id],
  ["Request ID", ({ request_id }) => request_id],
];

const textFilters = ["request_id", "route", "status", "error_code"];

/** The partner's API requests. Bodies are not stored. */
export function RequestsScreen() {
  const { api_base, link_base } = usePortal();
  const [values] = useFilters();
  const credentials = useApi(`${api_base}/credentials`);
  const filters: Filter[] = [
    { name: "request_id", label: say("Request ID") },
    {
      name: "errors",
      label: say("Outcome"),
      options: [["true", say("Errors only")]],
    },
    {
      name: "method",
      label: say("Method"),
      options: ["GET", "POST", "PUT", "PATCH", "DELETE"].map((one) => [one, one] as const),
    },
    { name: "route", label: say("Path") },
    { name: "status", label: say("Status") },
    { name: "error_code", label: say("Error code") },
    {
      name: "credential_id",
      label: say("Credential"),
      options: (credentials.data?.credentials ?? []).map(({ credential_id, name }) => [credential_id, name] as const),
    },
    { name: "since", label: say("From"), date: true },
    { name: "until", label: say("To"), date: true },
  ];
  const given = Object.fromEntries(
    filters.map(({ name }) => [name, textFilters.includes(name) ? values[name]?.trim() : values[name]]),
  );
  const asked = { ...given, until: dayAfter(values["until"]) };
  const pages = usePages(addressOf(`${api_base}/requests`, { ...asked, limit: "100" }), (page) => page.requests, {
    refetch_ms: REFRESH_MS,
  });
  const filtered = Object.values(given).some((value) => value !== undefined);
  return (
    <Page
      title={say("Requests")}
      about={say("Your API requests, by X-Request-Id. Pestle does not store bodies.")}
      fill
      actions={
        <CsvButton
          name="requests"
          path={addressOf(`${api_base}/requests`, { ...asked, limit: "200" })}
          rowsOf={(page) => page.requests}
          columns={csv}
        />
      }
    >
      <FilterBar filters={filters} />
      <RowList
        label={say("Requests")}
        pages={pages}
        columns={columns}
        rowKey={({ request_id }) => request_id}
        linkTo={({ request_id }) => `${link_base}/requests/${request_id}`}
        empty={
          <Card>
            {filtered ? (
              <Empty title={say("No matching requests")} />
            ) : (
              <Empty title={say("No requests yet")}>
                <p>{say("API requests made with your credentials appear here within seconds.")}</p>
              </Empty>
            )}
          </Card>
        }
      />
    </Page>
  );
}
