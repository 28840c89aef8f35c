import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Copyable } from "./copyable.tsx";
import { Dialog } from "./dialog.tsx";
import { Notice } from "./notice.tsx";
import styles from "./shown-once.module.css";

/** A secret that is seen this once, with what belongs to it, ready to be copied. `children` say where to keep it. */
export function ShownOnce({
  title,
  secrets,
  onClose,
  children,
}: {
  title: ReactNode;
  secrets: readonly { label: string; text: string }[];
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      wide
      actions={
        <Button tone="primary" onClick={onClose}>
          I have kept it
        </Button>
      }
    >
      <Notice tone="wait" title="It is shown this once.">
        {children}
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
    </Dialog>
  );
}
