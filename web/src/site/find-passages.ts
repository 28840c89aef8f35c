export type SearchPage = { path: string; title: string; passages: { id: string; heading: string; text: string }[] };
export type Hit = { href: string; title: string; heading: string; excerpt: string };

const MOST = 12;

/** Finds passages where every query word is the prefix of a word. Heading matches come first. */
export function findPassages(pages: readonly SearchPage[], query: string): Hit[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  if (words.length === 0) return [];
  const rules = words.map((word) => new RegExp(`(?<![\\p{L}\\p{N}])${word}`, "iu"));
  const hits = pages.flatMap(({ path, title, passages }) =>
    passages.flatMap(({ id, heading, text }, index) => {
      const scores = rules.map((rule) => {
        if (rule.test(heading)) return index === 0 ? 12 : 8;
        if (rule.test(title)) return 3;
        return rule.test(text) ? 1 : 0;
      });
      // A match in the page title counts once, not once per passage.
      if (scores.includes(0) || (index > 0 && scores.every((score) => score === 3))) return [];
      const score = scores.reduce<number>((sum, one) => sum + one, 0) - (path.startsWith("/docs/adr/") ? 4 : 0);
      return [{ score, href: index === 0 ? path : `${path}#${id}`, title, heading, excerpt: excerptOf(text, rules) }];
    }),
  );
  return hits
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST)
    .map(({ score: _, ...hit }) => hit);
}

function excerptOf(text: string, rules: readonly RegExp[]): string {
  const first = Math.min(...rules.map((rule) => text.search(rule)).filter((at) => at >= 0));
  const start = Number.isFinite(first) ? Math.max(0, first - 40) : 0;
  return `${start > 0 ? "… " : ""}${text.slice(start, start + 130)}${start + 130 < text.length ? " …" : ""}`;
}
