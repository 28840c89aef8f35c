import type { NewCredentialRequest, ShownCredential } from "@pestle/contract";
import { useState } from "react";
import { api, problemOf } from "../../app/api.ts";
import type { ReadPrefix } from "../../app/api-path.ts";
import { Problem } from "../../app/problem.tsx";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/field.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { say } from "../../ui/words/say.tsx";

export function NewCredential({
  path,
  reads,
  onClose,
  onCreated,
}: {
  path: `/dashboard/partners/${string}/credentials`;
  reads: readonly ReadPrefix[];
  onClose: () => void;
  onCreated: (shown: ShownCredential) => void;
}) {
  const [name, setName] = useState("");
  const create = useChange(
    () => {
      const body: NewCredentialRequest = { name: name.trim() };
      return api(path, { method: "POST", body });
    },
    { reads, after: onCreated },
  );
  return (
    <Dialog
      title={say("New credential")}
      onClose={onClose}
      onSubmit={() => void create.run()}
      actions={
        <>
          <Button onClick={onClose}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit" busy={create.busy}>
            {say("Create credential")}
          </Button>
        </>
      }
    >
      <TextField
        label={say("Name")}
        hint={say("The app that will use it. Give each app its own credential.")}
        required
        autoFocus
        maxLength={100}
        value={name}
        problem={problemOf(create.error, "name")}
        onChange={(event) => setName(event.target.value)}
      />
      {create.error !== null && problemOf(create.error, "name") === null && <Problem error={create.error} />}
    </Dialog>
  );
}
