import { findPassages, type Hit, type SearchPage } from "@pestle/contract";

/** The header search: `/` or Ctrl+K focuses it, arrow keys select, Enter opens. Loads the index on first use. */
export function startSearch(search: HTMLElement): void {
  const input = search.querySelector("input")!;
  const list = search.querySelector<HTMLElement>("#search-results")!;
  const found = search.querySelector<HTMLElement>("#found")!;
  let pages: Promise<SearchPage[]> | undefined;
  let chosen = -1;

  const options = () => [...list.querySelectorAll<HTMLAnchorElement>("[role=option]")];
  const choose = (index: number) => {
    const all = options();
    chosen = all.length === 0 ? -1 : (index + all.length) % all.length;
    for (const [at, option] of all.entries()) option.setAttribute("aria-selected", String(at === chosen));
    const option = all[chosen];
    if (option === undefined) input.removeAttribute("aria-activedescendant");
    else {
      input.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    }
  };
  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    choose(-1);
  };
  const look = async () => {
    pages ??= load().catch((error: unknown) => {
      pages = undefined;
      throw error;
    });
    const query = input.value.trim();
    const hits = query === "" ? [] : findPassages(await pages, query);
    if (query !== input.value.trim()) return;
    list.replaceChildren(...hits.map(option));
    list.hidden = hits.length === 0;
    input.setAttribute("aria-expanded", String(hits.length > 0));
    found.textContent =
      query === ""
        ? ""
        : hits.length === 0
          ? "No results"
          : `${hits.length} ${hits.length === 1 ? "result" : "results"}`;
    search.classList.toggle("nothing", query !== "" && hits.length === 0);
    choose(0);
  };

  input.addEventListener("focus", () => void look().catch(() => {}));
  input.addEventListener("input", () => void look().catch(() => {}));
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(chosen + 1);
    else if (event.key === "ArrowUp") choose(chosen - 1);
    else if (event.key === "Enter") options()[chosen]?.click();
    else if (event.key === "Escape" && !list.hidden) close();
    else return;
    event.preventDefault();
  });
  search.addEventListener("focusout", ({ relatedTarget }) => {
    if (!search.contains(relatedTarget as Node | null)) close();
  });
  list.addEventListener("click", close);
  addEventListener("keydown", (event) => {
    const typing = (event.target as HTMLElement).closest("input, textarea, select, [contenteditable]") !== null;
    const asked =
      (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) ||
      (event.key === "k" && (event.ctrlKey || event.metaKey));
    if (!asked) return;
    event.preventDefault();
    input.select();
  });
  search.hidden = false;
}

async function load(): Promise<SearchPage[]> {
  const address = document.querySelector<HTMLMetaElement>('meta[name="search-index"]')!.content;
  const response = await fetch(address);
  if (!response.ok) throw new Error(`search index: HTTP ${response.status}`);
  return (await response.json()) as SearchPage[];
}

function option({ href, title, heading, excerpt }: Hit, index: number): HTMLElement {
  const link = document.createElement("a");
  link.href = href;
  link.id = `result-${index}`;
  link.tabIndex = -1;
  link.setAttribute("role", "option");
  const place = document.createElement("strong");
  place.textContent = heading;
  const page = document.createElement("small");
  page.textContent = heading === title ? "" : title;
  const text = document.createElement("span");
  text.textContent = excerpt;
  link.append(place, page, text);
  return link;
}
