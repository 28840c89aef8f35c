import { useEffect, useRef } from "react";
import { Button } from "../ui/button.tsx";
import { showModal } from "../ui/show-modal.ts";
import { signedOut, useSignedIn } from "./session.ts";
import styles from "./sign-in.module.css";
import { SignInForm } from "./sign-in.tsx";

/** Covers the page of whoever was signed out: nobody reads it meanwhile, and nothing on it is lost. */
export function SignInLayer() {
  const { email } = useSignedIn();
  const dialog = useRef<HTMLDialogElement>(null);
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
      // Escape must not uncover it.
      onCancel={(event) => event.preventDefault()}
      onKeyDown={(event) => event.key === "Escape" && event.preventDefault()}
    >
      <h2 id="sign-in-again">Sign in again</h2>
      <p className="quiet">Your session is over. Everything stays as you left it.</p>
      <SignInForm email={email} half={null} />
      <Button tone="quiet" onClick={signedOut}>
        Sign in as somebody else
      </Button>
    </dialog>
  );
}
