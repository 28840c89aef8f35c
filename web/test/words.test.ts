import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type App, apps, readWords, sources, wordsFile, wordsOf } from "../../scripts/docs/words.ts";

const file = (app: App, language: string) =>
  readFileSync(new URL(`../words/${app}.${language}.json`, import.meta.url), "utf8");
const places = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

describe.each(apps)("the words of the %s", (app) => {
  const english = [...new Set(Object.values(wordsOf(app)).flat())];
  const spanish = JSON.parse(file(app, "es")) as Record<string, string>;

  test("every text in the code goes through `say`", () => {
    expect(sources(app).flatMap((one) => readWords(one).bare)).toEqual([]);
  });
  test("the English file is up to date", () => {
    expect(file(app, "en-US")).toBe(wordsFile(app));
  });
  test("the Spanish file has each text once, and no other", () => {
    expect({ missing: english.filter((text) => !spanish[text]?.trim()) }).toEqual({ missing: [] });
    expect({ unused: Object.keys(spanish).filter((text) => !english.includes(text)) }).toEqual({ unused: [] });
  });
  test("a translation has the same places for values and the same spaces around it", () => {
    const wrong = Object.entries(spanish).filter(
      ([text, translated]) =>
        String(places(text)) !== String(places(translated)) ||
        /^\s*/.exec(text)![0] !== /^\s*/.exec(translated)![0] ||
        /\s*$/.exec(text)![0] !== /\s*$/.exec(translated)![0],
    );
    expect(wrong).toEqual([]);
  });
});
