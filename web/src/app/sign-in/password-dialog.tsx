import { useState } from "react";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/field.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { say } from "../../ui/words/say.tsx";
import { api } from "../api.ts";
import { Problem } from "../problem.tsx";
import { useChange } from "../use-change.ts";
import { NewPasswordField } from "./new-password-field.tsx";

/** Changes the signed-in user's password. */
export function PasswordDialog({ onClose }: { onClose: () => void }) {
  const [password, setPassword] = useState("");
  const [new_password, setNewPassword] = useState("");
  const change = useChange(() => api("/session/password", { method: "POST", body: { password, new_password } }), {
    done: say("Password changed. You are signed out on all other devices."),
    after: onClose,
  });
  return (
    <Dialog
      title={say("Change your password")}
      onClose={onClose}
      onSubmit={() => void change.run()}
      actions={
        <Button tone="primary" type="submit" busy={change.busy}>
          {say("Change password")}
        </Button>
      }
    >
      <TextField
        label={say("Current password")}
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      <NewPasswordField value={new_password} onChange={setNewPassword} />
      {change.error !== null && <Problem error={change.error} />}
    </Dialog>
  );
}
