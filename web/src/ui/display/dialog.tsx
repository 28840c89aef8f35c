import { type FormEvent, type ReactNode, useEffect, useId, useRef } from "react";
import { IconButton } from "../controls/button.tsx";
import { showModal } from "../show-modal.ts";
import styles from "./dialog.module.css";

type Given = {
  title: ReactNode;
  onClose: () => void;
  children: ReactNode;
  /**
   * Stand at the bottom; with `onSubmit` the last is usually of type submit. The focus goes to the first field, or else
   * to the first of these, or to the one with `data-first`.
   */
  actions?: ReactNode;
  onSubmit?: () => void;
  wide?: boolean;
};

/**
 * A layer over the page, while it is rendered. The browser keeps the focus inside, gives it back afterwards and closes
 * it with Escape. What was typed on the page stays as it is.
 */
export function Dialog({ title, onClose, children, actions, onSubmit, wide }: Given) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current!;
    showModal(shown);
    // The browser would take the button that closes it, and Enter would then close it.
    const inside = ["[data-first]", `.${styles["body"]} :is(input, select, textarea, button)`, "footer button"];
    for (const found of inside.flatMap((one) => shown.querySelector<HTMLElement>(one) ?? []).slice(0, 1)) found.focus();
    return () => shown.close();
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  const inside = (
    <>
      <header className={styles["head"]}>
        <h2 id={id}>{title}</h2>
        <IconButton label="Close" icon="close" onClick={onClose} />
      </header>
      <div className={styles["body"]}>{children}</div>
      {actions && <footer className={styles["foot"]}>{actions}</footer>}
    </>
  );
  return (
    <dialog
      ref={dialog}
      className={`${styles["dialog"]} ${wide ? styles["wide"] : ""}`}
      aria-labelledby={id}
      onCancel={(event) => {
        // A file chooser that is closed inside also says `cancel`.
        if (event.target !== dialog.current) return;
        event.preventDefault();
        onClose();
      }}
    >
      {onSubmit ? <form onSubmit={submit}>{inside}</form> : inside}
    </dialog>
  );
}
