import type { Plugin, Rolldown } from "vite";

/**
 * Fails the build if chunks import each other in a circle: one of them would run before what it needs, and the page could
 * stay empty. The cause is a group in `vite.config.ts` that mixes what a page needs at once with what screens load later.
 */
export function chunkCircles(): Plugin {
  return {
    name: "chunk-circles",
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        const circle = circleOf(bundle);
        if (circle !== undefined) this.error(`chunks import each other in a circle: ${circle.join(" → ")}`);
      },
    },
  };
}

type Importing = Record<string, Pick<Rolldown.OutputChunk, "imports"> | Rolldown.OutputAsset>;

/** The chunks of a circle, the first one again at the end. */
export function circleOf(bundle: Importing): string[] | undefined {
  const done = new Set<string>();
  const walk = (name: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    const file = bundle[name];
    if (done.has(name) || file === undefined || !("imports" in file)) return undefined;
    for (const next of file.imports) {
      const found = walk(next, [...path, name]);
      if (found !== undefined) return found;
    }
    done.add(name);
    return undefined;
  };
  for (const name of Object.keys(bundle)) {
    const found = walk(name, []);
    if (found !== undefined) return found;
  }
  return undefined;
}
