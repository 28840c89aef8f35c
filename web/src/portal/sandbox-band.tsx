import { useLocation } from "@tanstack/react-router";
import { useEffect } from "react";
import { useApi } from "../app/use-api.ts";
import { ageText } from "../ui/time.tsx";
import { environmentIn } from "./environment.ts";
import styles from "./sandbox-band.module.css";

/** Over everything in the sandbox, whose colour the whole page takes: nobody confuses it with production. */
export function SandboxBand() {
  const { data } = useApi("/portal");
  const environment = environmentIn(useLocation().pathname);
  useEffect(() => {
    document.documentElement.dataset["environment"] = environment;
  }, [environment]);
  if (environment !== "sandbox") return null;
  const ahead_s = data?.accounts.find((one) => one.environment === environment)?.clock_offset_s ?? 0;
  return (
    <section className={styles["band"]} aria-label="Environment">
      <strong>Sandbox</strong>
      <span>Nothing here reaches a patient.</span>
      {ahead_s > 0 && <span>Its clock is {ageText(ahead_s * 1000)} ahead.</span>}
    </section>
  );
}
