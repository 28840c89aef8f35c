/**
 * Opens a modal dialog and focuses the field with `autoFocus`, else the first editable field. The browser's default is
 * the first focusable element, which is the Close button.
 */
export function showModal(dialog: HTMLDialogElement): void {
  if (!dialog.open) dialog.showModal();
  const wanted =
    dialog.querySelector<HTMLElement>("[data-first]") ??
    dialog.querySelector<HTMLElement>("input:not([readonly]), select, textarea, [type=submit]");
  wanted?.focus();
}
