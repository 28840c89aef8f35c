import { portalRoleNames } from "@pestle/contract";
import { Button, buttonClass } from "../../ui/controls/button.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import { Problem } from "../problem.tsx";
import { endSession } from "../sign-in/end-session.ts";
import { type Session, signedOut } from "../sign-in/session.ts";
import { useChange } from "../use-change.ts";
import { Page } from "./page.tsx";

/** For users who open the wrong app (dashboard or portal). It shows none of that app's data and links to their own. */
export function Elsewhere({ session: { role, name, email } }: { session: Session }) {
  const [path, own] = (portalRoleNames as readonly string[]).includes(role)
    ? ["/portal", say("Go to the partner portal")]
    : ["/dashboard", say("Go to the dashboard")];
  const leave = useChange(endSession, { after: signedOut });
  return (
    <main>
      <Page title={say("Not found")}>
        <Empty title={say("Page not found")}>
          <div className="stack">
            <p>
              {sayWith("You are signed in as {name} ({email}). This account does not have access to this page.", {
                name,
                email,
              })}
            </p>
            {leave.error !== null && <Problem error={leave.error} />}
            <p>
              <a className={buttonClass("primary")} href={path}>
                {own}
              </a>{" "}
              <Button busy={leave.busy} onClick={() => void leave.run()}>
                {say("Sign out")}
              </Button>
            </p>
          </div>
        </Empty>
      </Page>
    </main>
  );
}
