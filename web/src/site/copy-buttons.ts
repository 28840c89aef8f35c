const SHOWN_MS = 1500;

/** Adds a copy button to each code block. */
export function addCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLElement>(".code")) {
    block.append(copyButton(block.querySelector<HTMLElement>("code")!));
  }
}

/** A button that copies the text of an element, as the element is when a person presses it. */
export function copyButton(code: HTMLElement): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    const copied = await navigator.clipboard.writeText(code.textContent ?? "").then(
      () => true,
      () => false,
    );
    button.textContent = copied ? "Copied" : "Press Ctrl+C";
    if (!copied) getSelection()?.selectAllChildren(code);
    setTimeout(() => {
      button.textContent = "Copy";
    }, SHOWN_MS);
  });
  return button;
}
