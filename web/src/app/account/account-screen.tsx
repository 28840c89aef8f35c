import { Page } from "../shell/page.tsx";
import { useSignedIn } from "../sign-in/session.ts";
import { RecoveryCard } from "./recovery-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";

/** The user's own sign-in. The same in the dashboard and in the portal. */
export function AccountScreen() {
  const { totp_on } = useSignedIn();
  return (
    <Page title="Your sign-in" about="Where you are signed in, and how.">
      <SessionsCard />
      {totp_on && <RecoveryCard />}
    </Page>
  );
}
