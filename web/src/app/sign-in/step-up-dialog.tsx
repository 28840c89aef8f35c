import { useState } from "react";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/field.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { api } from "../api.ts";
import { Problem } from "../problem.tsx";
import { useChange } from "../use-change.ts";
import { CODE_HINT, CODE_PATTERN, countDown } from "./recovery-codes.tsx";
import { signedIn, useSignedIn } from "./session.ts";
import { endStepUp } from "./step-up.ts";

/** Asks for the code or the password again before a sensitive change. The change then runs by itself. */
export function StepUpDialog() {
  const { totp_on } = useSignedIn();
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
  const change = (code: boolean) => {
    setWithCode(code);
    setText("");
    verify.forget();
  };
  return (
    <Dialog
      title="Confirm that it is you"
      onClose={() => endStepUp(false)}
      onSubmit={() => void verify.run()}
      actions={
        <>
          {totp_on && (
            <Button tone="quiet" onClick={() => change(!with_code)}>
              {with_code ? "Use the password" : "Use a code"}
            </Button>
          )}
          <Button tone="primary" type="submit" busy={verify.busy}>
            Confirm
          </Button>
        </>
      }
    >
      <p>This action needs a recent sign-in.</p>
      {with_code ? (
        <TextField
          key="code"
          label="Code"
          hint={CODE_HINT}
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
          label="Password"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {verify.error !== null && <Problem error={verify.error} />}
    </Dialog>
  );
}
