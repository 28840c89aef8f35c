import type { PortalPrescriptionInput, PortalSandbox } from "@pestle/contract";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useChange } from "../../app/use-change.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { TextArea } from "../../ui/controls/field.tsx";
import { Card } from "../../ui/display/card.tsx";
import { usePortal } from "../account.tsx";
import styles from "./sandbox-screen.module.css";

/** A prescription arrives as if a prescriber had sent it: one of the stories, with fields of one's own beside it. */
export function SendPrescription({
  presets,
  onSent,
}: {
  presets: PortalSandbox["presets"];
  onSent: (prescription_id: number | null) => void;
}) {
  const { api_base, may_change } = usePortal();
  const [preset, setPreset] = useState(presets[0]?.preset ?? "");
  const [text, setText] = useState("");
  const given = readFields(text);
  const send = useChange(
    () => {
      const body: PortalPrescriptionInput = { preset, ...(given.fields && { simulation: given.fields }) };
      return api(`${api_base}/sandbox/prescriptions`, { method: "POST", body });
    },
    {
      done: "The prescription has arrived.",
      reads: (["/sandbox", "/orders", "/home", "/exceptions", "/webhook_events"] as const).map(
        (path) => `${api_base}${path}` as const,
      ),
      after: ({ prescription_id }) => onSent(prescription_id),
    },
  );
  return (
    <Card title="Send a prescription">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (given.problem === null) void send.run();
        }}
      >
        <fieldset className={styles["presets"]}>
          <legend className="unseen">Story</legend>
          {presets.map(({ preset: name, title, exception_id }) => (
            <label key={name} className={styles["preset"]}>
              <input
                type="radio"
                name="preset"
                value={name}
                checked={preset === name}
                onChange={() => setPreset(name)}
              />
              <span>{title}</span>
              {exception_id !== null && <Badge tone="wait">{exception_id}</Badge>}
            </label>
          ))}
        </fieldset>
        <div className="row">
          {may_change && (
            <Button tone="primary" type="submit" busy={send.busy}>
              Send the prescription
            </Button>
          )}
          <p className="quiet" role="status">
            {presets.find((one) => one.preset === preset)?.description}
          </p>
        </div>
        <details>
          <summary>Fields of your own</summary>
          <TextArea
            label="Fields, as JSON"
            hint="As in the API's simulation of a prescription: they stand instead of what the story says."
            placeholder='{"drug_name": "atorvastatin", "patient": {"first_name": "Wren"}}'
            spellCheck={false}
            className="mono"
            value={text}
            problem={given.problem}
            onChange={(event) => setText(event.target.value)}
          />
        </details>
        {send.error !== null && <Problem error={send.error} />}
      </form>
    </Card>
  );
}

function readFields(text: string): { fields: Record<string, unknown> | null; problem: string | null } {
  if (text.trim() === "") return { fields: null, problem: null };
  try {
    const fields: unknown = JSON.parse(text);
    if (typeof fields === "object" && fields !== null && !Array.isArray(fields)) {
      return { fields: fields as Record<string, unknown>, problem: null };
    }
  } catch {
    // Told below: half-typed text is no JSON either.
  }
  return { fields: null, problem: "This is not a JSON object." };
}
