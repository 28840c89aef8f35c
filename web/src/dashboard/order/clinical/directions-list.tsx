import { type ClinicalLine, sigFaults } from "@pestle/contract";
import { Badge } from "../../../ui/badge.tsx";
import { say, sayName } from "../../../ui/words/say.tsx";
import { dailyText, rangeText } from "./amount-text.ts";
import styles from "./clinical.module.css";

/** The directions of each item with the daily dose that the service computed, and the prescriber. */
export function DirectionsList({ lines }: { lines: readonly ClinicalLine[] }) {
  return (
    <section className={styles["part"]}>
      <h3>{say("Directions and daily dose")}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line.item_id}>
            <p>{line.name}</p>
            {line.sig_text === null ? (
              <p className="quiet">{say("No prescription.")}</p>
            ) : (
              <blockquote data-as-typed>{line.sig_text}</blockquote>
            )}
            <Daily line={line} />
            {line.prescriber && (
              <p className="small quiet">
                {say("Prescribed by {prescriber}", {
                  prescriber: [
                    line.prescriber.name,
                    line.prescriber.phone && say("phone {number}", { number: line.prescriber.phone }),
                    line.prescriber.fax && say("fax {number}", { number: line.prescriber.fax }),
                  ]
                    .filter(Boolean)
                    .join(", "),
                })}
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Daily({ line: { daily } }: { line: ClinicalLine }) {
  if (daily === null) return null;
  if (!daily.read) {
    return (
      <p className="row">
        <Badge tone="wait">{say("Dose not computed")}</Badge>
        <span>
          {sayName(sigFaults[daily.why])} {say("Compute the daily dose by hand.")}
        </span>
      </p>
    );
  }
  return (
    <p>
      {dailyText(daily)}
      {daily.lasts_days && (
        <span className="quiet">. {say("This order lasts {days} days.", { days: rangeText(daily.lasts_days) })}</span>
      )}
    </p>
  );
}
