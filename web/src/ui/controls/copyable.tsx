import { useEffect, useRef, useState } from "react";
import { say } from "../words/say.tsx";
import "./copyable.css";

const NOTICE_MS = 2500;

type Outcome = "idle" | "copied" | "selected";
const buttonText: Record<Outcome, string> = { idle: say("Copy"), copied: say("Copied"), selected: say("Selected") };
const buttonName: Record<Outcome, (label: string) => string> = {
  idle: (label) => say("Copy {label}", { label }),
  copied: (label) => say("Copied {label}", { label }),
  selected: (label) => say("Selected {label}", { label }),
};
const noticeText: Record<Outcome, string> = {
  idle: "",
  copied: say("Copied to the clipboard."),
  selected: say("The text is selected. Copy it with your keyboard."),
};

/**
 * Text with a copy button. `label` names it in the button, as in "Copy token server address". A `tall` block scrolls,
 * with the keyboard too.
 */
export function Copyable({
  text,
  label,
  block = false,
  tall = false,
}: {
  text: string;
  label: string;
  block?: boolean;
  tall?: boolean;
}) {
  const code = useRef<HTMLElement>(null);
  const [outcome, setOutcome] = useState<Outcome>("idle");

  useEffect(() => {
    if (outcome === "idle") return;
    const timer = setTimeout(() => setOutcome("idle"), NOTICE_MS);
    return () => clearTimeout(timer);
  }, [outcome]);

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome("copied");
    } catch {
      // If the browser denies clipboard access, select the text so the user can copy it with one key press.
      if (code.current) getSelection()?.selectAllChildren(code.current);
      setOutcome("selected");
    }
  }

  return (
    <div className={block ? "copyable copyable-block" : "copyable"}>
      {block ? (
        <pre className={tall ? "copyable-tall" : undefined} tabIndex={tall ? 0 : undefined}>
          <code ref={code}>{text}</code>
        </pre>
      ) : (
        <code ref={code}>{text}</code>
      )}
      <button type="button" onClick={copy} aria-label={buttonName[outcome](label)}>
        {buttonText[outcome]}
      </button>
      <span role="status" className="unseen">
        {noticeText[outcome]}
      </span>
    </div>
  );
}
