import type { PortalCredentialInput, PortalShownSecret } from "@pestle/contract";
import { useState } from "react";
import { api, problemOf } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/field.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { say } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";

export function CreateCredential({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (shown: PortalShownSecret) => void;
}) {
  const { api_base } = usePortal();
  const [name, setName] = useState("");
  const path = `${api_base}/credentials` as const;
  const create = useChange(() => api(path, { method: "POST", body: { name } satisfies PortalCredentialInput }), {
    reads: [path, `${api_base}/home`],
    after: onCreated,
  });
  return (
    <Dialog
      title={say("New credential")}
      onClose={onClose}
      onSubmit={() => void create.run()}
      actions={
        <>
          <Button onClick={onClose}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit" busy={create.busy}>
            {say("Create")}
          </Button>
        </>
      }
    >
      <TextField
        label={say("Name")}
        hint={say("The app that uses it, such as “order service”.")}
        required
        maxLength={100}
        autoFocus
        value={name}
        problem={problemOf(create.error, "name")}
        onChange={(event) => setName(event.target.value)}
      />
      {create.error !== null && problemOf(create.error, "name") === null && <Problem error={create.error} />}
    </Dialog>
  );
}
