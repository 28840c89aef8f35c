import {
  MOST_REPORT_DAYS,
  type ReportCells,
  type ReportName,
  reportFormats,
  reportNames,
  reportRow,
  SHOWN_REPORT_ROWS,
} from "@pestle/contract";
import { useState } from "react";
import { addressOf, apiFile } from "../../app/api.ts";
import { Loaded } from "../../app/loaded.tsx";
import { Problem } from "../../app/problem.tsx";
import { Link } from "../../app/router/router.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useFilters } from "../../app/use-address.ts";
import { useApi } from "../../app/use-api.ts";
import { useChange } from "../../app/use-change.ts";
import { usePharmacyDay } from "../../app/use-pharmacy-day.ts";
import { Button } from "../../ui/controls/button.tsx";
import { SelectField, TextField } from "../../ui/controls/field.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { say, sayName, sayWith } from "../../ui/words/say.tsx";
import { accountName, useAccounts } from "../accounts.tsx";
import { useEnvironment } from "../environment.ts";
import { orderPath } from "../order-link.ts";
import styles from "./reports-screen.module.css";

/** What inspectors ask for. The address has the question, so a link shows the same report. */
export function ReportsScreen() {
  const { role } = useSignedIn();
  const [filters, change] = useFilters();
  const environment = useEnvironment();
  const offered = reportNames.filter((name) => (reportRow(name).roles as readonly string[]).includes(role));
  const report = offered.find((name) => name === filters["report"]) ?? offered[0]!;
  const { asks, about, takes } = reportRow(report);
  const today = usePharmacyDay();
  const from = filters["from"] ?? today;
  const to = filters["to"] ?? from;
  const { person_id, account_id, patient_id } = filters;
  const someone = person_id ? { person_id } : { account_id, patient_id };
  const asked = { from, to, environment, ...(takes === "someone" && someone) };
  const complete =
    environment !== undefined && (takes === "days" || Boolean(person_id) || Boolean(account_id && patient_id));
  return (
    <Page title={say("Reports")} about={say("What an inspector asks for, as CSV or PDF.")}>
      <Card>
        <div className={styles["form"]}>
          <SelectField
            label={say("Report")}
            options={offered.map((name) => [name, sayName(reportRow(name).title)] as const)}
            value={report}
            onChange={({ target }) => change({ report: target.value })}
          />
          <TextField
            label={say("From")}
            type="date"
            value={from}
            onChange={({ target }) => change({ from: target.value })}
          />
          <TextField
            label={say("To")}
            type="date"
            min={from}
            value={to}
            onChange={({ target }) => change({ to: target.value })}
          />
          {takes === "someone" && <Someone />}
        </div>
        <p className={`quiet ${styles["about"]}`}>
          {say("“{asks}” {about} At most {days} days.", {
            asks: sayName(asks),
            about: sayName(about),
            days: MOST_REPORT_DAYS,
          })}
        </p>
      </Card>
      {complete ? (
        <Found key={JSON.stringify([report, asked])} report={report} asked={asked} />
      ) : (
        takes === "someone" && (
          <Card>
            <Empty title={say("Choose a person, or an account and a patient")}>
              {say("The audit log records whom you ask about.")}
            </Empty>
          </Card>
        )
      )}
    </Page>
  );
}

type Asked = { from: string; to: string; environment?: string | undefined } & Partial<
  Record<"person_id" | "account_id" | "patient_id", string | undefined>
>;

function Found({ report, asked }: { report: ReportName; asked: Asked }) {
  const query = useApi(addressOf(`/dashboard/reports/${report}`, asked), { written_down: true });
  const save = useChange(
    (format: (typeof reportFormats)[number]) => apiFile(addressOf(`/dashboard/reports/${report}/${format}`, asked)),
    { after: ({ name, blob }) => saveFile(name, blob) },
  );
  const { title } = reportRow(report);
  return (
    <Loaded query={query} lines={8}>
      {({ rows, more }) => (
        <>
          {save.error !== null && <Problem error={save.error} />}
          <Card
            flush
            title={title}
            actions={reportFormats.map((format) => (
              <Button key={format} icon="download" busy={save.busy} onClick={() => void save.run(format)}>
                {format.toUpperCase()}
              </Button>
            ))}
          >
            <Table
              caption={title}
              columns={columnsOf(report)}
              rows={rows.map((row, place) => ({ ...row, place }))}
              rowKey={({ place }) => place}
              empty={<Empty title={say("No rows in these days")} />}
            />
          </Card>
          {more && (
            <p className="quiet">
              {sayWith("The first {SHOWN_REPORT_ROWS} rows. Save a file to see all of them.", { SHOWN_REPORT_ROWS })}
            </p>
          )}
        </>
      )}
    </Loaded>
  );
}

/** Cells of up to this many characters stay on one line. The card scrolls sideways. */
const SHORT = 24;

const columnsOf = (report: ReportName): Column<ReportCells>[] =>
  reportRow(report).columns.map(([name, title], at) => ({
    title: sayName(title),
    cell: ({ account_id, cells }) => {
      const text = cells[at] ?? "";
      if (name !== "order_number" || text === "" || account_id === null)
        return <span className={text.length > SHORT ? styles["long"] : styles["short"]}>{text}</span>;
      return (
        <Link to={orderPath({ account_id, order_number: text })} className={`mono ${styles["short"]}`}>
          {text}
        </Link>
      );
    },
  }));

/** Whom the report is about: a colleague, or a patient of an account. Choosing one clears the other. */
function Someone() {
  const [{ person_id = "", account_id = "", patient_id = "" }, change] = useFilters();
  const accounts = useAccounts();
  const colleagues = useApi("/dashboard/colleagues").data?.colleagues ?? [];
  const [patient, setPatient] = useState(patient_id);
  return (
    <>
      <SelectField
        label={say("Person")}
        options={[["", say("None")], ...colleagues.map((one) => [one.person_id, one.name] as const)]}
        value={person_id}
        onChange={({ target }) => change({ person_id: target.value, account_id: null, patient_id: null })}
      />
      <SelectField
        label={say("Account")}
        options={[["", say("None")], ...accounts.map((one) => [one.account_id, accountName(one)] as const)]}
        value={account_id}
        onChange={({ target }) => change({ account_id: target.value, person_id: null })}
      />
      <TextField
        label={say("Patient ID")}
        spellCheck={false}
        maxLength={35}
        value={patient}
        onChange={({ target }) => setPatient(target.value)}
        onBlur={() => patient.trim() !== patient_id && change({ patient_id: patient.trim(), person_id: null })}
        onKeyDown={({ key, currentTarget }) => key === "Enter" && currentTarget.blur()}
      />
    </>
  );
}
