import type { ClinicalFinding, ClinicalLine } from "@pestle/contract";
import { Badge, type Tone } from "../../../ui/badge.tsx";
import { say, sayName, sayWith } from "../../../ui/words/say.tsx";
import styles from "./clinical.module.css";

const tones: Record<string, Tone> = { contraindicated: "bad", major: "bad", moderate: "wait" };

/** Every finding with what to do, its source and the version of the tables. */
export function FindingsList({
  findings,
  lines,
}: {
  findings: readonly ClinicalFinding[];
  lines: readonly ClinicalLine[];
}) {
  return (
    <ul>
      {findings.map((finding) => (
        <li
          key={`${finding.kind} ${finding.item_id} ${finding.message}`}
          className={styles["finding"]}
          data-holds={finding.exception_id !== null || undefined}
          data-overridden={finding.overridden || undefined}
        >
          <p className="row">
            <Badge tone={tones[finding.severity] ?? "info"}>{sayName(finding.severity)}</Badge>
            <strong>{sayName(words(finding.kind))}</strong>
            {finding.item_id !== null && (
              <span className="quiet">{lines.find(({ item_id }) => item_id === finding.item_id)?.name}</span>
            )}
            {finding.overridden && <Badge tone="good">{say("Overridden")}</Badge>}
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
            {sayWith("Source: {source}. Tables {version}.", {
              source: <span lang="en">{finding.source}</span>,
              version: finding.version,
            })}
          </p>
        </li>
      ))}
    </ul>
  );
}

export const andText = (one: string, other: string): string => say("{one} and {other}", { one, other });
export const words = (key: string) => `${key.charAt(0).toUpperCase()}${key.slice(1).replaceAll("_", " ")}`;
