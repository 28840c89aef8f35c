import { useState } from "react";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/field.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { say } from "../../ui/words/say.tsx";
import { api } from "../api.ts";
import { Problem } from "../problem.tsx";
import { useChange } from "../use-change.ts";
import { givePasskey } from "./passkey.ts";
import { CODE_PATTERN, codeHint, countDown } from "./recovery-codes.tsx";
import { signedIn, useSignedIn } from "./session.ts";
import { startSso } from "./single-sign-on.tsx";
import { endStepUp } from "./step-up.ts";

/** Asks for the code or the password again before a sensitive change. The change then runs by itself. */
export function StepUpDialog() {
  const session = useSignedIn();
  const { totp_on, passkeys, opened_with, csrf_token } = session;
  const [with_code, setWithCode] = useState(totp_on);
  const [text, setText] = useState("");
  const verify = useChange(
    () =>
      api("/session/verify", {
        method: "POST",
        body: with_code ? { code: text.replaceAll(" ", "") } : { password: text },
      }),
    {
      after: (session) => {
        if (with_code) countDown(text, session.recovery_codes_left);
        signedIn(session, false);
        endStepUp(true);
      },
    },
  );
  const use = useChange(() => givePasskey("confirm", csrf_token), { after: () => endStepUp(true) });
  const again = useChange(() => startSso(session.email));
  const error = verify.error ?? use.error ?? again.error;
  const change = (code: boolean) => {
    setWithCode(code);
    setText("");
    verify.forget();
  };
  return (
    <Dialog
      title={say("Confirm that it is you")}
      onClose={() => endStepUp(false)}
      onSubmit={() => void verify.run()}
      actions={
        <>
          {totp_on && (
            <Button tone="quiet" onClick={() => change(!with_code)}>
              {with_code ? say("Use the password") : say("Use a code")}
            </Button>
          )}
          {opened_with === "sso" && (
            <Button busy={again.busy} onClick={() => void again.run()}>
              {say("Sign in again")}
            </Button>
          )}
          {passkeys > 0 && (
            <Button icon="key" busy={use.busy} onClick={() => void use.run()}>
              {say("Use a passkey")}
            </Button>
          )}
          <Button tone="primary" type="submit" busy={verify.busy}>
            {say("Confirm")}
          </Button>
        </>
      }
    >
      <p>
        {opened_with === "sso"
          ? say(
              "This action needs a recent sign-in. If you have no password here, sign in again: the browser leaves this page.",
            )
          : say("This action needs a recent sign-in.")}
      </p>
      {with_code ? (
        <TextField
          key="code"
          label={say("Code")}
          hint={codeHint(session)}
          autoComplete="one-time-code"
          pattern={CODE_PATTERN}
          required
          autoFocus
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      ) : (
        <TextField
          key="password"
          label={say("Password")}
          type="password"
          autoComplete="current-password"
          required
          autoFocus
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {error !== null && <Problem error={error} />}
    </Dialog>
  );
}
