/** The separator of GS1 after a field of any length. */
const SEPARATOR = "\u001d";

/**
 * A barcode scanner that types like a keyboard presses Ctrl and ] for the separator of a GS1 code. A browser enters nothing then,
 * and a lot would run into the serial number behind it. So the page enters the character itself.
 */
export function listenToScanners(): void {
  document.addEventListener("keydown", (event) => {
    if (!event.ctrlKey || event.altKey || event.metaKey || event.key !== "]") return;
    const { target } = event;
    if (!(target instanceof HTMLInputElement) || !["text", "search"].includes(target.type)) return;
    event.preventDefault();
    target.setRangeText(SEPARATOR, target.selectionStart ?? 0, target.selectionEnd ?? 0, "end");
    target.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertText", data: SEPARATOR }));
  });
}
