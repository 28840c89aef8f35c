type Entry = { title: string; id: string };

const ERROR_CODES = "error-codes";
const NARROW = "(max-width: 900px)";

/** Fills `nav` with links to the rendered reference and opens the operation named in the URL hash. */
export function showContents(reference: HTMLElement, nav: HTMLElement): void {
  const details = document.createElement("details");
  details.open = !matchMedia(NARROW).matches;
  const summary = document.createElement("summary");
  summary.textContent = "Contents";
  details.append(summary);
  for (const section of reference.querySelectorAll(".opblock-tag-section, .webhooks")) {
    const title = section.querySelector("[data-tag]")?.getAttribute("data-tag") ?? "Webhooks";
    // The documentation's sidebar links here.
    if (section.matches(".webhooks")) section.id = "webhooks";
    details.append(...group(title, operations(section)));
  }
  if (!document.getElementById(ERROR_CODES)?.hidden) {
    details.append(...group("Errors", [{ title: "Error codes", id: ERROR_CODES }]));
  }
  nav.replaceChildren(details);

  addEventListener("hashchange", () => show(location.hash.slice(1)));
  show(location.hash.slice(1));
}

function operations(section: Element): Entry[] {
  return Array.from(section.querySelectorAll(".opblock"), (operation) => {
    const method = operation.querySelector(".opblock-summary-method")?.textContent ?? "";
    const path = operation.querySelector("[data-path]")?.getAttribute("data-path") ?? operation.id;
    return { title: section.matches(".webhooks") ? path : `${method} ${path}`, id: operation.id };
  });
}

function show(id: string): void {
  const target = document.getElementById(id);
  if (!target) return;
  const summary = target.querySelector<HTMLElement>(".opblock-summary-control");
  if (summary?.getAttribute("aria-expanded") === "false") summary.click();
  target.scrollIntoView();
}

function group(title: string, entries: Entry[]): HTMLElement[] {
  const heading = document.createElement("h2");
  heading.textContent = title;
  const items = document.createElement("ul");
  for (const { title, id } of entries) {
    const link = document.createElement("a");
    link.href = `#${id}`;
    link.textContent = title;
    const item = document.createElement("li");
    item.append(link);
    items.append(item);
  }
  return [heading, items];
}
