import { readFileSync } from "node:fs";
import { queueKeys } from "../../contract/src/index.ts";

const textOf = (file: string) => readFileSync(new URL(`../../web/src/${file}`, import.meta.url), "utf8");

/**
 * The paths of all screens of an app, with parameters such as `$order_number`. They come from the text of the screens'
 * tables, because those load styles, which only a bundler can.
 */
export function screenPaths(app: "dashboard" | "portal"): string[] {
  const files = app === "dashboard" ? ["dashboard/screens.ts", "dashboard/admin-screens.ts"] : ["portal/screens.ts"];
  const [, sandbox] = /SANDBOX_PATH = "([^"]+)"/.exec(textOf("portal/environment.ts")) ?? [];
  const text = files.map(textOf).join("\n");
  const found = [...text.matchAll(/\bpath: (?:"([^"]+)"|(SANDBOX_PATH)|`\/queue\/\$\{key\}`)/g)];
  // Each screen loads its code, so a path that the pattern misses is noticed.
  const expected = text.match(/^\s+load: /gm)?.length;
  if (found.length !== expected || sandbox === undefined) throw new Error(`cannot read the screens of ${app}`);
  return found.flatMap(([, path, named]) =>
    path !== undefined ? [path] : named !== undefined ? [sandbox] : queueKeys.map((key) => `/queue/${key}`),
  );
}
