import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { Copyable } from "../ui/copyable.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Notice } from "../ui/notice.tsx";
import styles from "./shown-once.module.css";

/** A secret that is seen this once. The rest of what belongs to it stands beside it, ready to be copied. */
export function ShownOnce({
  title,
  secrets,
  onClose,
  children,
  actions,
}: {
  title: string;
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
      actions={
        <>
          {actions}
          <Button tone="primary" onClick={onClose}>
            I have kept it
          </Button>
        </>
      }
    >
      <Notice tone="wait" title="It is shown this once.">
        Nobody can look it up later, not even the pharmacy. Keep it where your program finds it, and out of code that
        others can read.
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
