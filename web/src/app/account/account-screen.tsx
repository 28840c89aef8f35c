import { Page } from "../shell/page.tsx";
import { useSignedIn } from "../sign-in/session.ts";
import { PasskeysCard } from "./passkeys-card.tsx";
import { RecoveryCard } from "./recovery-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";

/** The user's own sign-in. The same in the dashboard and in the portal. */
export function AccountScreen() {
  const { totp_on, passkeys } = useSignedIn();
  return (
    <Page title="Your sign-in" about="Where you are signed in, and how.">
      <SessionsCard />
      <PasskeysCard />
      {(totp_on || passkeys > 0) && <RecoveryCard />}
    </Page>
  );
}
