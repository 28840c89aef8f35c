import { useEffect, useState } from "react";
import { dropHeldStep, type HeldStep, sendHeldStep } from "../../../app/held-step.ts";
import { useNavigate } from "../../../app/router/router.tsx";
import { useShortcuts } from "../../../app/shell/shortcuts.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { say, sayWith } from "../../../ui/words/say.tsx";
import styles from "./held-bar.module.css";

/**
 * Takes the place of an order's buttons while the user can undo the last one. After a step that opened the next order, it
 * shows above the buttons of that order, and Undo goes back.
 */
export function HeldBar({ step: { label, until_ms, page }, own }: { step: HeldStep; own: string }) {
  const navigate = useNavigate();
  const elsewhere = page !== own;
  const undo = () => {
    dropHeldStep();
    if (elsewhere) void navigate({ to: page });
  };
  useShortcuts([
    { keys: "u", label: say("Undo: {label}", { label }), run: undo },
    { keys: "s", label: say("Send now: {label}", { label }), run: () => void sendHeldStep() },
  ]);
  const shown = { step: <strong>{label}</strong>, seconds: <Seconds until_ms={until_ms} /> };
  return (
    <div className={styles["held"]}>
      <p role="status">
        {elsewhere
          ? sayWith("Order {order}: {step} in {seconds}, or when you leave this order.", {
              order: <span className="mono">{page.split("/").at(-1)}</span>,
              ...shown,
            })
          : sayWith("{step} in {seconds}, or when you leave this order.", shown)}
      </p>
      <Button keys="u" onClick={undo}>
        {say("Undo")}
      </Button>
      <Button keys="s" onClick={() => void sendHeldStep()}>
        {say("Send now")}
      </Button>
    </div>
  );
}

/** A screen reader reads the first number, not every second. */
function Seconds({ until_ms }: { until_ms: number }) {
  const left = () => Math.max(0, Math.ceil((until_ms - Date.now()) / 1000));
  const [first] = useState(left);
  const [now, setNow] = useState(first);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `left` depends on the time alone
  useEffect(() => {
    const timer = setInterval(() => setNow(left()), 250);
    return () => clearInterval(timer);
  }, [until_ms]);
  return (
    <>
      <span aria-hidden="true" className={styles["seconds"]}>
        {now} s
      </span>
      <span className="unseen">{say("{count} seconds", { count: first })}</span>
    </>
  );
}
