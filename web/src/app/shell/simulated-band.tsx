import { PROVIDER_KINDS, providerKinds } from "@pestle/contract";
import { say, sayName, sayWith } from "../../ui/words/say.tsx";
import { useLocation } from "../router/router.tsx";
import { useSignedIn } from "../sign-in/session.ts";
import styles from "./service-banner.module.css";

/** Above every screen while production simulates a provider, so that no one takes invented parcels for real ones. */
export function SimulatedBand() {
  const { simulated } = useSignedIn();
  const { pathname } = useLocation();
  const kinds = PROVIDER_KINDS.filter((kind) => simulated.includes(kind));
  // Everything in the portal's sandbox is simulated, and its own band says so.
  if (kinds.length === 0 || pathname.startsWith("/sandbox")) return null;
  return (
    <p className={styles["banner"]}>
      <span>
        {sayWith("{warning} {kinds}. None of this is real.", {
          warning: <strong>{say("Simulated in production:")}</strong>,
          kinds: kinds.map((kind) => sayName(providerKinds[kind].title)).join(", "),
        })}
      </span>
    </p>
  );
}
