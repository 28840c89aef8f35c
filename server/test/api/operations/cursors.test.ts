import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codesOf } from "../../support/conventions.ts";
import { newOrder, placed } from "../../support/orders.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  for (let i = 0; i < 3; i++) await placed(app, (await newOrder(app)).body);
});
afterAll(() => app.stop());

type Page = {
  orders?: { order_number: string }[];
  webhook_events?: { event_id: string }[];
  next_cursor: string | null;
  end_cursor?: string;
};
const page = async (path: string, partner = 0) => (await (await app.call(path, { partner })).json()) as Page;
const refusal = async (path: string, partner = 0) => {
  const response = await app.call(path, { partner });
  return [response.status, codesOf(await response.text())];
};
const REFUSED = [400, [[40003, "cursor"]]];
const clear = (text: string) => Buffer.from(text).toString("base64url");

describe("a cursor", () => {
  test("is the same for the same page, and shows no position", async () => {
    for (const path of ["/orders?limit=1", "/webhook_events?limit=1"]) {
      const { next_cursor } = await page(path);
      expect((await page(path)).next_cursor).toBe(next_cursor);
      expect(Buffer.from(next_cursor!, "base64url").toString("latin1")).not.toMatch(/^[a-z]\d+$|\d{6}/);
      // Positions next to each other have cursors with nothing in common.
      const following = (await page(`${path}&cursor=${next_cursor}`)).next_cursor!;
      expect(following.slice(0, 6)).not.toBe(next_cursor!.slice(0, 6));
    }
  });

  test("of another account, of another list, or altered is refused with 40003", async () => {
    const orders = (await page("/orders?limit=1")).next_cursor!;
    const events = (await page("/webhook_events?limit=1")).next_cursor!;
    const [{ order_number }] = (await page("/orders?limit=1")).orders as [{ order_number: string }];
    expect(await refusal(`/orders?cursor=${orders}`, 1)).toEqual(REFUSED);
    expect(await refusal(`/webhook_events?cursor=${events}`, 1)).toEqual(REFUSED);
    expect(await refusal(`/orders?cursor=${events}`)).toEqual(REFUSED);
    expect(await refusal(`/webhook_events?cursor=${orders}`)).toEqual(REFUSED);
    expect(await refusal(`/orders/${order_number}/history?cursor=${orders}`)).toEqual(REFUSED);
    const other = orders.at(0) === "A" ? "B" : "A";
    for (const altered of [`${other}${orders.slice(1)}`, `${orders}A`, orders.slice(0, -4), `${orders}=`, ""]) {
      expect([altered, ...(await refusal(`/orders?cursor=${altered}`))]).toEqual([altered, ...REFUSED]);
    }
  });

  test("that 0.1.0 gave in clear continues the feed at an event of the account, and nowhere else", async () => {
    const { account_id } = app.demo.partners[0]!;
    const { rows } = await app.deps.db.raw(
      "select account_id, event_id, feed_position, event_position from webhook_event order by feed_position, event_position",
    );
    const own = rows.filter((row) => row["account_id"] === account_id);
    const [first, second] = own as [Record<string, unknown>, Record<string, unknown>];
    const cursorOf = (row: Record<string, unknown>) => clear(`f${row["feed_position"]}.${row["event_position"]}`);
    const continued = await page(`/webhook_events?limit=1&cursor=${cursorOf(first)}`);
    expect(continued.webhook_events![0]!.event_id).toBe(second["event_id"]);
    expect((await page(`/webhook_events?limit=1&cursor=${clear("f0.0")}`)).webhook_events).toHaveLength(1);
    const beside = { ...first, event_position: 999_999_999 };
    expect(await refusal(`/webhook_events?cursor=${cursorOf(beside)}`)).toEqual(REFUSED);
    expect(await refusal(`/webhook_events?cursor=${cursorOf(first)}`, 1)).toEqual(REFUSED);
    expect(await refusal(`/orders?cursor=${clear("p5")}`)).toEqual(REFUSED);
  });
});
