/** How much a page counts in a search: a reader looks for a guide more often than for a decision. */
export const pageKinds = { guide: 1, reference: 0.85, operation: 0.8, about: 0.5, decision: 0.25 } as const;
export type PageKind = keyof typeof pageKinds;

/** A page of the search index. The first passage is the page itself. */
export type SearchPage = {
  path: string;
  title: string;
  kind: PageKind;
  passages: { id: string; heading: string; text: string }[];
};
export type Hit = { href: string; title: string; heading: string; excerpt: string };

const MOST = 12;

/**
 * Finds passages by words, the best first. A word matches its beginning ("auth"), its plural, and, if the documentation
 * does not have it, words that differ by a typo. If no passage has all words, those with most of them are found.
 */
export function findPassages(pages: readonly SearchPage[], query: string): Hit[] {
  const asked = wordsOf(query);
  const words = asked.some(isTelling) ? asked.filter(isTelling) : asked;
  if (words.length === 0) return [];
  const index = indexOf(pages);
  const found = new Map<number, Map<string, number>>();
  const matched = new Set<string>();
  for (const word of words) {
    for (const { term, quality } of termsLike(index, word)) {
      matched.add(term);
      const places = index.terms.get(term)!;
      // A word in few passages tells more than one in many.
      const rarity = Math.log(1 + index.passages.length / places.length);
      for (const { passage, weight } of places) {
        const scores = found.get(passage) ?? new Map<string, number>();
        found.set(passage, scores.set(word, Math.max(scores.get(word) ?? 0, weight * quality * rarity)));
      }
    }
  }
  const most = Math.max(
    0,
    ...[...found].filter(([at]) => !onlyByTitle(index, at, matched)).map(([, { size }]) => size),
  );
  return [...found]
    .filter(([at, scores]) => scores.size === most && !onlyByTitle(index, at, matched))
    .map(([at, scores]) => {
      const { page, passage } = index.passages[at]!;
      const score = [...scores.values()].reduce((sum, one) => sum + one, 0) * pageKinds[page.kind];
      return { score, at, page, passage };
    })
    .sort((one, other) => other.score - one.score || one.at - other.at)
    .slice(0, MOST)
    .map(({ page, passage }) => ({
      href: passage === page.passages[0] ? page.path : `${page.path}#${passage.id}`,
      title: page.title,
      heading: passage.heading,
      excerpt: excerptOf(passage.text, matched),
    }));
}

type Passage = SearchPage["passages"][number];
type Index = {
  passages: { page: SearchPage; passage: Passage; own: Set<string> }[];
  terms: Map<string, { passage: number; weight: number }[]>;
};
/** One index per loaded list of pages, for as long as the list exists. */
const indexes = new WeakMap<readonly SearchPage[], Index>();

/** What a match counts: in the heading of a page, of a passage, in the title of the page above, in the text. A match in the address of a page counts half. */
const WEIGHTS = { page: 14, heading: 9, title: 3, text: 1 };

function indexOf(pages: readonly SearchPage[]): Index {
  const known = indexes.get(pages);
  if (known !== undefined) return known;
  const index: Index = { passages: [], terms: new Map() };
  for (const page of pages) {
    const titles = new Set(wordsOf(page.title));
    for (const [number, passage] of page.passages.entries()) {
      const at = index.passages.length;
      const headings = wordsOf(passage.heading);
      // A heading that has nothing else is the better answer. What follows a colon explains it.
      const name = wordsOf(passage.heading.split(": ")[0]!).filter(isTelling);
      const weights = new Map<string, number>();
      for (const word of wordsOf(passage.text)) weights.set(word, WEIGHTS.text);
      // The address often has the word that the title avoids.
      const above = number > 0 ? titles : wordsOf(page.path);
      for (const word of above) weights.set(word, number > 0 ? WEIGHTS.title : WEIGHTS.page / 2);
      for (const word of headings) {
        const whole = number === 0 ? WEIGHTS.page : WEIGHTS.heading;
        weights.set(word, name.includes(word) ? whole * (0.5 + 0.5 / name.length) : whole * 0.4);
      }
      const told =
        number > 0 ? wordsOf(passage.text).filter((word) => !titles.has(word)) : [...wordsOf(passage.text), ...above];
      const own = new Set([...headings, ...told]);
      index.passages.push({ page, passage, own });
      for (const [word, weight] of weights) {
        const places = index.terms.get(word) ?? [];
        places.push({ passage: at, weight });
        index.terms.set(word, places);
      }
    }
  }
  indexes.set(pages, index);
  return index;
}

/** A match in the title of the page counts for the page, not once more for each of its passages. */
const onlyByTitle = ({ passages }: Index, at: number, matched: ReadonlySet<string>): boolean =>
  [...matched].every((term) => !passages[at]!.own.has(term));

function termsLike({ terms }: Index, word: string): { term: string; quality: number }[] {
  const begun = [...terms.keys()].filter((term) => term.startsWith(word));
  if (begun.length > 0) return begun.map((term) => ({ term, quality: term === word ? 1 : 0.6 }));
  const most = word.length >= 8 ? 2 : word.length >= 4 ? 1 : 0;
  // Codes have no typos: another code is another error.
  if (most === 0 || /^\d+$/.test(word)) return [];
  return [...terms.keys()].flatMap((term) => {
    const typos = /^\d/.test(term) ? most + 1 : typosBetween(word, term, most);
    const whole = Math.abs(term.length - word.length) <= typos;
    return typos > most ? [] : [{ term, quality: (whole ? 0.5 : 0.3) / typos }];
  });
}

/** Letters to change, add, remove or swap until a word is the beginning of a term; more than `most` if they are more. */
export function typosBetween(word: string, term: string, most: number): number {
  if (term.length < word.length - most || term[0] !== word[0]) return most + 1;
  const shown = term.slice(0, word.length + most);
  let before: number[] = [];
  let row = Array.from({ length: shown.length + 1 }, (_, column) => column);
  for (let at = 1; at <= word.length; at++) {
    const next = [at];
    for (let column = 1; column <= shown.length; column++) {
      const same = word[at - 1] === shown[column - 1];
      const swapped = at > 1 && column > 1 && word[at - 1] === shown[column - 2] && word[at - 2] === shown[column - 1];
      next[column] = Math.min(
        row[column]! + 1,
        next[column - 1]! + 1,
        row[column - 1]! + (same ? 0 : 1),
        swapped ? before[column - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = row;
    row = next;
  }
  return Math.min(...row.slice(Math.max(0, word.length - most)));
}

/** In the singular, so that "retries" finds "retry". */
const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).map((word) =>
    word.length > 4 ? word.replace(/ies$/, "y").replace(/(?<!s)s$/, "") : word,
  );

/** Words of questions that say nothing about the answer. */
const UNTELLING = new Set(
  "a an and are be by can do does for from get how i if in is it me my of on or the to use what when where which why with you your".split(
    " ",
  ),
);
const isTelling = (word: string): boolean => !UNTELLING.has(word);

function excerptOf(text: string, matched: ReadonlySet<string>): string {
  const lower = text.toLowerCase();
  const places = [...matched].map((term) => lower.search(new RegExp(`(?<![\\p{L}\\p{N}])${term}`, "u")));
  const first = Math.min(...places.filter((at) => at >= 0));
  const start = Number.isFinite(first) ? Math.max(0, first - 40) : 0;
  return `${start > 0 ? "… " : ""}${text.slice(start, start + 130)}${start + 130 < text.length ? " …" : ""}`;
}
