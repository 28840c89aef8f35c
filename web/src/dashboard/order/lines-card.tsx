import type { DashboardLine, LineDifference } from "@pestle/contract";
import type { ReactNode } from "react";
import { Badge } from "../../ui/badge.tsx";
import { counted } from "../../ui/counted.ts";
import { Card } from "../../ui/display/card.tsx";
import { dateText, When } from "../../ui/time.tsx";
import styles from "./order-screen.module.css";

/** Each item next to its prescription as received, with differences marked. */
export function LinesCard({ lines }: { lines: readonly DashboardLine[] }) {
  return (
    <Card title="Prescribed and dispensed" flush>
      {lines.map((line) => (
        <Line key={line.item_id} line={line} />
      ))}
    </Card>
  );
}

function Line({ line }: { line: DashboardLine }) {
  const { prescription: rx, differences } = line;
  const differs = (field: LineDifference["field"]) => differences.find((one) => one.field === field);
  return (
    <article className={styles["line"]}>
      <header>
        <h3>{line.name}</h3>
        {line.schedule !== "0" && <Badge tone="bad">Schedule C{line.schedule}</Badge>}
        {line.cold_chain && <Badge tone="info">Keep cold</Badge>}
        {rx?.daw && <Badge tone="wait">Dispense as written</Badge>}
        {!line.needs_prescription && <Badge>No prescription needed</Badge>}
        {rx && !rx.active && <Badge tone="bad">Prescription no longer active</Badge>}
      </header>
      <table className={styles["compare"]}>
        <caption className="unseen">{line.name}: prescribed and dispensed</caption>
        <thead>
          <tr>
            <th scope="col">
              <span className="unseen">Field</span>
            </th>
            <th scope="col">{rx ? `Prescription ${rx.id}, as received` : "No prescription"}</th>
            <th scope="col">Dispensed</th>
          </tr>
        </thead>
        <tbody>
          <Row
            name="Product"
            prescribed={rx?.drug_name}
            dispensed={line.name}
            differs={differs("product")}
            usual={rx?.ndc && !differs("ndc") ? "Same NDC" : "Generic equivalent"}
          />
          <Row
            name="NDC"
            mono
            prescribed={rx?.ndc}
            dispensed={line.ndc ?? line.sku}
            differs={differs("ndc")}
            usual="Generic equivalent"
          />
          <Row
            name="Quantity"
            prescribed={
              rx &&
              `${counted(rx.written_qty, "unit")}${rx.days_supply ? ` for ${counted(rx.days_supply, "day")}` : ""}`
            }
            dispensed={`${line.quantity} × ${line.package_size} = ${counted(line.units, "unit")}`}
            differs={differs("units")}
          />
          <Row
            name="Schedule"
            prescribed={rx && scheduleText(rx.drug_schedule)}
            dispensed={scheduleText(line.schedule)}
            differs={differs("schedule")}
          />
          {rx && (
            <>
              <Row name="Directions" prescribed={<strong>{rx.sig_text}</strong>} dispensed="" />
              <Row
                name="Prescriber"
                prescribed={[rx.prescriber_name, rx.prescriber_phone].filter(Boolean).join(", ")}
                dispensed=""
              />
              <Row
                name="Refills"
                prescribed={`${rx.refills} written, ${rx.refills_left} left`}
                dispensed={`Dispense ${line.dispense_id}`}
              />
              <Row
                name="Written"
                prescribed={
                  <>
                    {dateText(rx.written_date)}, received <When at={rx.receive_date} />, until{" "}
                    {dateText(rx.expire_date)}
                  </>
                }
                dispensed=""
              />
            </>
          )}
          {line.lots.map(({ lot, lot_expires_on, units }) => (
            <Row
              key={lot}
              name="Lot"
              prescribed=""
              dispensed={
                <>
                  <span className="mono">{lot}</span>
                  {`, expires ${dateText(lot_expires_on)}`}
                  {line.lots.length > 1 && `, ${counted(units, "unit")}`}
                </>
              }
            />
          ))}
        </tbody>
      </table>
    </article>
  );
}

const scheduleText = (schedule: string) => (schedule === "0" ? "Not controlled" : `C${schedule}`);

function Row({
  name,
  prescribed,
  dispensed,
  differs,
  usual,
  mono = false,
}: {
  name: string;
  prescribed: ReactNode;
  dispensed: ReactNode;
  differs?: LineDifference | undefined;
  /** The name of a difference that needs no attention. */
  usual?: string;
  mono?: boolean;
}) {
  return (
    <tr data-differs={differs?.notable || undefined}>
      <th scope="row">{name}</th>
      <td className={mono ? "mono" : undefined}>{prescribed ?? "–"}</td>
      <td className={mono ? "mono" : undefined}>
        {dispensed}{" "}
        {differs && <Badge tone={differs.notable ? "wait" : "neutral"}>{differs.notable ? "Differs" : usual}</Badge>}
      </td>
    </tr>
  );
}
