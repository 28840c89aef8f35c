import { gzipSync } from "node:zlib";
import type { Plugin, Rolldown } from "vite";

const MOST_KB = 170;

/** A first visit: the app's entry, and the source file of the screen on which the visit starts. */
export type FirstView = { name: string; entry: string; screen: string };

/**
 * Fails the build if a first visit loads more script and style than this, compressed as the service sends it: the entry
 * and the screen with all that they import.
 */
export function firstLoad(views: readonly FirstView[]): Plugin {
  return {
    name: "first-load",
    generateBundle: {
      // After the bundler has written into each chunk what the chunk loads.
      order: "post",
      handler(_options, bundle) {
        for (const view of views) {
          const files = filesOf(bundle, view);
          if (files === undefined) return this.error(`${view.name}: the build has no ${view.entry} or ${view.screen}`);
          const sizes = files.map((name) => ({ name, kb: zippedKb(bundle[name]!) })).sort((a, b) => b.kb - a.kb);
          const kb = sizes.reduce((sum, one) => sum + one.kb, 0);
          const text = `${view.name} loads ${kb.toFixed(1)} kB on the first visit`;
          const parts = sizes.map((one) => `  ${one.kb.toFixed(1).padStart(6)} kB  ${one.name}`).join("\n");
          if (kb > MOST_KB) return this.error(`${text}; the limit is ${MOST_KB} kB, compressed\n${parts}`);
          this.info(text);
        }
      },
    },
  };
}

type Bundle = Rolldown.OutputBundle;

/** Scripts and styles that a browser loads before it shows the view. */
function filesOf(bundle: Bundle, { entry, screen }: FirstView): string[] | undefined {
  const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
  const start = chunks.find((chunk) => chunk.isEntry && chunk.name === entry);
  const shown = chunks.find((chunk) => chunk.facadeModuleId?.replaceAll("\\", "/").endsWith(`/src/${screen}`));
  if (start === undefined || shown === undefined) return undefined;
  const files = new Set<string>();
  const add = (name: string) => {
    const chunk = bundle[name];
    if (chunk?.type !== "chunk" || files.has(name)) return;
    files.add(name);
    for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(style);
    for (const imported of chunk.imports) add(imported);
  };
  add(start.fileName);
  add(shown.fileName);
  return [...files];
}

const zippedKb = (file: Rolldown.OutputChunk | Rolldown.OutputAsset): number =>
  gzipSync(file.type === "chunk" ? file.code : file.source).length / 1000;
