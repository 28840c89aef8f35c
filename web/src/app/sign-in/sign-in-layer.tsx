import { useEffect, useRef } from "react";
import { Button } from "../../ui/controls/button.tsx";
import { showModal } from "../../ui/show-modal.ts";
import { Problem } from "../problem.tsx";
import { useChange } from "../use-change.ts";
import { endSession } from "./end-session.ts";
import { signedOut, useSignedIn } from "./session.ts";
import styles from "./sign-in.module.css";
import { SignInForm } from "./sign-in.tsx";

/**
 * Stands over the page of whoever was signed out, for as long as it is rendered. The frame hides the page meanwhile:
 * nobody reads it, even where a browser would take this away, and nothing on it is lost.
 */
export function SignInLayer() {
  const { email } = useSignedIn();
  const dialog = useRef<HTMLDialogElement>(null);
  // A page that came back while the session is still there would show what this covers.
  const leave = useChange(endSession, { after: signedOut });
  useEffect(() => {
    const shown = dialog.current!;
    showModal(shown);
    return () => shown.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={styles["layer"]}
      aria-labelledby="sign-in-again"
      // Neither Escape nor a gesture closes it; where a browser does not know that, it opens again.
      {...{ closedby: "none" }}
      onCancel={(event) => event.preventDefault()}
      onClose={() => dialog.current && showModal(dialog.current)}
    >
      <h2 id="sign-in-again">Sign in again</h2>
      <p className="quiet">Your session is over. Everything stays as you left it.</p>
      <SignInForm email={email} half={null} />
      {leave.error !== null && <Problem error={leave.error} />}
      <Button tone="quiet" busy={leave.busy} onClick={() => void leave.run()}>
        Sign in as somebody else
      </Button>
    </dialog>
  );
}
