import type { ReactNode } from "react";
import { Dialog } from "../display/dialog.tsx";
import { Notice } from "../display/notice.tsx";
import { say } from "../words/say.tsx";
import { Button } from "./button.tsx";
import { Copyable } from "./copyable.tsx";
import styles from "./shown-once.module.css";

/** Shows a secret one time only, with a copy button. It stays until the user says that it is saved. */
export function ShownOnce({
  title,
  lead,
  keep,
  secrets,
  onClose,
  children,
  actions,
}: {
  title: ReactNode;
  /** Above the secrets. */
  lead?: ReactNode;
  /** Where to store it or how to share it. */
  keep: ReactNode;
  secrets: readonly { label: string; text: string }[];
  onClose: () => void;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      wide
      stays
      actions={
        <>
          {actions}
          <Button tone="primary" onClick={onClose}>
            {say("I saved it")}
          </Button>
        </>
      }
    >
      {lead}
      <Notice tone="wait" title={say("You won't see this again.")}>
        {keep}
      </Notice>
      <dl className={styles["secrets"]}>
        {secrets.map(({ label, text }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <Copyable block text={text} label={label} />
            </dd>
          </div>
        ))}
      </dl>
      {children}
    </Dialog>
  );
}
