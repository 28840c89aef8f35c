import { Page } from "../shell/page.tsx";
import { SessionsCard } from "./sessions-card.tsx";

/** The user's own sign-in. The same in the dashboard and in the portal. */
export function AccountScreen() {
  return (
    <Page title="Your sign-in" about="Where you are signed in, and how.">
      <SessionsCard />
    </Page>
  );
}
