import type { Page } from "playwright-core";

/**
 * What a person should never see on a screen: a badge or button whose text is cut off, and a name of the API (snake_case)
 * outside of code. Input of people and options of developers' filters are theirs.
 */
export const misfits = (page: Page): Promise<string[]> => page.evaluate<string[]>(MISFITS);

const MISFITS = `(() => {
  const shown = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().width > 1;
  const textOf = (element) => element.textContent.trim().replace(/\\s+/g, " ").slice(0, 80);
  const found = [];
  for (const element of document.querySelectorAll("button, [class*=badge], [class*=button]")) {
    if (!shown(element) || textOf(element) === "" || element.clientWidth === 0) continue;
    const box = element.getBoundingClientRect();
    let cut = element.scrollWidth > element.clientWidth + 1;
    for (let parent = element.parentElement; parent && !cut; parent = parent.parentElement) {
      const { overflowX } = getComputedStyle(parent);
      // A person can scroll to what is beyond the edge of these, and nothing cuts off a dialog.
      if (overflowX === "auto" || overflowX === "scroll" || parent.matches("dialog")) break;
      cut = overflowX !== "visible" && box.right > parent.getBoundingClientRect().right + 1;
    }
    if (cut) found.push("cut off: " + textOf(element));
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data: written, parentElement } = texts.currentNode;
    // A person chose their email address.
    const data = written.replace(/\\S+@\\S+/g, "");
    const [code] = data.match(/\\b[a-z]+(_[a-z0-9]+)+\\b/) ?? (parentElement.closest("option") ? [] : data.match(/\\b[A-Z]{2,}(_[A-Z]+)+\\b/)) ?? [];
    if (code === undefined || parentElement.closest("code, pre, kbd, samp, script, style, textarea, .mono, [data-as-typed]")) continue;
    const holder = parentElement.closest("option") ? parentElement.closest("select") ?? parentElement : parentElement;
    if (shown(holder)) found.push("raw code: " + code + " in " + textOf(parentElement));
  }
  for (const label of document.querySelectorAll("label, legend, dialog h2, dialog button")) {
    if (shown(label) && /\\b[1-5]\\d{4}\\b/.test(label.textContent)) found.push("error code: " + textOf(label));
  }
  return found;
})()`;
