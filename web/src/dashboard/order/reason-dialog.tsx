import { NOTE_CHARACTERS } from "@pestle/contract";
import { type ReactNode, useRef, useState } from "react";
import { Problem } from "../../app/problem.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { TextArea } from "../../ui/controls/field.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { say } from "../../ui/words/say.tsx";
import type { DoWork } from "./use-order.ts";

/** Unsent dialog text, keyed by dialog title. */
export type Drafts = Map<string, string>;

/** Keeps drafts while the page is open, so closing a dialog to check the order does not lose the text. */
export const useDrafts = (): Drafts => useRef<Drafts>(new Map()).current;

/** Asks for a reason or note before an action. */
export function ReasonDialog({
  title,
  label = say("Reason"),
  hint,
  submit,
  close: closeName = say("Cancel"),
  danger = false,
  shortest,
  children,
  below,
  drafts,
  work,
  onClose,
  onSubmit,
}: {
  title: string;
  label?: string;
  hint?: ReactNode;
  submit: string;
  /** Label of the button that closes the dialog, where "Cancel" would be ambiguous. */
  close?: string;
  danger?: boolean;
  /** Minimum length of the reason. */
  shortest?: number | undefined;
  /** Fields above the reason. The first of them has the focus. */
  children?: ReactNode;
  /** What helps to write the text, below it. */
  below?: (text: string, write: (text: string) => void) => ReactNode;
  /** The caller clears them after sending. */
  drafts: Drafts;
  work: DoWork;
  onClose: () => void;
  onSubmit: (reason: string) => void;
}) {
  const [reason, setReason] = useState(drafts.get(title) ?? "");
  const write = (text: string) => {
    drafts.set(title, text);
    setReason(text);
  };
  const close = () => {
    work.forget();
    onClose();
  };
  return (
    <Dialog
      title={title}
      onClose={close}
      onSubmit={() => onSubmit(reason)}
      actions={
        <>
          <Button onClick={close}>{closeName}</Button>
          <Button tone={danger ? "danger" : "primary"} type="submit" busy={work.busy}>
            {submit}
          </Button>
        </>
      }
    >
      {children}
      <TextArea
        label={label}
        hint={hint}
        required
        autoFocus={!children}
        minLength={shortest}
        maxLength={NOTE_CHARACTERS}
        value={reason}
        onChange={({ target: { value } }) => write(value)}
      />
      {below?.(reason, write)}
      {work.error !== null && <Problem error={work.error} />}
    </Dialog>
  );
}
