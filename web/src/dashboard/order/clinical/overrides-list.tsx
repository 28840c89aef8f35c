import { type ClinicalOverride, exceptions, overrideReasons } from "@pestle/contract";
import { Badge } from "../../../ui/badge.tsx";
import { When } from "../../../ui/time.tsx";
import { say, sayName } from "../../../ui/words/say.tsx";
import styles from "./clinical.module.css";

/** Who overrode what, with the code and the reason. */
export function OverridesList({ overrides }: { overrides: readonly ClinicalOverride[] }) {
  if (overrides.length === 0) return null;
  return (
    <section className={styles["part"]}>
      <h3>{say("Overrides")}</h3>
      <ul>
        {overrides.map((one) => (
          <li key={`${one.at} ${one.reason}`}>
            <p className="row">
              <strong>{one.exception_ids.map((id) => sayName(exceptions[id].name)).join(", ")}</strong>
              {!one.signature_holds && <Badge tone="bad">{say("The signature does not match")}</Badge>}
            </p>
            {one.code && <p>{sayName(overrideReasons[one.code])}</p>}
            <p>{one.reason}</p>
            <p className="small quiet">
              {[
                one.who ?? say("A pharmacist"),
                one.license_number && say("license {license_number}", { license_number: one.license_number }),
              ]
                .filter(Boolean)
                .join(", ")}
              , <When at={one.at} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
