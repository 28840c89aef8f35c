const SHOWN_MS = 1500;

/** Adds a copy button to each code block. */
export function addCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLElement>(".code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const copied = await navigator.clipboard.writeText(block.querySelector("code")!.textContent ?? "").then(
        () => true,
        () => false,
      );
      button.textContent = copied ? "Copied" : "Press Ctrl+C";
      if (!copied) getSelection()?.selectAllChildren(block.querySelector("code")!);
      setTimeout(() => {
        button.textContent = "Copy";
      }, SHOWN_MS);
    });
    block.append(button);
  }
}
