import { type AuditLine, auditActions } from "@pestle/contract";
import { apiFile } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { FilterBar } from "../../app/shell/filter-bar.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useFilters } from "../../app/use-address.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty, Skeleton } from "../../ui/display/notice.tsx";
import { Table } from "../../ui/display/table.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { say, sayName } from "../../ui/words/say.tsx";
import { accountName, useAccounts } from "../accounts.tsx";
import { auditColumns } from "./audit-columns.tsx";
import styles from "./audit-screen.module.css";
import { useAudit } from "./use-audit.ts";

/** The audit log, newest first. Read-only. */
export function AuditScreen() {
  const [filters, change] = useFilters();
  const accounts = useAccounts();
  const { query, entries, more } = useAudit(filters);
  useShortcuts([{ keys: "r", label: say("Refresh"), run: () => void query.refetch() }]);
  const { account_id = "", patient_id = "" } = filters;
  const csv = useChange(() => apiFile(`/dashboard/audit.csv?${new URLSearchParams({ account_id, patient_id })}`), {
    after: ({ name, blob }) => saveFile(name, blob),
  });
  const named = new Map(accounts.map((one) => [one.account_id, accountName(one)]));
  const person = entries.find(({ person_id }) => person_id === filters["person_id"]);
  const people = new Map(peopleOf(entries));
  // Keep the filtered person among the options, even if the list has none of their entries.
  if (filters["person_id"]) people.set(filters["person_id"], person?.name ?? filters["person_id"]);
  return (
    <Page
      title={say("Audit log")}
      about={say("Every view and change by staff, partners and commands, newest first.")}
      actions={
        <>
          {patient_id && account_id && (
            <Button icon="download" busy={csv.busy} onClick={() => void csv.run()}>
              {say("Export for this patient")}
            </Button>
          )}
          <Button icon="refresh" keys="r" busy={query.isFetching} onClick={() => void query.refetch()}>
            {say("Refresh")}
          </Button>
        </>
      }
    >
      <FilterBar
        filters={[
          { name: "person_id", label: say("Person"), options: [...people] },
          {
            name: "action",
            label: say("Action"),
            options: Object.entries(auditActions).map(([action, text]) => [action, sayName(text)]),
          },
          { name: "account_id", label: say("Account"), options: [...named] },
          { name: "subject", label: say("Order or subject") },
          { name: "patient_id", label: say("Patient (choose the account too)") },
        ]}
      />
      {csv.error !== null && <Problem error={csv.error} retry={() => void csv.run()} />}
      {query.error !== null && <Problem error={query.error} retry={() => void query.refetch()} />}
      {query.isPending ? (
        <Skeleton lines={12} />
      ) : (
        query.isSuccess && (
          <Card flush>
            <Table
              caption={say("Audit log entries")}
              columns={auditColumns(named, change)}
              rows={entries}
              rowKey={({ audit_id }) => audit_id}
              empty={
                <Empty title={say("No matching entries")}>
                  <Button
                    onClick={() =>
                      change({ person_id: null, action: null, account_id: null, subject: null, patient_id: null })
                    }
                  >
                    {say("Clear filters")}
                  </Button>
                </Empty>
              }
            />
          </Card>
        )
      )}
      {more && (
        <div className={styles["more"]}>
          <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {say("Load older entries")}
          </Button>
        </div>
      )}
    </Page>
  );
}

function peopleOf(entries: readonly AuditLine[]): [string, string][] {
  const people = entries.flatMap(({ person_id, name }): [string, string][] =>
    person_id !== null && name !== null ? [[person_id, name]] : [],
  );
  return people.sort(([, a], [, b]) => a.localeCompare(b));
}
