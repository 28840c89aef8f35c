import type { Bidi } from "bidi-js";
import type { Faces } from "./faces.ts";

/** The fonts of one document. Opens none before the first character that needs one. */
type Fonts = { faces: () => Faces; bidi: Bidi };

/** Imports the libraries on first use, so that other commands start faster. */
export async function loadFonts(): Promise<() => Fonts> {
  const [{ openFaces }, { default: bidi }] = await Promise.all([import("./faces.ts"), import("bidi-js")]);
  // The types describe another module format: the package exports the function itself.
  const algorithm = (bidi as unknown as () => Bidi)();
  return () => {
    let faces: Faces | undefined;
    return {
      bidi: algorithm,
      faces: () => {
        faces ??= openFaces();
        return faces;
      },
    };
  };
}
