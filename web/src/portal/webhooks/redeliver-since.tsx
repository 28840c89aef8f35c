import type { PortalRedeliverSince } from "@pestle/contract";
import { useState } from "react";
import { api, problemOf } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { CheckField, TextField } from "../../ui/controls/field.tsx";
import { counted } from "../../ui/counted.ts";
import { Card } from "../../ui/display/card.tsx";
import { toast } from "../../ui/display/toast.tsx";
import { say } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import styles from "./redeliver-since.module.css";

const DAY_MS = 24 * 3600 * 1000;

/** After an outage of the receiver, resends failed deliveries and, optionally, events it never received. */
export function RedeliverSince({ endpoint_id }: { endpoint_id: string }) {
  const { api_base, account } = usePortal();
  const [since, setSince] = useState(() => localText(new Date(Date.now() + account.clock_offset_s * 1000 - DAY_MS)));
  const [missed, setMissed] = useState(true);
  const redeliver = useChange(
    () => {
      const body: PortalRedeliverSince = { since: new Date(since).toISOString(), missed };
      return api(`${api_base}/webhook_endpoints/${endpoint_id}/redeliver`, { method: "POST", body });
    },
    {
      reads: [`${api_base}/webhook_endpoints`, `${api_base}/webhook_events`, `${api_base}/home`],
      after: ({ redelivered, more }) => {
        const events = counted(redelivered, "event");
        toast(
          more
            ? say("Resending {events}. There are more; submit again to continue.", { events })
            : say("Resending {events}.", { events }),
        );
      },
    },
  );
  return (
    <Card title={say("Resend failed events")}>
      <form
        className={styles["form"]}
        onSubmit={(event) => {
          event.preventDefault();
          void redeliver.run();
        }}
      >
        <TextField
          label={say("Since")}
          type="datetime-local"
          required
          value={since}
          problem={problemOf(redeliver.error, "since")}
          onChange={(event) => setSince(event.target.value)}
        />
        <CheckField
          label={say("Include events never sent to this endpoint, such as those from before it was created")}
          checked={missed}
          onChange={(event) => setMissed(event.target.checked)}
        />
        <Button type="submit" busy={redeliver.busy}>
          {say("Resend")}
        </Button>
      </form>
      {redeliver.error !== null && problemOf(redeliver.error, "since") === null && <Problem error={redeliver.error} />}
    </Card>
  );
}

/** Formats for a datetime-local input: local time, to the minute. */
function localText(moment: Date): string {
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
