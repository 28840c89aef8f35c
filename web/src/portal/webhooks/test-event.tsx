import { type EventType, eventTypeNames } from "@pestle/contract";
import { api } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useNavigate } from "../../app/router/router.tsx";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Menu } from "../../ui/controls/menu.tsx";
import { Icon } from "../../ui/icon.tsx";
import { say } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";

/** Sends a test event to one endpoint and opens its attempts. */
export function TestEvent({ endpoint_id, choice = false }: { endpoint_id: string; choice?: boolean }) {
  const { api_base, link_base } = usePortal();
  const navigate = useNavigate();
  const test = useChange(
    (event_type?: EventType) =>
      api(`${api_base}/webhook_endpoints/${endpoint_id}/test`, {
        method: "POST",
        body: event_type ? { event_type } : {},
      }),
    {
      done: say("Test event sent."),
      reads: [`${api_base}/webhook_events`, `${api_base}/home`],
      after: ({ event_id }) => void navigate({ to: `${link_base}/events/${event_id}` }),
    },
  );
  return (
    <>
      <Button busy={test.busy} onClick={() => void test.run()}>
        {say("Send test event")}
      </Button>
      {choice && (
        <Menu
          trigger={<Icon name="down" />}
          label={say("Choose a test event type")}
          items={eventTypeNames.map((event_type) => ({
            label: event_type,
            onChoose: () => void test.run(event_type),
          }))}
        />
      )}
      {test.error !== null && <Problem error={test.error} />}
    </>
  );
}
