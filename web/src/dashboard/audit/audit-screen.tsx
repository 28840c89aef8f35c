import { type AuditLine, auditActions } from "@pestle/contract";
import { Problem } from "../../app/problem.tsx";
import { FilterBar } from "../../app/shell/filter-bar.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useFilters } from "../../app/use-address.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty, Skeleton } from "../../ui/display/notice.tsx";
import { Table } from "../../ui/display/table.tsx";
import { accountName, useAccounts } from "../accounts.tsx";
import { auditColumns } from "./audit-columns.tsx";
import styles from "./audit-screen.module.css";
import { useAudit } from "./use-audit.ts";

/** Who looked at what and did what, newest first. Nothing here can be changed. */
export function AuditScreen() {
  const [filters, change] = useFilters();
  const accounts = useAccounts();
  const { query, entries, more } = useAudit(filters);
  useShortcuts([{ keys: "r", label: "Read again", run: () => void query.refetch() }]);
  const named = new Map(accounts.map((one) => [one.account_id, accountName(one)]));
  const person = entries.find(({ person_id }) => person_id === filters["person_id"]);
  const people = new Map(peopleOf(entries));
  // Whoever is asked for stays among the choices, also where they did nothing that fits.
  if (filters["person_id"]) people.set(filters["person_id"], person?.name ?? filters["person_id"]);
  return (
    <Page
      title="Audit log"
      about="Who looked at what and did what, newest first."
      actions={
        <Button icon="refresh" keys="r" busy={query.isFetching} onClick={() => void query.refetch()}>
          Read again
        </Button>
      }
    >
      <FilterBar
        filters={[
          { name: "person_id", label: "Person", options: [...people] },
          { name: "action", label: "What", options: Object.entries(auditActions) },
          { name: "account_id", label: "Account", options: [...named] },
          { name: "subject", label: "Order or subject" },
        ]}
      />
      {query.error !== null && <Problem error={query.error} retry={() => void query.refetch()} />}
      {query.isPending ? (
        <Skeleton lines={12} />
      ) : (
        query.isSuccess && (
          <Card flush>
            <Table
              caption="Entries of the audit log"
              columns={auditColumns(named, change)}
              rows={entries}
              rowKey={({ audit_id }) => audit_id}
              empty={
                <Empty title="No entry fits">
                  <Button onClick={() => change({ person_id: null, action: null, account_id: null, subject: null })}>
                    Clear the filters
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
            Older entries
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
