import { Button } from "../../ui/controls/button.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";

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
      title={mailed ? `${person.name} is invited` : `${person.name} has no invitation yet`}
      onClose={onClose}
      actions={
        <Button tone="primary" onClick={onClose}>
          Close
        </Button>
      }
    >
      {mailed ? (
        <p>We sent a link to {person.email}. It works once, within three days.</p>
      ) : (
        <p>The email to {person.email} could not be sent. Reset the password to show one, and tell the operator.</p>
      )}
    </Dialog>
  );
}
