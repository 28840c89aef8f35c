import { type AuditLine, auditActions } from "@pestle/contract";
import { Link } from "../../app/router/router.tsx";
import type { Column } from "../../ui/display/table.tsx";
import { When } from "../../ui/time.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import { orderPath } from "../order-link.ts";
import styles from "./audit-screen.module.css";

type Narrow = (changes: Record<string, string>) => void;

/** A list of orders names many; the filter finds the others. */
const MOST_PATIENTS = 3;

/** Clicking a person, subject or patient filters the log by it. */
export const auditColumns = (accounts: ReadonlyMap<string, string>, narrow: Narrow): Column<AuditLine>[] => [
  {
    title: say("When"),
    cell: ({ at }) => (
      <span className={styles["when"]}>
        <When at={at} seconds />
      </span>
    ),
  },
  {
    title: say("Who"),
    cell: ({ person_id, name, role, ...line }) =>
      person_id === null ? (
        <span className="quiet">{programOf(line) ?? (role === null ? say("Not signed in") : sayName(role))}</span>
      ) : (
        <>
          <button type="button" className={styles["narrow"]} onClick={() => narrow({ person_id })}>
            {name ?? person_id}
          </button>{" "}
          {role && <span className="quiet small">{sayName(role.replaceAll("_", " "))}</span>}
        </>
      ),
  },
  { title: say("Action"), cell: ({ action }) => sayName((auditActions as Record<string, string>)[action] ?? action) },
  { title: say("Subject"), cell: (line) => <Subject line={line} narrow={narrow} /> },
  {
    title: say("Patients"),
    cell: ({ account_id, patients }) =>
      patients.slice(0, MOST_PATIENTS).map((patient_id) => (
        <button
          key={patient_id}
          type="button"
          className={`mono ${styles["narrow"]}`}
          onClick={() => narrow({ patient_id, account_id: account_id ?? "" })}
        >
          {patient_id}
        </button>
      )),
  },
  {
    title: say("Account"),
    cell: ({ account_id }) =>
      account_id && (accounts.get(account_id) ?? <span className="quiet">{say("The pharmacy")}</span>),
  },
  { title: say("Address"), cell: ({ address }) => address && <span className="mono quiet">{address}</span> },
  {
    title: say("Request"),
    cell: ({ request_id }) =>
      request_id && (
        <span className={`mono quiet ${styles["request"]}`} title={request_id}>
          {request_id}
        </span>
      ),
  },
];

const programOf = ({ credential_id, os_user }: Pick<AuditLine, "credential_id" | "os_user">) =>
  credential_id !== null
    ? say("Program {credential_id}", { credential_id })
    : os_user !== null
      ? say("Command line, {os_user}", { os_user })
      : null;

function Subject({ line: { action, account_id, subject, subject_name }, narrow }: { line: AuditLine; narrow: Narrow }) {
  if (subject === null) return null;
  const [, number, more] = /^([0-9A-Z]{10})(?: (.+))?$/.exec(subject) ?? [];
  const order_number = /^(order|document)_/.test(action) && account_id !== null ? number : undefined;
  return (
    <span className={styles["subject"]}>
      <button
        type="button"
        className={`mono ${styles["narrow"]}`}
        onClick={() => narrow({ subject: order_number ?? subject })}
      >
        {order_number ?? subject}
      </button>
      {order_number && more && subject_name === null && <span className="mono quiet">{more}</span>}
      {subject_name !== null && <span>{subject_name}</span>}
      {order_number && account_id && <Link to={orderPath({ account_id, order_number })}>{say("Open")}</Link>}
    </span>
  );
}
