import type { DashboardFinding, DashboardLine } from "@pestle/contract";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Card } from "../../ui/display/card.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
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
                <Badge tone={tones[finding.severity] ?? "info"}>{finding.severity}</Badge>
                <strong>{words(finding.kind)}</strong>
                {finding.item_id !== null && (
                  <span className="quiet">{lines.find(({ item_id }) => item_id === finding.item_id)?.name}</span>
                )}
              </p>
              <p>{finding.message}</p>
              {finding.elsewhere.length > 0 && (
                <p>
                  {sayWith("{strong} Do not tell this order's partner.", {
                    strong: (
                      <strong>{sayWith("From {elsewhere}.", { elsewhere: finding.elsewhere.join(" and ") })}</strong>
                    ),
                  })}
                </p>
              )}
              {finding.advice !== null && <p>{finding.advice}</p>}
              <p className="small quiet">{sayWith("Source: {source}", { source: finding.source })}</p>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

const words = (key: string) => `${key.charAt(0).toUpperCase()}${key.slice(1).replaceAll("_", " ")}`;
