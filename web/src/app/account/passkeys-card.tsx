import { LONGEST_PASSKEY_NAME, type ShownPasskey } from "@pestle/contract";
import { useState } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { TextField } from "../../ui/controls/field.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { toast } from "../../ui/display/toast.tsx";
import { Age, When } from "../../ui/time.tsx";
import { say } from "../../ui/words/say.tsx";
import { api } from "../api.ts";
import { Confirm } from "../confirm.tsx";
import { Loaded } from "../loaded.tsx";
import { Problem } from "../problem.tsx";
import { createPasskey } from "../sign-in/passkey.ts";
import { RecoveryCodes } from "../sign-in/recovery-codes.tsx";
import { readSession } from "../sign-in/session.ts";
import { useApi } from "../use-api.ts";
import { useChange } from "../use-change.ts";
import { deviceName } from "./device-name.ts";

const reads = ["/session/passkeys"] as const;
type Open = { deed: "add" } | { deed: "rename" | "remove"; passkey: ShownPasskey };

/** The user's passkeys: add, rename and remove. */
export function PasskeysCard() {
  const query = useApi("/session/passkeys");
  const [open, setOpen] = useState<Open | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const close = () => setOpen(null);
  const columns: readonly Column<ShownPasskey>[] = [
    {
      title: say("Name"),
      cell: ({ name, backed_up }) => (
        <span className="row">
          {name}
          {backed_up && <Badge tone="info">{say("Synced")}</Badge>}
        </span>
      ),
    },
    { title: say("Added"), cell: ({ created_at }) => <When at={created_at} /> },
    {
      title: say("Last used"),
      cell: ({ last_used_at }) =>
        last_used_at === null ? <span className="quiet">{say("never")}</span> : <Age since={last_used_at} />,
    },
    {
      title: say("Actions"),
      unseen: true,
      cell: (passkey) => (
        <span className="row">
          <Button
            aria-label={say("Rename {name}", { name: passkey.name })}
            onClick={() => setOpen({ deed: "rename", passkey })}
          >
            {say("Rename")}
          </Button>
          <Button
            aria-label={say("Remove {name}", { name: passkey.name })}
            onClick={() => setOpen({ deed: "remove", passkey })}
          >
            {say("Remove")}
          </Button>
        </span>
      ),
    },
  ];
  return (
    <Loaded query={query} lines={2}>
      {({ passkeys }) => (
        <Card
          title={say("Passkeys")}
          flush={passkeys.length > 0}
          actions={
            <Button icon="plus" onClick={() => setOpen({ deed: "add" })}>
              {say("Add a passkey")}
            </Button>
          }
        >
          {passkeys.length === 0 ? (
            <p>
              {say("With a passkey you sign in by fingerprint, face, PIN or security key. Copied pages cannot use it.")}
            </p>
          ) : (
            <Table
              caption={say("Passkeys")}
              columns={columns}
              rows={passkeys}
              rowKey={({ passkey_id }) => passkey_id}
            />
          )}
          {open?.deed === "add" && <AddDialog onClose={close} onCodes={setCodes} />}
          {open?.deed === "rename" && <RenameDialog passkey={open.passkey} onClose={close} />}
          {open?.deed === "remove" && <RemoveDialog passkey={open.passkey} onClose={close} />}
          {codes !== null && <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />}
        </Card>
      )}
    </Loaded>
  );
}

function AddDialog({ onClose, onCodes }: { onClose: () => void; onCodes: (codes: readonly string[]) => void }) {
  const add = useChange(
    async (name: string) => {
      const credential = await createPasskey(await api("/session/passkey/new", { method: "POST" }));
      return api("/session/passkeys", { method: "POST", body: { name, credential } });
    },
    {
      reads,
      after: ({ recovery_codes }) => {
        toast(say("Passkey added."));
        void readSession();
        onClose();
        if (recovery_codes !== undefined) onCodes(recovery_codes);
      },
    },
  );
  return (
    <NameDialog
      title={say("Add a passkey")}
      name={deviceName(navigator.userAgent)}
      confirm={say("Continue")}
      change={add}
      onClose={onClose}
    >
      <p>{say("Your browser then asks where to keep it.")}</p>
    </NameDialog>
  );
}

function RenameDialog({ passkey, onClose }: { passkey: ShownPasskey; onClose: () => void }) {
  const { passkey_id, name } = passkey;
  const rename = useChange(
    (given: string) => api(`/session/passkeys/${passkey_id}`, { method: "PATCH", body: { name: given } }),
    { reads, done: say("Passkey renamed."), after: onClose },
  );
  return (
    <NameDialog
      title={say("Rename the passkey")}
      name={name}
      confirm={say("Rename")}
      change={rename}
      onClose={onClose}
    />
  );
}

function RemoveDialog({ passkey, onClose }: { passkey: ShownPasskey; onClose: () => void }) {
  const remove = useChange(() => api(`/session/passkeys/${passkey.passkey_id}`, { method: "DELETE" }), {
    reads,
    done: say("Passkey removed."),
    after: () => {
      void readSession();
      onClose();
    },
  });
  return (
    <Confirm
      title={say("Remove “{name}”?", { name: passkey.name })}
      confirm={say("Remove the passkey")}
      change={remove}
      onClose={onClose}
    >
      <p>{say("It no longer signs you in. Delete it on the device too.")}</p>
    </Confirm>
  );
}

function NameDialog({
  title,
  name: before,
  confirm,
  change,
  onClose,
  children,
}: {
  title: string;
  name: string;
  confirm: string;
  change: ReturnType<typeof useChange<[string], unknown>>;
  onClose: () => void;
  children?: React.ReactNode;
}) {
  const [name, setName] = useState(before);
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => void change.run(name)}
      actions={
        <Button tone="primary" type="submit" busy={change.busy}>
          {confirm}
        </Button>
      }
    >
      {children}
      <TextField
        label={say("Name")}
        hint={say("So that you recognize it in the list.")}
        required
        maxLength={LONGEST_PASSKEY_NAME}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      {change.error !== null && <Problem error={change.error} />}
    </Dialog>
  );
}
