import { auditActions, type DashboardPatient, exceptions, type PatientLook, type PatientOrder } from "@pestle/contract";
import { Loaded } from "../../../app/loaded.tsx";
import { Link } from "../../../app/router/router.tsx";
import { Page } from "../../../app/shell/page.tsx";
import { useShortcuts } from "../../../app/shell/shortcuts.ts";
import { useParam } from "../../../app/use-address.ts";
import { Badge } from "../../../ui/badge.tsx";
import { IconButton } from "../../../ui/controls/button.tsx";
import { counted } from "../../../ui/counted.ts";
import { Card } from "../../../ui/display/card.tsx";
import { type Column, Table } from "../../../ui/display/table.tsx";
import { EnvironmentBadge, StatusBadge } from "../../../ui/order-badges.tsx";
import { dateText, When } from "../../../ui/time.tsx";
import { say, sayName, sayWith } from "../../../ui/words/say.tsx";
import { orderPath } from "../../order-link.ts";
import { FactsGrid } from "../clinical/facts-grid.tsx";
import { FillsTable } from "../clinical/fills-table.tsx";
import { PatientStrip } from "../clinical/patient-strip.tsx";
import { MomentsCard } from "./moments-card.tsx";
import styles from "./patient-screen.module.css";
import { ProfileCard } from "./profile-card.tsx";
import { type PatientApi, patientApi, usePatient } from "./use-patient.ts";

/** One patient at one partner: what the pharmacy knows, what it dispensed, and who looked. */
export function PatientScreen() {
  const place = { account_id: useParam("account_id"), patient_key: useParam("patient_key") };
  const query = usePatient(place);
  return (
    <Loaded query={query} lines={12}>
      {(page) => <PatientPage page={page} path={patientApi(place)} again={() => void query.refetch()} />}
    </Loaded>
  );
}

function PatientPage({ page, path, again }: { page: DashboardPatient; path: PatientApi; again: () => void }) {
  const { account_id, patient, partner, environment, clinical, fills } = page;
  useShortcuts([{ keys: "r", label: say("Refresh"), run: again }]);
  return (
    <Page
      title={say("Patient {initials}", { initials: patient.initials })}
      recent="person"
      heading={
        <span className="row">
          {say("Patient {initials}", { initials: patient.initials })} <EnvironmentBadge environment={environment} />
        </span>
      }
      about={say("{partner}, born {birth_year}", { partner, birth_year: patient.birth_year })}
      actions={<IconButton label={say("Refresh: r")} icon="refresh" onClick={again} />}
    >
      <div className={styles["columns"]}>
        <div className="stack">
          {clinical && (
            <Card title={say("Safety facts")}>
              <div className="stack-tight">
                <PatientStrip patient={clinical.patient} />
                <FactsGrid facts={clinical.facts} fills={fills} />
              </div>
            </Card>
          )}
          <Card title={say("Orders")} flush>
            <Table
              caption={say("Orders")}
              columns={orderColumns(account_id)}
              rows={page.orders}
              rowKey={({ order_number }) => order_number}
              empty={<Nothing>{say("No orders yet.")}</Nothing>}
            />
          </Card>
          <Card title={say("Prescriptions")} flush>
            <Table
              caption={say("Prescriptions")}
              columns={prescriptionColumns}
              rows={page.prescriptions}
              rowKey={({ id }) => id}
              dim={({ active }) => !active}
              empty={<Nothing>{say("No prescriptions.")}</Nothing>}
            />
          </Card>
          {fills.length > 0 && (
            <Card title={say("Fills")} flush>
              <FillsTable account_id={account_id} fills={fills} />
            </Card>
          )}
          <MessagesOf page={page} />
          {page.looks && (
            <Card title={say("Who looked")} flush>
              <Table
                caption={say("Who looked")}
                columns={lookColumns}
                rows={page.looks}
                rowKey={({ audit_id }) => audit_id}
              />
            </Card>
          )}
        </div>
        <div className="stack">
          <ProfileCard page={page} path={path} />
          <MomentsCard page={page} />
        </div>
      </div>
    </Page>
  );
}

const Nothing = ({ children }: { children: string }) => <p className={`quiet ${styles["nothing"]}`}>{children}</p>;

const orderColumns = (account_id: string): readonly Column<PatientOrder>[] => [
  {
    title: say("Order"),
    cell: ({ order_number }) => (
      <Link to={orderPath({ account_id, order_number })} className="mono nowrap">
        {order_number}
      </Link>
    ),
  },
  { title: say("Products"), cell: ({ drug_names }) => <span className={styles["name"]}>{drug_names.join(", ")}</span> },
  {
    title: say("Status"),
    cell: ({ order_status, stage, exception_ids }) => (
      <span className="row">
        <StatusBadge status={order_status} stage={stage} />
        {exception_ids.map((id) => (
          <Badge key={id} tone="wait">
            {sayName(exceptions[id].name)}
          </Badge>
        ))}
      </span>
    ),
  },
  { title: say("Placed"), cell: ({ created_at }) => <span className="nowrap">{dateText(created_at)}</span> },
];

const prescriptionColumns: readonly Column<DashboardPatient["prescriptions"][number]>[] = [
  {
    title: say("Prescription"),
    cell: ({ drug_name, id, sig_text }) => (
      <div className={styles["name"]}>
        <strong>{drug_name}</strong> <span className="small quiet nowrap">{say("Rx {id}", { id })}</span>
        <p className="small" data-as-typed>
          {sig_text}
        </p>
      </div>
    ),
  },
  { title: say("Prescriber"), cell: ({ prescriber_name }) => prescriber_name },
  {
    title: say("Quantity"),
    number: true,
    cell: ({ written_qty, days_supply }) =>
      days_supply === null
        ? written_qty
        : say("{units} for {days}", { units: written_qty, days: counted(days_supply, "day") }),
  },
  { title: say("Refills left"), number: true, cell: ({ refills_left }) => refills_left },
  {
    title: say("Written"),
    cell: ({ written_date, expire_date, active }) => (
      <>
        <span className="nowrap">{dateText(written_date)}</span>
        <p className="small quiet nowrap">
          {active ? say("Until {date}", { date: dateText(expire_date) }) : say("No longer active")}
        </p>
      </>
    ),
  },
];

const lookColumns: readonly Column<PatientLook>[] = [
  { title: say("When"), cell: ({ at }) => <When at={at} /> },
  {
    title: say("Who"),
    cell: ({ who, role }) => (
      <>
        {who} {role && <span className="small quiet">{sayName(role.replaceAll("_", " "))}</span>}
      </>
    ),
  },
  { title: say("What"), cell: ({ action }) => sayName((auditActions as Record<string, string>)[action] ?? action) },
  { title: say("About"), cell: ({ subject }) => subject ?? "" },
];

function MessagesOf({ page: { account_id, messages, partner } }: { page: DashboardPatient }) {
  if (messages.length === 0) return null;
  return (
    <Card title={say("Messages")}>
      <ul className={styles["messages"]}>
        {messages.map(({ message_id, author, text, created_at, order_number }) => (
          <li key={message_id}>
            <p className="small quiet">
              {sayWith("{author}, {when}, order {order}", {
                author: author === "partner" ? partner : say("Pharmacy"),
                when: <When at={created_at} />,
                order: (
                  <Link to={orderPath({ account_id, order_number })} className="mono">
                    {order_number}
                  </Link>
                ),
              })}
            </p>
            <p>{text}</p>
          </li>
        ))}
      </ul>
    </Card>
  );
}
