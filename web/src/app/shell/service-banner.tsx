import { Button } from "../../ui/controls/button.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import { look, useServiceDown } from "../service-reach.ts";
import styles from "./service-banner.module.css";

/** Above every screen while the service does not answer. The page tries again by itself, with growing pauses. */
export function ServiceBanner() {
  const down = useServiceDown();
  return (
    <div role="alert">
      {down && (
        <p className={styles["banner"]}>
          <span>
            {sayWith("{warning} What you see may be old, and nothing is saved. Pestle tries again automatically.", {
              warning: <strong>{say("Cannot reach Pestle.")}</strong>,
            })}
          </span>
          <Button small icon="refresh" onClick={() => void look()}>
            {say("Try now")}
          </Button>
        </p>
      )}
    </div>
  );
}
