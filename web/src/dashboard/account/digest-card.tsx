import { api } from "../../app/api.ts";
import { Loaded } from "../../app/loaded.tsx";
import { Problem } from "../../app/problem.tsx";
import { useApi } from "../../app/use-api.ts";
import { useChange } from "../../app/use-change.ts";
import { CheckField } from "../../ui/controls/field.tsx";
import { Card } from "../../ui/display/card.tsx";
import { say } from "../../ui/words/say.tsx";

/** Turns the user's daily email on and off. */
export function DigestCard() {
  const query = useApi("/dashboard/digest");
  const choose = useChange(
    (daily_digest: boolean) => api("/dashboard/digest", { method: "PUT", body: { daily_digest } }),
    { reads: ["/dashboard/digest"], done: say("Saved.") },
  );
  return (
    <Card title={say("Daily digest")}>
      <Loaded query={query} lines={2}>
        {({ daily_digest, mail }) => (
          <CheckField
            label={say("Email me the counts of the queues each morning")}
            hint={
              mail
                ? say("From 7 a.m. The email names no order and no patient.")
                : say("Pestle cannot send email yet. Ask the operator to set it up.")
            }
            checked={daily_digest}
            disabled={choose.busy || (!mail && !daily_digest)}
            onChange={(event) => void choose.run(event.target.checked)}
          />
        )}
      </Loaded>
      {choose.error !== null && <Problem error={choose.error} />}
    </Card>
  );
}
