import type { SignInLink } from "@pestle/contract";
import { type FormEvent, useEffect, useState } from "react";
import { Button } from "../../ui/controls/button.tsx";
import { Notice, Skeleton } from "../../ui/display/notice.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import { Problem } from "../problem.tsx";
import { NewPasswordField } from "./new-password-field.tsx";
import { post } from "./post.ts";
import { csrfToken } from "./session.ts";
import styles from "./sign-in.module.css";

/** The token of a one-time link. It is behind `#`, so the browser never sends it with a request. */
export const linkToken = (): string | null => /^#link=([\w-]{43})$/.exec(location.hash)?.[1] ?? null;

/** Chooses a password with a link from an email. */
export function LinkForm({ token, onDone }: { token: string; onDone: () => void }) {
  const [link, setLink] = useState<SignInLink | null>(null);
  const [new_password, setPassword] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const [saved, setSaved] = useState(false);
  useEffect(() => {
    post("/session/link", { token }, csrfToken()).then(setLink, setError);
  }, [token]);
  const leave = () => {
    history.replaceState(null, "", location.pathname);
    onDone();
  };
  async function submit(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await post("/session/link/password", { token, new_password }, csrfToken());
      setSaved(true);
    } catch (caught) {
      setError(caught);
    }
    setBusy(false);
  }
  if (saved) {
    return (
      <div className={styles["form"]}>
        <Notice tone="good" title={say("Your password is saved.")}>
          {say("Sign in with it now.")}
        </Notice>
        <Button tone="primary" onClick={leave}>
          {say("Continue to sign-in")}
        </Button>
      </div>
    );
  }
  return (
    <form className={styles["form"]} onSubmit={submit}>
      {link === null && error === null && <Skeleton lines={3} />}
      {link !== null && (
        <>
          <p>{sayWith("Choose a password for {email}.", { email: <strong>{link.email}</strong> })}</p>
          <NewPasswordField value={new_password} onChange={setPassword} />
        </>
      )}
      {error !== null && <Problem error={error} />}
      {link !== null && (
        <Button tone="primary" type="submit" busy={busy}>
          {say("Save password")}
        </Button>
      )}
      <Button tone="quiet" onClick={leave}>
        {say("Back to sign-in")}
      </Button>
    </form>
  );
}
