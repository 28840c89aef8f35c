import { gzipSync } from "node:zlib";
import type { Plugin, Rolldown } from "vite";

const MOST_KB = 300;

/**
 * Fails the build if a first visit loads more compressed script than this: an entry with all its imports, plus its
 * heaviest lazy screen, because a visit can start on any screen.
 */
export function firstLoad(entries: readonly string[]): Plugin {
  return {
    name: "first-load",
    generateBundle(_options, bundle) {
      const chunks = new Map(
        Object.values(bundle).flatMap((file) => (file.type === "chunk" ? [[file.fileName, file] as const] : [])),
      );
      for (const entry of entries) {
        const start = [...chunks.values()].find((chunk) => chunk.isEntry && chunk.name === entry);
        if (start === undefined) return this.error(`entry not found: ${entry}`);
        const always = closure(chunks, [start.fileName]);
        const heaviest = Math.max(
          0,
          ...start.dynamicImports.map((name) => {
            const all = closure(chunks, [name]);
            return sizeOf(
              chunks,
              [...all].filter((one) => !always.has(one)),
            );
          }),
        );
        const kb = (sizeOf(chunks, [...always]) + heaviest) / 1000;
        if (kb > MOST_KB)
          this.error(`${entry} loads ${kb.toFixed(0)} kB of script on first visit; the limit is ${MOST_KB} kB`);
        else this.info(`${entry} loads ${kb.toFixed(0)} kB of script on first visit`);
      }
    },
  };
}

function closure(chunks: Map<string, Rolldown.OutputChunk>, names: string[], seen = new Set<string>()): Set<string> {
  for (const name of names) {
    if (seen.has(name)) continue;
    seen.add(name);
    closure(chunks, chunks.get(name)?.imports ?? [], seen);
  }
  return seen;
}

const sizeOf = (chunks: Map<string, Rolldown.OutputChunk>, names: string[]): number =>
  names.reduce((sum, name) => sum + gzipSync(chunks.get(name)?.code ?? "").length, 0);
