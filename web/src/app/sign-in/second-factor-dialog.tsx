import { useState } from "react";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/field.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { toast } from "../../ui/display/toast.tsx";
import { say } from "../../ui/words/say.tsx";
import { bodyOf, errorOf, send } from "../api.ts";
import { Problem } from "../problem.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { SecondFactorSetUp } from "./second-factor.tsx";
import { signedIn, useSignedIn } from "./session.ts";

/** Sets up two-factor authentication for a signed-in user who does not have it. */
export function SecondFactorDialog({ onClose }: { onClose: () => void }) {
  const { csrf_token } = useSignedIn();
  const [code, setCode] = useState("");
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  async function submit() {
    try {
      // A wrong code also returns 401, but the session is still valid.
      const response = await send("/session/code", {
        method: "POST",
        headers: { accept: "application/json", "content-type": "application/json", "x-csrf-token": csrf_token },
        body: JSON.stringify({ code: code.replaceAll(" ", "") }),
      });
      if (!response.ok) throw await errorOf(response);
      const answer = await bodyOf("POST /session/code", response);
      signedIn(answer);
      toast(say("Two-factor authentication is on."));
      if (answer.recovery_codes === undefined) onClose();
      else setCodes(answer.recovery_codes);
    } catch (caught) {
      setError(caught);
    }
  }
  if (codes !== null) return <RecoveryCodes codes={codes} onClose={onClose} />;
  return (
    <Dialog
      title={say("Set up two-factor authentication")}
      onClose={onClose}
      onSubmit={submit}
      actions={
        <Button tone="primary" type="submit">
          {say("Verify code")}
        </Button>
      }
    >
      <SecondFactorSetUp csrf_token={csrf_token} />
      <TextField
        label={say("Code")}
        hint={say("The 6-digit code from your authenticator app.")}
        inputMode="numeric"
        autoComplete="one-time-code"
        pattern="[0-9 ]{6,7}"
        required
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      {error !== null && <Problem error={error} />}
    </Dialog>
  );
}
