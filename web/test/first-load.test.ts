import { randomBytes } from "node:crypto";
import type { Rolldown } from "vite";
import { expect, test } from "vitest";
import { circleOf } from "../chunk-circles.ts";
import { firstLoad } from "../first-load.ts";

const view = { name: "order", entry: "dashboard", screen: "dashboard/order/order-screen.tsx" };
/** Random text shrinks to three quarters, so its size is known. */
const text = (kb: number) => randomBytes(kb * 750).toString("base64");
const chunk = (fileName: string, kb: number, more: object = {}) => ({
  type: "chunk",
  fileName,
  name: fileName,
  code: text(kb),
  imports: [],
  facadeModuleId: null,
  isEntry: false,
  ...more,
});
const style = (fileName: string, kb: number) => ({ type: "asset", fileName, source: text(kb) });

/** What the plugin says about a build. */
function verdictOf(files: readonly { fileName: string }[]): string {
  const said: string[] = [];
  const { handler } = firstLoad([view]).generateBundle as { handler: (...args: unknown[]) => void };
  const bundle = Object.fromEntries(files.map((file) => [file.fileName, file])) as unknown as Rolldown.OutputBundle;
  handler.call({ error: (why: string) => said.push(why), info: (what: string) => said.push(what) }, {}, bundle);
  return said.join("\n");
}

const buildOf = (screen_kb: number) => [
  chunk("dashboard.js", 40, { isEntry: true, name: "dashboard", imports: ["react.js"] }),
  chunk("react.js", 60, { viteMetadata: { importedCss: new Set(["frame.css"]) } }),
  style("frame.css", 10),
  chunk("order.js", screen_kb, { facadeModuleId: `/pestle/web/src/${view.screen}`, imports: ["react.js"] }),
  chunk("other-screen.js", 500),
];

test("the build fails if a first visit loads more than 170 kB, and names the view and its files", () => {
  const verdict = verdictOf(buildOf(120));
  expect(verdict).toMatch(/^order loads 1[78]\d\.\d kB on the first visit; the limit is 170 kB, compressed\n/);
  for (const file of ["dashboard.js", "react.js", "frame.css", "order.js"]) expect(verdict).toContain(`kB  ${file}`);
  expect(verdict).not.toContain("other-screen.js");
});

test("a lighter view passes, and files that it shares count once", () => {
  expect(verdictOf(buildOf(40))).toMatch(/^order loads 1[12]\d\.\d kB on the first visit$/);
});

test("a view that is no longer in the build is an error", () => {
  expect(verdictOf([])).toBe("order: the build has no dashboard or dashboard/order/order-screen.tsx");
});

test("chunks that import each other in a circle are found", () => {
  const entry = { imports: ["ui.js", "react.js"] };
  const react = { imports: [] };
  expect(circleOf({ "entry.js": entry, "ui.js": { imports: ["react.js"] }, "react.js": react })).toBeUndefined();
  expect(
    circleOf({ "entry.js": entry, "ui.js": { imports: ["parts.js"] }, "parts.js": { imports: ["ui.js"] } }),
  ).toEqual(["ui.js", "parts.js", "ui.js"]);
});
