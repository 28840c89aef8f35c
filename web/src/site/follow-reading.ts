/** Highlights the current heading in "On this page". */
export function followReading(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(".contents a")];
  const headings = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1)))!);
  if (links.length === 0) return;
  const mark = () => {
    const below = headings.findIndex((heading) => heading.getBoundingClientRect().top > 140);
    const here = Math.max(0, (below === -1 ? headings.length : below) - 1);
    for (const [index, link] of links.entries()) {
      if (index === here) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
    }
  };
  const watcher = new IntersectionObserver(mark, { rootMargin: "-140px 0px 0px 0px", threshold: [0, 1] });
  for (const heading of headings) watcher.observe(heading);
  mark();
}
