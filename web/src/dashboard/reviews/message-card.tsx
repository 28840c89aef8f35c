import type { RawMessage } from "@pestle/contract";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { CheckField } from "../../ui/controls/field.tsx";
import { Card, Facts } from "../../ui/display/card.tsx";
import { When } from "../../ui/time.tsx";
import { say } from "../../ui/words/say.tsx";
import { reviewers } from "../roles.ts";
import { indentMessage } from "./indent-message.ts";
import styles from "./reviews-screen.module.css";

const formats: Record<RawMessage["format"], string> = {
  script: "NCPDP SCRIPT",
  fhir: "FHIR",
  simulation: say("Sandbox simulation"),
};

/** The prescriber's message, loaded on request because the server audits each read. */
export function MessageCard({ path }: { path: `/dashboard/reviews/${string}/${string}` }) {
  const { role } = useSignedIn();
  const may = reviewers.includes(role);
  const [message, setMessage] = useState<RawMessage | null>(null);
  const [raw, setRaw] = useState(false);
  const read = useChange(() => api(`${path}/message`), { after: setMessage });
  const toggle = () => (message === null ? void read.run() : setMessage(null));
  useShortcuts(may ? [{ keys: "m", label: message ? say("Hide message") : say("Show message"), run: toggle }] : []);
  return (
    <Card
      title={say("Message")}
      actions={
        may && (
          <Button small icon={message ? "lock" : "eye"} keys="m" busy={read.busy} onClick={toggle}>
            {message ? say("Hide message") : say("Show message")}
          </Button>
        )
      }
    >
      <div className="stack-tight">
        {read.error !== null && <Problem error={read.error} />}
        {message === null ? (
          <p className="small quiet">
            {may
              ? say("The audit log records each view of the message.")
              : say("Only a pharmacist, lead or admin can view it.")}
          </p>
        ) : (
          <>
            <Facts
              facts={[
                [say("Format"), formats[message.format]],
                [say("From"), <code key="from">{message.sender}</code>],
                [say("To"), message.receiver && <code>{message.receiver}</code>],
                [say("Message ID"), <code key="id">{message.sender_message_id}</code>],
                [say("Received"), <When key="at" at={message.received_at} />],
                [say("Warnings"), message.warnings.map((one) => one.replaceAll("_", " ")).join(", ")],
              ]}
            />
            <CheckField
              label={say("Original formatting")}
              checked={raw}
              onChange={(event) => setRaw(event.target.checked)}
            />
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: lets the keyboard scroll a long message */}
            <pre className={styles["message"]} tabIndex={0}>
              {raw ? message.text : indentMessage(message.text)}
            </pre>
          </>
        )}
      </div>
    </Card>
  );
}
