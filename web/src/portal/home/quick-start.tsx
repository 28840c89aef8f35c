import type { PortalHome, QuickStartStep } from "@pestle/contract";
import { type ReactNode, useState } from "react";
import { Link } from "../../app/router/router.tsx";
import { useApi } from "../../app/use-api.ts";
import { Button, buttonClass } from "../../ui/controls/button.tsx";
import { Copyable } from "../../ui/controls/copyable.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Icon } from "../../ui/icon.tsx";
import { When } from "../../ui/time.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import styles from "./quick-start.module.css";
import { type KnownValues, stepCommands } from "./step-commands.ts";

/** The portal screen for each step, if there is one. */
const places: Partial<Record<QuickStartStep, { path: string; text: string; sandbox?: true }>> = {
  credential: { path: "/credentials", text: say("Go to credentials") },
  request: { path: "/requests", text: say("View requests") },
  endpoint: { path: "/webhooks", text: say("Go to endpoints") },
  delivery: { path: "/webhooks", text: say("Send a test event") },
  prescription: { path: "/sandbox", text: say("Send one in Sandbox tools"), sandbox: true },
  order: { path: "/sandbox", text: say("Place one in Sandbox tools"), sandbox: true },
  shipped: { path: "/sandbox", text: say("Ship one in Sandbox tools"), sandbox: true },
};

/** A checklist from zero to a shipped order. Steps complete automatically. */
export function QuickStart({ home: { checklist, addresses, account } }: { home: PortalHome }) {
  const { link_base, sandbox } = usePortal();
  const commands = stepCommands(addresses, useKnownValues(), sandbox);
  const done = checklist.filter((one) => one.done).length;
  const next = checklist.find((one) => !one.done)?.step;
  const [chosen, setChosen] = useState<QuickStartStep | "none" | null>(null);
  const open = chosen ?? next;
  // Collapses when all steps are done; the user can still expand it.
  const [unfolded, setUnfolded] = useState(false);
  const folded = next === undefined && !unfolded;
  return (
    <Card
      title={say("Quick start")}
      actions={
        <>
          <span className="quiet small" role="status">
            {say("{done} of {count} done", { done, count: checklist.length })}
          </span>
          {next === undefined && (
            <Button small tone="quiet" aria-expanded={unfolded} onClick={() => setUnfolded(!unfolded)}>
              {unfolded ? say("Hide steps") : say("Show steps")}
            </Button>
          )}
        </>
      }
      flush
    >
      <ol className={styles["steps"]} hidden={folded}>
        {checklist.map(({ step, hint, done: ticked, done_at, ...named }) => {
          const title = sayName(named.title);
          const place = places[step];
          const prescribed = step === "prescription" && !sandbox;
          return (
            <Step
              key={step}
              title={title}
              done={ticked}
              done_at={done_at}
              open={open === step}
              onToggle={() => setChosen(open === step ? "none" : step)}
            >
              <p>{prescribed ? productionHint(account.ncpdp_id) : sayName(hint)}</p>
              {commands[step] && <Copyable block text={commands[step]} label={say("command: {title}", { title })} />}
              {place && (sandbox || !place.sandbox) && (
                <p>
                  <Link className={buttonClass("plain", true)} to={link_base + place.path}>
                    {place.text}
                  </Link>
                </p>
              )}
            </Step>
          );
        })}
      </ol>
    </Card>
  );
}

/** The latest ID of each kind, for the commands. Missing ones show as uppercase placeholders. */
function useKnownValues(): KnownValues {
  const { api_base, sandbox } = usePortal();
  const credentials = useApi(`${api_base}/credentials`).data?.credentials;
  const methods = useApi(`${api_base}/catalogue`).data?.shipping_methods;
  const prescriptions = useApi(`${api_base}/sandbox`, { enabled: sandbox }).data?.prescriptions;
  const free = prescriptions?.find(({ active, order_numbers }) => active && order_numbers.length === 0);
  return {
    client_id: credentials?.findLast(({ revoked_at }) => revoked_at === null)?.client_id,
    method_id: methods?.[0]?.id,
    patient_id: free?.patient_id,
    prescription_id: free?.prescription_id,
    order_number: prescriptions?.flatMap(({ order_numbers }) => order_numbers)[0],
  };
}

const productionHint = (ncpdp_id: string | null) =>
  ncpdp_id === null
    ? say("Ask the pharmacy how prescribers reach your account.")
    : say("Prescribers send to NCPDP ID {ncpdp_id}, which belongs to your account only.", { ncpdp_id });

function Step({
  title,
  done,
  done_at,
  open,
  onToggle,
  children,
}: {
  title: string;
  done: boolean;
  done_at: string | null;
  open: boolean;
  onToggle: () => void;
  children: ReactNode;
}) {
  return (
    <li className={styles["step"]} data-done={done || undefined}>
      <button type="button" aria-expanded={open} onClick={onToggle}>
        <span className={styles["tick"]}>{done && <Icon name="check" size={12} />}</span>
        <span className={styles["title"]}>{title}</span>
        <span className="unseen">{done ? say("done") : say("not done")}</span>
        {done_at && (
          <span className="quiet small">
            <When at={done_at} />
          </span>
        )}
        <Icon name={open ? "down" : "right"} size={12} />
      </button>
      {open && <div className={styles["body"]}>{children}</div>}
    </li>
  );
}
