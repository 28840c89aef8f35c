import type { ReactNode } from "react";
import { say } from "../../ui/words/say.tsx";
import { Page } from "../shell/page.tsx";
import { useSignedIn } from "../sign-in/session.ts";
import { PasskeysCard } from "./passkeys-card.tsx";
import { RecoveryCard } from "./recovery-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";

/** The user's own sign-in. The dashboard adds cards of its own. */
export function AccountScreen({ children }: { children?: ReactNode }) {
  const { totp_on, passkeys } = useSignedIn();
  return (
    <Page title={say("Your sign-in")} about={say("Where you are signed in, and how.")}>
      <SessionsCard />
      <PasskeysCard />
      {(totp_on || passkeys > 0) && <RecoveryCard />}
      {children}
    </Page>
  );
}
