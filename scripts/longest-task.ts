import type { Page } from "playwright-core";

type TraceEvent = { name: string; pid: number; tid: number; tdur?: number; args?: { name?: string } };

/**
 * The longest task of the page's main thread during the run, in milliseconds of CPU time, because other tests share
 * the machine.
 */
export async function longestTask(page: Page, during: () => Promise<void>): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  devtools.on("Tracing.dataCollected", ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const includedCategories = ["toplevel", "__metadata"];
  await devtools.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories, excludedCategories: ["*"] },
  });
  await during();
  const complete = new Promise((resolve) => devtools.once("Tracing.tracingComplete", resolve));
  await devtools.send("Tracing.end");
  await complete;
  const place = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const threads = new Set(events.filter(({ args }) => args?.name === "CrRendererMain").map(place));
  const tasks = events.filter((event) => event.name.endsWith("RunTask") && threads.has(place(event)));
  if (tasks.length === 0) throw new Error("the browser reported no tasks");
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}
