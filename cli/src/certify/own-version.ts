import { createRequire } from "node:module";

/** The version of this package, for reports. Bundled code finds it by the package's name. */
export const ownVersion = (): string =>
  (createRequire(import.meta.url)("@pestle/cli/package.json") as { version: string }).version;
