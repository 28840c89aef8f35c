import type { MedicationRequest, Order, OrderItem } from "@pestle/contract";
import { useApi } from "../../app/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { counted } from "../../ui/counted.ts";
import { Card } from "../../ui/display/card.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { dateText } from "../../ui/time.tsx";
import { say } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import styles from "./order-screen.module.css";
import { Renewals } from "./renewals.tsx";

const columns = (nameOf: (sku: string) => string | undefined): readonly Column<OrderItem>[] => [
  { title: say("Item"), cell: ({ item_id }) => item_id },
  {
    title: say("Product"),
    cell: ({ sku }) =>
      sku === null ? (
        <span className="quiet">{say("not chosen yet")}</span>
      ) : (
        <>
          {nameOf(sku)} <span className="quiet mono">{sku}</span>
        </>
      ),
  },
  { title: say("NDC"), cell: ({ ndc }) => ndc && <span className="mono">{ndc}</span> },
  {
    title: say("Prescription"),
    cell: ({ prescription_id }) => prescription_id ?? <span className="quiet">{say("not required")}</span>,
  },
  { title: say("Packages"), number: true, cell: ({ quantity }) => quantity },
  { title: say("Package size"), number: true, cell: ({ package_size }) => package_size },
];

/** The order's items and their prescriptions. */
export function OrderItems({ order: { items, medication_requests } }: { order: Order }) {
  const { api_base } = usePortal();
  const products = useApi(`${api_base}/catalogue`).data?.products ?? [];
  const nameOf = (sku: string) => products.find((product) => product.sku === sku)?.name;
  return (
    <Card title={say("Items")} flush>
      <Table caption={say("Items")} columns={columns(nameOf)} rows={items} rowKey={({ item_id }) => item_id} />
      {medication_requests.map((prescription) => (
        <Prescription key={prescription.id} {...prescription} />
      ))}
    </Card>
  );
}

function Prescription(prescription: MedicationRequest) {
  const { id, active, drug_name, sig_text, prescriber_name, written_date, expire_date, written_qty } = prescription;
  return (
    <div className={styles["prescription"]}>
      <h3 className="row">
        {say("Prescription {id}", { id })} {!active && <Badge tone="bad">{say("Inactive")}</Badge>}
        {prescription.drug_schedule !== "0" && (
          <Badge tone="info">{say("Schedule {drug_schedule}", { drug_schedule: prescription.drug_schedule })}</Badge>
        )}
        {prescription.daw && <Badge>{say("Dispense as written")}</Badge>}
      </h3>
      <p>
        {drug_name}, {counted(written_qty, "unit")}
        {prescription.days_supply !== null && `, ${counted(prescription.days_supply, "day")}`}
      </p>
      <p>
        {sig_text === "" ? (
          <span className="quiet">{say("No directions")}</span>
        ) : (
          <span data-as-typed>{sig_text}</span>
        )}
      </p>
      <p className="quiet small">
        {say("{prescriber_name} · written {written_date} · expires {expire_date}", {
          prescriber_name,
          written_date: dateText(written_date),
          expire_date: dateText(expire_date),
        })}{" "}
        · {counted(prescription.refills_left, "refill left", "refills left")}
      </p>
      <Renewals prescription_id={id} used_up={prescription.refills_left === 0} />
    </div>
  );
}
