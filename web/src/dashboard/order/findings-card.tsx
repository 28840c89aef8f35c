import type { DashboardFinding, DashboardLine } from "@pestle/contract";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Card } from "../../ui/display/card.tsx";
import { say, sayName, sayWith } from "../../ui/words/say.tsx";
import { andText, words } from "./clinical/findings-list.tsx";
import styles from "./order-screen.module.css";

const tones: Record<string, Tone> = { contraindicated: "bad", severe: "bad", major: "bad", moderate: "wait" };

/** Safety findings with their messages, what to do, and sources. */
export function FindingsCard({
  findings,
  lines,
}: {
  findings: readonly DashboardFinding[];
  lines: readonly DashboardLine[];
}) {
  if (findings.length === 0) return null;
  return (
    <Card title={say("Safety checks")}>
      <ul className={`${styles["entries"]} ${styles["entries-plain"]}`}>
        {findings.map((finding) => (
          <li key={`${finding.kind} ${finding.item_id} ${finding.message}`}>
            <div>
              <p className="row">
                <Badge tone={tones[finding.severity] ?? "info"}>{sayName(finding.severity)}</Badge>
                <strong>{sayName(words(finding.kind))}</strong>
                {finding.item_id !== null && (
                  <span className="quiet">{lines.find(({ item_id }) => item_id === finding.item_id)?.name}</span>
                )}
              </p>
              <p lang="en">{finding.message}</p>
              {finding.elsewhere.length > 0 && (
                <p>
                  <strong>{say("From {partners}.", { partners: finding.elsewhere.reduce(andText) })}</strong>{" "}
                  {say("Do not tell this order's partner.")}
                </p>
              )}
              {finding.advice !== null && <p lang="en">{finding.advice}</p>}
              <p className="small quiet">
                {sayWith("Source: {source}", { source: <span lang="en">{finding.source}</span> })}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}
