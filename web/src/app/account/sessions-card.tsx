import type { OpenSession } from "@pestle/contract";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Age, When } from "../../ui/time.tsx";
import { say } from "../../ui/words/say.tsx";
import { api } from "../api.ts";
import { Loaded } from "../loaded.tsx";
import { Problem } from "../problem.tsx";
import { useApi } from "../use-api.ts";
import { useChange } from "../use-change.ts";
import { deviceName } from "./device-name.ts";

/** The user's open sessions. Each other one can be ended. */
export function SessionsCard() {
  const sessions = useApi("/sessions");
  const reads = ["/sessions"] as const;
  const end = useChange((session_id: string) => api(`/sessions/${session_id}`, { method: "DELETE" }), {
    reads,
    done: say("Session ended."),
  });
  const others = useChange(() => api("/sessions", { method: "DELETE" }), {
    reads,
    done: say("You are signed out everywhere else."),
  });
  const columns: readonly Column<OpenSession>[] = [
    {
      title: say("Device"),
      cell: ({ agent, current }) => (
        <span className="row">
          {deviceName(agent)}
          {current && <Badge tone="info">{say("This device")}</Badge>}
        </span>
      ),
    },
    { title: say("Address"), cell: ({ address }) => address ?? <span className="quiet">{say("unknown")}</span> },
    { title: say("Signed in"), cell: ({ created_at }) => <When at={created_at} /> },
    { title: say("Last seen"), cell: ({ last_seen_at }) => <Age since={last_seen_at} /> },
    {
      title: say("Actions"),
      unseen: true,
      cell: ({ session_id, current, agent }) =>
        !current && (
          <Button
            aria-label={say("End the session on {device}", { device: deviceName(agent) })}
            busy={end.busy}
            onClick={() => void end.run(session_id)}
          >
            {say("End")}
          </Button>
        ),
    },
  ];
  const error = end.error ?? others.error;
  return (
    <Loaded query={sessions}>
      {({ sessions: rows }) => (
        <Card
          title={say("Sessions")}
          flush
          actions={
            rows.length > 1 && (
              <Button tone="danger" busy={others.busy} onClick={() => void others.run()}>
                {say("End all others")}
              </Button>
            )
          }
        >
          {error !== null && <Problem error={error} />}
          <Table caption={say("Sessions")} columns={columns} rows={rows} rowKey={({ session_id }) => session_id} />
        </Card>
      )}
    </Loaded>
  );
}
