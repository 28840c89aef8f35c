/**
 * Opens a dialog over the page. The focus goes to the field that asks for it (`autoFocus`), else to the first that can
 * be filled in: the browser alone would choose whatever comes first, which is the button that closes.
 */
export function showModal(dialog: HTMLDialogElement): void {
  if (!dialog.open) dialog.showModal();
  const wanted =
    dialog.querySelector<HTMLElement>("[data-first]") ??
    dialog.querySelector<HTMLElement>("input:not([readonly]), select, textarea, [type=submit]");
  wanted?.focus();
}
