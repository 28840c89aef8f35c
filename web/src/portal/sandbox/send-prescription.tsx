import type { PortalPrescriptionInput, PortalSandbox } from "@pestle/contract";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useChange } from "../../app/use-change.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { TextArea } from "../../ui/controls/field.tsx";
import { Card } from "../../ui/display/card.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import styles from "./sandbox-screen.module.css";

/** Simulates a prescription from a scenario, with optional custom fields. */
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
      done: say("Prescription received."),
      reads: (["/sandbox", "/orders", "/home", "/exceptions", "/webhook_events"] as const).map(
        (path) => `${api_base}${path}` as const,
      ),
      after: ({ prescription_id }) => onSent(prescription_id),
    },
  );
  return (
    <Card title={say("Send a prescription")}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (given.problem === null) void send.run();
        }}
      >
        <fieldset className={styles["presets"]}>
          <legend className="unseen">{say("Scenario")}</legend>
          {presets.map(({ preset: name, title, exception_id }) => (
            <label key={name} className={styles["preset"]}>
              <input
                type="radio"
                name="preset"
                value={name}
                checked={preset === name}
                onChange={() => setPreset(name)}
              />
              <span>{sayName(title)}</span>
              {exception_id !== null && <Badge tone="wait">{exception_id}</Badge>}
            </label>
          ))}
        </fieldset>
        <div className="row">
          {may_change && (
            <Button tone="primary" type="submit" busy={send.busy}>
              {say("Send prescription")}
            </Button>
          )}
          <p className="quiet" role="status">
            {sayName(presets.find((one) => one.preset === preset)?.description ?? "")}
          </p>
        </div>
        <details>
          <summary>{say("Custom fields")}</summary>
          <TextArea
            label={say("Fields (JSON)")}
            hint={say("Same fields as the API's prescription simulation. They override the scenario.")}
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
    // Reported below. Partly typed JSON is invalid too.
  }
  return { fields: null, problem: say("This is not a JSON object.") };
}
