import type { DashboardLine, LineDifference } from "@pestle/contract";
import type { ReactNode } from "react";
import { Badge } from "../../ui/badge.tsx";
import { counted } from "../../ui/counted.ts";
import { Card } from "../../ui/display/card.tsx";
import { dateText, When } from "../../ui/time.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import styles from "./order-screen.module.css";

/** Each item next to its prescription as received, with differences marked. */
export function LinesCard({ lines }: { lines: readonly DashboardLine[] }) {
  return (
    <Card title={say("Prescribed and dispensed")} flush>
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
        {line.schedule !== "0" && <Badge tone="bad">{say("Schedule C{schedule}", { schedule: line.schedule })}</Badge>}
        {line.cold_chain && <Badge tone="info">{say("Keep cold")}</Badge>}
        {rx?.daw && <Badge tone="wait">{say("Dispense as written")}</Badge>}
        {!line.needs_prescription && <Badge>{say("No prescription needed")}</Badge>}
        {rx && !rx.active && <Badge tone="bad">{say("Prescription no longer active")}</Badge>}
      </header>
      <table className={styles["compare"]}>
        <caption className="unseen">{say("{name}: prescribed and dispensed", { name: line.name })}</caption>
        <thead>
          <tr>
            <th scope="col">
              <span className="unseen">{say("Field")}</span>
            </th>
            <th scope="col">{rx ? say("Prescription {id}, as received", { id: rx.id }) : say("No prescription")}</th>
            <th scope="col">{say("Dispensed")}</th>
          </tr>
        </thead>
        <tbody>
          <Row
            name={say("Product")}
            prescribed={rx?.drug_name}
            dispensed={line.name}
            differs={differs("product")}
            usual={rx?.ndc && !differs("ndc") ? say("Same NDC") : say("Generic equivalent")}
          />
          <Row
            name={say("NDC")}
            mono
            prescribed={rx?.ndc}
            dispensed={line.ndc ?? line.sku}
            differs={differs("ndc")}
            usual={say("Generic equivalent")}
          />
          <Row
            name={say("Quantity")}
            prescribed={
              rx &&
              (rx.days_supply
                ? say("{units} for {days}", {
                    units: counted(rx.written_qty, "unit"),
                    days: counted(rx.days_supply, "day"),
                  })
                : counted(rx.written_qty, "unit"))
            }
            dispensed={`${line.quantity} × ${line.package_size} = ${counted(line.units, "unit")}`}
            differs={differs("units")}
          />
          <Row
            name={say("Schedule")}
            prescribed={rx && scheduleText(rx.drug_schedule)}
            dispensed={scheduleText(line.schedule)}
            differs={differs("schedule")}
          />
          {rx && (
            <>
              <Row name={say("Directions")} prescribed={<strong data-as-typed>{rx.sig_text}</strong>} dispensed="" />
              <Row
                name={say("Prescriber")}
                prescribed={[rx.prescriber_name, rx.prescriber_phone].filter(Boolean).join(", ")}
                dispensed=""
              />
              <Row
                name={say("Refills")}
                prescribed={say("{refills} written, {refills_left} left", {
                  refills: rx.refills,
                  refills_left: rx.refills_left,
                })}
                dispensed={say("Dispense {dispense_id}", { dispense_id: line.dispense_id })}
              />
              <Row
                name={say("Written")}
                prescribed={sayWith("{written_on}, received {received_at}, until {expires_on}", {
                  written_on: dateText(rx.written_date),
                  received_at: <When at={rx.receive_date} />,
                  expires_on: dateText(rx.expire_date),
                })}
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
                  {sayWith("{lot}, expires {date}", {
                    lot: <span className="mono">{lot}</span>,
                    date: dateText(lot_expires_on),
                  })}
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

const scheduleText = (schedule: string) => (schedule === "0" ? say("Not controlled") : `C${schedule}`);

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
        {differs && (
          <Badge tone={differs.notable ? "wait" : "neutral"}>{differs.notable ? say("Differs") : usual}</Badge>
        )}
      </td>
    </tr>
  );
}
