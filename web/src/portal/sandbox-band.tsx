import { useEffect } from "react";
import { useLocation } from "../app/router/router.tsx";
import { useApi } from "../app/use-api.ts";
import { ageText } from "../ui/time.tsx";
import { say } from "../ui/words/say.tsx";
import { environmentIn } from "./environment.ts";
import styles from "./sandbox-band.module.css";

/** The sandbox banner. The whole page takes its color so users cannot mistake it for production. */
export function SandboxBand() {
  const { data } = useApi("/portal");
  const environment = environmentIn(useLocation().pathname);
  useEffect(() => {
    document.documentElement.dataset["environment"] = environment;
  }, [environment]);
  if (environment !== "sandbox") return null;
  const ahead_s = data?.accounts.find((one) => one.environment === environment)?.clock_offset_s ?? 0;
  return (
    <section className={styles["band"]} aria-label={say("Environment")}>
      <strong>{say("Sandbox")}</strong>
      <span>{say("Test data only. Nothing ships to patients.")}</span>
      {ahead_s > 0 && <span>{say("Clock is {duration} ahead.", { duration: ageText(ahead_s * 1000) })}</span>}
    </section>
  );
}
