import type { ClinicalFacts, ClinicalFill, SafetyKind } from "@pestle/contract";
import { dateText } from "../../../ui/time.tsx";
import { say } from "../../../ui/words/say.tsx";
import styles from "./clinical.module.css";
import { Mark } from "./known.tsx";
import { fromTexts, saidText } from "./source-texts.ts";

const kindNames: Record<SafetyKind, string> = {
  allergy: say("Allergies"),
  medication: say("Active medicines"),
  condition: say("Conditions"),
};
const order: readonly SafetyKind[] = ["allergy", "condition", "medication"];

/** Allergies, conditions and active medicines with their sources. Fills that have not run out are medicines too. */
export function FactsGrid({ facts, fills }: { facts: readonly ClinicalFacts[]; fills: readonly ClinicalFill[] }) {
  const active = fills.filter((fill) => fill.active);
  return (
    <div className={styles["kinds"]}>
      {order.flatMap((kind) => {
        const one = facts.find((fact) => fact.kind === kind);
        return one ? [<Kind key={kind} facts={one} fills={kind === "medication" ? active : []} />] : [];
      })}
    </div>
  );
}

function Kind({ facts, fills }: { facts: ClinicalFacts; fills: readonly ClinicalFill[] }) {
  const { kind, status, entries, none } = facts;
  return (
    <section>
      <h3>{kindNames[kind]}</h3>
      <ul>
        {status !== "listed" && (
          <li>
            <Mark as={status}>{status === "none_known" && fills.length > 0 ? say("No others known") : undefined}</Mark>
            {status === "none_known" && none && <p className="small quiet">{saidText[none.by](dateText(none.at))}</p>}
          </li>
        )}
        {entries.map(({ entry_id, text, source, recorded_at }) => (
          <li key={entry_id}>
            <strong>{text}</strong>
            <p className="small quiet">
              {fromTexts[source]}
              {recorded_at && `, ${dateText(recorded_at)}`}
            </p>
          </li>
        ))}
        {fills.map(({ order_number, name, shipped_at, supply_ends_at }) => (
          <li key={`${order_number} ${name}`}>
            <strong>{name}</strong>
            <p className="small quiet">
              {shipped_at === null
                ? say("Order {order_number}, not shipped yet", { order_number })
                : supply_ends_at === null
                  ? say("Filled {filled_on}", { filled_on: dateText(shipped_at) })
                  : say("Filled {filled_on}, lasts until {ends_on}", {
                      filled_on: dateText(shipped_at),
                      ends_on: dateText(supply_ends_at),
                    })}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
