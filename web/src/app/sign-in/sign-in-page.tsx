import { Button } from "../../ui/controls/button.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import mark from "../../ui/mark.svg";
import { readSession, type SessionState } from "./session.ts";
import styles from "./sign-in.module.css";
import { SignInForm } from "./sign-in.tsx";

/** For whoever comes without a session. The address stays, so that signing in leads where they wanted to go. */
export function SignInPage({ state, name }: { state: SessionState; name: string }) {
  return (
    <main className={styles["page"]}>
      <div className={styles["box"]}>
        <header className={styles["head"]}>
          <img src={mark} alt="" width="40" height="40" />
          <div>
            <h1>Sign in</h1>
            <p className="quiet">{name}</p>
          </div>
        </header>
        {state.phase === "unreachable" && (
          <Notice
            tone="bad"
            title="The service cannot be reached."
            actions={<Button onClick={() => void readSession()}>Try again</Button>}
          />
        )}
        {state.phase === "out" && <SignInForm half={state.half} />}
      </div>
    </main>
  );
}
