import type { Bidi } from "bidi-js";
import type { Face, Faces, ScriptHint } from "./faces.ts";

/** Text in one font, as it appears from left to right. */
export type Run = { text: string; face: Face };

const LEFT_TO_RIGHT_MARK = "\u200e";
const RIGHT_TO_LEFT_MARK = "\u200f";
/** At the end of a line that does not end between two words. */
export const WORD_JOINER = "\u2060";
const isMark = (text: string) => /^[\u200e\u200f\u2060]$/.test(text);
const clusters = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The characters of a text as a reader counts them: a letter keeps its marks. */
export const clustersOf = (text: string): string[] => Array.from(clusters.segment(text), ({ segment }) => segment);

/** Splits a line into runs, from left to right. Its text was checked, so each character has a face. */
export function runsOf(line: string, faces: Faces, bidi: Bidi): Run[] {
  const { levels } = bidi.getEmbeddingLevels(line);
  const mirrored = bidi.getMirroredCharactersMap(line, levels);
  const hint = hintOf(line);
  const runs: (Run & { level: number })[] = [];
  for (const { segment, index } of clusters.segment(line)) {
    if (isMark(segment)) continue;
    const level = levels[index]!;
    for (const { text, face } of inFaces(mirrored.get(index) ?? segment, faces, hint)) {
      const last = runs.at(-1);
      if (last !== undefined && last.level === level && last.face === face) last.text += text;
      else runs.push({ text, face, level });
    }
  }
  return leftToRight(runs).map(({ text, face, level }) => ({ text: asDrawn(text, level), face }));
}

/** Whether the paragraph begins at the right edge. */
export const isRightToLeft = (text: string, bidi: Bidi): boolean =>
  (bidi.getEmbeddingLevels(text).paragraphs[0]?.level ?? 0) % 2 === 1;

/**
 * A line of a paragraph in embedded fonts. The mark keeps the paragraph's direction, because a line can begin with a word of
 * the other one, and its fonts, because a line can have none of the characters that need them.
 */
export const markedLine = (line: string, right_to_left: boolean): string =>
  `${right_to_left ? RIGHT_TO_LEFT_MARK : LEFT_TO_RIGHT_MARK}${unmarked(line)}`;

export const unmarked = (line: string): string => line.replaceAll(/^[\u200e\u200f]+|\u2060$/g, "");

/** The text of lines, to wrap it again in another width. */
export const rejoined = (lines: readonly string[]): string => {
  const [mark = ""] = /^[\u200e\u200f]?/.exec(lines[0] ?? "") ?? [];
  const ended = lines.map((line) => `${unmarked(line)}${line.endsWith(WORD_JOINER) ? "" : " "}`);
  return `${mark}${ended.join("").trimEnd()}`;
};

/** Japanese has its syllables, Korean its own letters; a text of Chinese characters alone is Chinese. */
export const hintOf = (text: string): ScriptHint =>
  /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)
    ? "japanese"
    : /\p{Script=Hangul}/u.test(text)
      ? "korean"
      : "chinese";

/** If no face has a letter together with its marks, each is drawn in its own. */
function inFaces(cluster: string, faces: Faces, hint: ScriptHint): Run[] {
  const whole = faces.of(cluster, hint);
  if (whole !== undefined) return [{ text: cluster, face: whole }];
  return Array.from(cluster).flatMap((text) => {
    const face = faces.of(text, hint);
    return face === undefined ? [] : [{ text, face }];
  });
}

/** The rule L2 of the bidirectional algorithm: reverses the runs of each level, from the highest to the lowest odd one. */
function leftToRight<Leveled extends { level: number }>(runs: readonly Leveled[]): Leveled[] {
  let ordered = [...runs];
  for (let level = Math.max(0, ...runs.map((run) => run.level)); level > 0; level--) {
    const next: Leveled[] = [];
    let block: Leveled[] = [];
    for (const run of ordered) {
      if (run.level >= level) block.unshift(run);
      else {
        next.push(...block, run);
        block = [];
      }
    }
    ordered = [...next, ...block];
  }
  return ordered;
}

/** The font library reverses what its letters say runs from right to left. We turn around what it decides differently. */
function asDrawn(text: string, level: number): string {
  const reverses = /[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(text);
  return reverses === (level % 2 === 1) ? text : clustersOf(text).reverse().join("");
}
