import "./samples.css";
import { copyButton } from "../../site/copy-buttons.ts";
import { type CodeSample, codeSamples } from "./code-samples.ts";
import type { DescribedCall } from "./described-call.ts";

/** The language that the reader chose last, for the operations opened after it. */
let chosen: CodeSample["language"] = "curl";

/** Fills `place` with the code samples of an operation: a button for each language, and one that copies. */
export function showSamples(place: HTMLElement, call: DescribedCall): void {
  const samples = codeSamples(call);
  const heading = document.createElement("h4");
  heading.textContent = "Code samples";
  const languages = document.createElement("div");
  languages.className = "samples-languages";
  languages.setAttribute("role", "group");
  languages.setAttribute("aria-label", "Language");
  const code = document.createElement("code");
  const text = document.createElement("pre");
  text.append(code);

  const buttons = samples.map(({ language }) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = language;
    button.addEventListener("click", () => {
      chosen = language;
      show();
    });
    return button;
  });
  const show = () => {
    const shown = samples.find(({ language }) => language === chosen) ?? samples[0]!;
    code.textContent = shown.code;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.textContent === shown.language));
  };
  show();
  languages.append(...buttons, copyButton(code));
  place.replaceChildren(heading, languages, text);
}
