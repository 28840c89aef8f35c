import { Button } from "../../ui/controls/button.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";

/** Says whether the invitation reached the mail server. */
export function Invited({
  person,
  mailed,
  onClose,
}: {
  person: { name: string; email: string };
  mailed: boolean;
  onClose: () => void;
}) {
  return (
    <Dialog
      title={
        mailed
          ? say("{name} is invited", { name: person.name })
          : say("{name} has no invitation yet", { name: person.name })
      }
      onClose={onClose}
      actions={
        <Button tone="primary" onClick={onClose}>
          {say("Close")}
        </Button>
      }
    >
      {mailed ? (
        <p>{sayWith("We sent a link to {email}. It works once, within three days.", { email: person.email })}</p>
      ) : (
        <p>
          {sayWith("The email to {email} could not be sent. Reset the password to show one, and tell the operator.", {
            email: person.email,
          })}
        </p>
      )}
    </Dialog>
  );
}
