import { useEffect, useRef } from "react";
import { Button } from "../../ui/controls/button.tsx";
import { showModal } from "../../ui/show-modal.ts";
import { say } from "../../ui/words/say.tsx";
import { Problem } from "../problem.tsx";
import { useChange } from "../use-change.ts";
import { endSession } from "./end-session.ts";
import { signedOut, useSignedIn } from "./session.ts";
import styles from "./sign-in.module.css";
import { SignInForm } from "./sign-in.tsx";

/**
 * Sign-in overlay for a user whose session ended. The shell hides the page underneath, so its data stays private even
 * if the overlay is removed, and its state is kept.
 */
export function SignInLayer() {
  const { email, passkeys } = useSignedIn();
  const dialog = useRef<HTMLDialogElement>(null);
  // Reload only after the session has ended; an active session would show the hidden page again.
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
      // Escape and gestures must not close this. Browsers without `closedby` close it, so reopen it.
      {...{ closedby: "none" }}
      onCancel={(event) => event.preventDefault()}
      onClose={() => dialog.current && showModal(dialog.current)}
    >
      <h2 id="sign-in-again">{say("Sign in again")}</h2>
      <p className="quiet">{say("Your session expired. Your work on this page is still here.")}</p>
      <SignInForm email={email} half={null} passkeys={passkeys > 0 ? location.hostname : null} />
      {leave.error !== null && <Problem error={leave.error} />}
      <Button tone="quiet" busy={leave.busy} onClick={() => void leave.run()}>
        {say("Sign in as someone else")}
      </Button>
    </dialog>
  );
}
