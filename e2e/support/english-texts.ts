import type { Page } from "playwright-core";

/**
 * Texts on a Spanish screen that have a common English word. Some texts stay as they are: code, what people or partners
 * wrote (`data-as-typed`), and what says that it is in another language (`lang`), such as the messages of the API.
 */
export const englishTexts = (page: Page): Promise<string[]> => page.evaluate<string[]>(ENGLISH_TEXTS);

const ENGLISH_TEXTS = `(() => {
  const ENGLISH = /\\b(the|of|and|with|your|you|this|that|has|have|are|is|was|not|by|from|for|to|or|on|in|at|an|yet|new|no longer)\\b/i;
  const STAYS = "code, pre, kbd, samp, script, noscript, style, textarea, .mono, [data-as-typed], body [lang]";
  const found = new Set();
  const read = (text, element) => {
    const words = text.trim().replace(/\\s+/g, " ").replace(/\\S+[@/]\\S+/g, "");
    // A state's code can look like an English word: IN, OR.
    if (ENGLISH.test(words.replace(/\\b[A-Z]{2}\\b/g, "")) && !element.closest(STAYS)) found.add(words.slice(0, 80));
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) read(texts.currentNode.data, texts.currentNode.parentElement);
  for (const name of ["aria-label", "title", "placeholder", "data-title"]) {
    for (const element of document.querySelectorAll("[" + name + "]")) read(element.getAttribute(name), element);
  }
  read(document.title, document.body);
  return [...found];
})()`;
