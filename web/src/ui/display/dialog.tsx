import { type FormEvent, type ReactNode, useEffect, useId, useRef } from "react";
import { IconButton } from "../controls/button.tsx";
import { showModal } from "../show-modal.ts";
import { say } from "../words/say.tsx";
import styles from "./dialog.module.css";

type Given = {
  title: ReactNode;
  onClose: () => void;
  children: ReactNode;
  /**
   * Footer buttons; with `onSubmit`, the last is usually of type submit. Focus goes to `data-first`, else to the first
   * field, else to the first of these buttons.
   */
  actions?: ReactNode;
  onSubmit?: () => void;
  wide?: boolean;
  /** Only a button of `actions` closes it: neither Escape nor a cross, because what it shows would be lost. */
  stays?: boolean;
};

/** A modal dialog. The browser traps focus inside, restores it afterwards, and closes the dialog on Escape. */
export function Dialog({ title, onClose, children, actions, onSubmit, wide, stays = false }: Given) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current!;
    showModal(shown);
    // By default the browser focuses the Close button, and Enter would then close the dialog.
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
        {!stays && <IconButton label={say("Close")} icon="close" onClick={onClose} />}
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
        // Closing a file picker inside the dialog also fires `cancel`.
        if (event.target !== dialog.current) return;
        event.preventDefault();
        if (!stays) onClose();
      }}
      {...(stays && {
        // Browsers without `closedby` close it at the second Escape, so open it again.
        closedby: "none",
        onClose: () => dialog.current && showModal(dialog.current),
      })}
    >
      {onSubmit ? <form onSubmit={submit}>{inside}</form> : inside}
    </dialog>
  );
}
