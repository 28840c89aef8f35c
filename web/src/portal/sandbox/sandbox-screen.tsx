import { useState } from "react";
import { Loaded } from "../../app/loaded.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useApi } from "../../app/use-api.ts";
import { say } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { EventInbox } from "./event-inbox.tsx";
import { Prescriptions } from "./prescriptions.tsx";
import { SandboxClock } from "./sandbox-clock.tsx";
import styles from "./sandbox-screen.module.css";
import { SendPrescription } from "./send-prescription.tsx";

const REFRESH_MS = 4_000;

/** Sandbox tools: send prescriptions, move orders, advance the clock and watch events. */
export function SandboxScreen() {
  const { api_base } = usePortal();
  const sandbox = useApi(`${api_base}/sandbox`, { refetch_ms: REFRESH_MS });
  // The list has no patient data, so polling it adds nothing to the audit log.
  const orders = useApi(`${api_base}/orders?limit=100`, { refetch_ms: REFRESH_MS });
  const [chosen, setChosen] = useState<number | null>(null);
  return (
    <Page title={say("Sandbox tools")} about={say("Act as the prescriber, the pharmacy and the carrier.")}>
      <Loaded query={sandbox} lines={10}>
        {(shown) => (
          <div className={styles["columns"]}>
            <div className="stack">
              <SendPrescription presets={shown.presets} onSent={setChosen} />
              <Prescriptions
                prescriptions={shown.prescriptions}
                orders={orders.data?.orders ?? []}
                chosen={chosen}
                onChoose={setChosen}
              />
            </div>
            <div className="stack">
              <SandboxClock now={shown.now} clock_offset_s={shown.clock_offset_s} />
              <EventInbox />
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}
