/** Swagger UI leaves some of its fields without a name. Gives them one, which screen readers read. */
export function nameFields(reference: HTMLElement): void {
  const name = () => {
    for (const field of reference.querySelectorAll<Field>(UNNAMED)) {
      if (field.labels?.length === 0) field.setAttribute("aria-label", nameOf(field));
    }
  };
  new MutationObserver(name).observe(reference, { childList: true, subtree: true });
}

type Field = HTMLSelectElement | HTMLInputElement | HTMLTextAreaElement;
const UNNAMED = ".opblock.is-open :is(select, input, textarea):not([aria-label])";

function nameOf(field: Field): string {
  if (field.matches(".examples-select-element")) return "Example";
  if (field.matches(".body-param__text")) return "Request body";
  if (field.closest(".content-type-wrapper, .response-control-media-type") !== null) return "Content type";
  return field.closest("[data-param-name]")?.getAttribute("data-param-name") ?? "Value";
}
