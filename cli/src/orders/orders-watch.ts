import { setTimeout as delay } from "node:timers/promises";
import { finalStates, type HistoryEntry, type Order, orderStatuses } from "@pestle/contract";
import { type PartnerOptions, partnerOptions } from "../accounts/partner-account.ts";
import { progress } from "../output.ts";
import { OutOfReach, openPartnerApi, type PartnerApi } from "../partner-api.ts";
import { type CommandRow, untilStopped } from "../program.ts";
import { NO_ORDER, ORDER, orderPath } from "./orders.ts";
import { exceptionText, historyText } from "./partner-order-text.ts";

type WatchOptions = PartnerOptions & { until?: string; json?: boolean };

const LOOK_EVERY_MS = 1_000;
const LONGEST_PAGE = 100;

export const orderWatchCommand: CommandRow = {
  name: "orders watch",
  summary: "print each change to an order until it is delivered or canceled",
  argument: ORDER,
  options: [["--until <status>", "stop at this status", { choices: orderStatuses }], ...partnerOptions],
  examples: ["orders watch 7K2M9XQ4TB", "orders watch 7K2M9XQ4TB --until Shipped --json"],
  async run(options: WatchOptions, order_number, env) {
    const api = await openPartnerApi(options, env);
    await untilStopped((stop) => watch(api, order_number, options, stop));
    return undefined;
  },
};

async function watch(api: PartnerApi, order_number: string, { until, json = false }: WatchOptions, stop: AbortSignal) {
  const began_ms = Date.now();
  const waiting = progress();
  const say = (data: unknown, text: string) => process.stdout.write(`${json ? JSON.stringify(data) : text}\n`);
  let told = 0;
  let held = "";
  for (;;) {
    const seen = await look(api, order_number, stop);
    if (seen !== undefined) {
      const { order, history } = seen;
      waiting.done();
      for (const change of history.slice(told)) say(change, historyText(change));
      told = history.length;
      const holds = order.exceptions.map(exceptionText).join("\n");
      if (!json && holds !== held && holds !== "") process.stderr.write(`${holds}\n`);
      held = holds;
      if (order.order_status === until || (finalStates as readonly string[]).includes(order.order_status)) {
        // Exit with 1 if the order ended in another status than --until.
        if (until !== undefined && order.order_status !== until) process.exitCode = 1;
        return;
      }
      waiting.show(`${order.order_status}, ${Math.round((Date.now() - began_ms) / 1000)} s. Press Ctrl-C to stop.`);
    } else waiting.show("The service does not answer. Retrying.");
    await delay(LOOK_EVERY_MS, undefined, { signal: stop });
  }
}

/** The order and its changes, oldest first; undefined while the service is unreachable. */
async function look(api: PartnerApi, order_number: string, signal: AbortSignal) {
  const path = orderPath(order_number);
  try {
    const order = await api.request<Order>("GET", path, { missing: NO_ORDER, signal });
    const query = { limit: LONGEST_PAGE };
    const { history } = await api.request<{ history: HistoryEntry[] }>("GET", `${path}/history`, { query, signal });
    return { order, history: history.reverse() };
  } catch (error) {
    if (error instanceof OutOfReach && !signal.aborted) return undefined;
    throw error;
  }
}
