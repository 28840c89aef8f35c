import { type FormEvent, useState } from "react";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/field.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import { say } from "../../ui/words/say.tsx";
import { Problem } from "../problem.tsx";
import { post } from "./post.ts";
import { csrfToken } from "./session.ts";
import styles from "./sign-in.module.css";

/** Asks for a link to choose a new password. The answer is the same for every address. */
export function ForgottenForm({ email: typed, onBack }: { email: string; onBack: () => void }) {
  const [email, setEmail] = useState(typed);
  const [message, setMessage] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  async function submit(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      setMessage((await post("/session/forgotten", { email }, csrfToken())).message);
    } catch (caught) {
      setError(caught);
    }
    setBusy(false);
  }
  return (
    <form className={styles["form"]} onSubmit={submit}>
      {message === null ? (
        <TextField
          label={say("Email")}
          type="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      ) : (
        <Notice tone="info" title={say("Check your email.")}>
          {message}
        </Notice>
      )}
      {error !== null && <Problem error={error} />}
      {message === null && (
        <Button tone="primary" type="submit" busy={busy}>
          {say("Send a link")}
        </Button>
      )}
      <Button tone="quiet" onClick={onBack}>
        {say("Back to sign-in")}
      </Button>
    </form>
  );
}
