import { createElement as el, type ReactNode } from "react";
import guide from "../../../../docs/guides/dashboard.md?raw";
import { Button, buttonClass } from "../../ui/controls/button.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { language } from "../../ui/words/language.ts";
import { say, sayName } from "../../ui/words/say.tsx";
import { type Block, blocksOf, GUIDE, type Inline, sectionOf } from "./guide-text.ts";
import styles from "./help.module.css";
import { helpSections } from "./sections.ts";

/** The guide's section about a screen. */
export function HelpPanel({ path, onClose, onTour }: { path: string; onClose: () => void; onTour: () => void }) {
  const heading = helpSections[path] ?? "The queues";
  return (
    <Dialog
      title={sayName(heading)}
      onClose={onClose}
      wide
      actions={
        <>
          <Button onClick={onTour}>{say("Take the tour")}</Button>
          <a className={buttonClass()} href={GUIDE} target="_blank" rel="noreferrer">
            {say("Open the whole guide")}
          </a>
          <Button tone="primary" data-first onClick={onClose}>
            {say("Close")}
          </Button>
        </>
      }
    >
      {language !== "en-US" && <p className="quiet">{say("This guide is in English.")}</p>}
      {el("div", { className: styles["text"] }, ...blocksOf(sectionOf(guide, heading) ?? "").map(shownBlock))}
    </Dialog>
  );
}

// As arguments and not as lists, because parts of a fixed text need no keys.
function shownBlock(block: Block): ReactNode {
  if (block.kind === "paragraph") return el("p", null, ...block.text.map(shownInline));
  if (block.kind === "list") return el(block.ordered ? "ol" : "ul", null, ...block.items.map(cell("li")));
  const rows = block.rows.map((row) => el("tr", null, ...row.map(cell("td"))));
  const head = el("thead", null, el("tr", null, ...block.head.map(cell("th", { scope: "col" }))));
  return el("div", { className: styles["table"] }, el("table", null, head, el("tbody", null, ...rows)));
}

const cell =
  (name: "li" | "td" | "th", props: Record<string, string> | null = null) =>
  (parts: readonly Inline[]): ReactNode =>
    el(name, props, ...parts.map(shownInline));

function shownInline(part: Inline): ReactNode {
  if (part.kind === "link") {
    return (
      <a href={part.href} target="_blank" rel="noreferrer">
        {part.text}
      </a>
    );
  }
  if (part.kind === "strong") return <strong>{part.text}</strong>;
  return part.kind === "code" ? <kbd>{part.text}</kbd> : part.text;
}
