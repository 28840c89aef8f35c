import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type FeedPosition, readFeed } from "../../../src/db/webhooks/feed.ts";
import { newOrder, placed } from "../../support/orders.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

const workers = inject("worker_urls").length;
if (workers < 2)
  console.warn("NOT RUN: an account moves to another server. Needs the extension Citus and TEST_CITUS=2.");

const MOVES = 4;
const ORDERS_BETWEEN_MOVES = 6;
const START: FeedPosition = { feed_position: 0, event_position: 0 };
const all = { event_type: null, order_number: null, delivered: null, after: null };

describe.skipIf(workers < 2)("an account that moves between servers while it orders", () => {
  let app: TestApp;
  let account_id: string;
  beforeAll(async () => {
    app = await startTestApp({ unlimited: true });
    account_id = app.demo.partners[0]!.account_id;
  });
  afterAll(() => app.stop());

  test("loses no order and no event, and a reader that follows its feed gets each event once, in order", async () => {
    const ordered: string[] = [];
    const read: string[] = [];
    let moving = true;
    const order = async () => {
      while (moving) {
        await unlessAway(async () => {
          const { body } = await newOrder(app);
          ordered.push((await placed(app, body)).order_number);
        });
      }
    };
    const writing = Promise.all([order(), order()]);
    let written = false;
    const follow = async () => {
      let position = START;
      for (let last = false; ; ) {
        const page = await unlessAway(() => readFeed(app.deps.db, account_id, all, position, 50));
        if (page === undefined) continue;
        const { rows, end } = page;
        read.push(...rows.map(({ event_id }) => event_id));
        position = end;
        if (rows.length === 0 && last) return;
        last = written;
      }
    };
    const following = follow();
    const places = new Set<string>();
    for (let move = 1; move <= MOVES; move++) {
      await expect.poll(() => ordered.length).toBeGreaterThanOrEqual(move * ORDERS_BETWEEN_MOVES);
      places.add(await moveAccount());
    }
    moving = false;
    await writing;
    written = true;
    await following;
    const stored = await app.owner.raw(
      "select event_id::text from webhook_event where account_id = $1 order by feed_position, event_position",
      [account_id],
    );
    expect(places.size).toBe(2);
    expect(read).toEqual(stored.rows.map(({ event_id }) => event_id));
    const orders = await app.owner.raw(
      "select order_number from orders where account_id = $1 and order_number = any($2)",
      [account_id, ordered],
    );
    expect(orders.count).toBe(ordered.length);
  });

  /** While the account moves, its writes wait, and those that wait too long get 503. A caller tries again later. */
  async function unlessAway<Done>(work: () => Promise<Done>): Promise<Done | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!/\b503\b/.test(String(error))) throw error;
      return undefined;
    }
  }

  /** To the other worker. Returns its port. */
  async function moveAccount(): Promise<string> {
    const { rows } = await app.owner.raw(
      `select p.shardid, p.nodename as from_host, p.nodeport as from_port, n.nodename as to_host, n.nodeport as to_port
      from pg_dist_shard_placement p, pg_dist_node n
      where p.shardid = get_shard_id_for_distribution_column('account_home', $1::text)
        and n.groupid <> 0 and n.nodeport <> p.nodeport
      limit 1`,
      [account_id],
    );
    const { shardid, from_host, from_port, to_host, to_port } = rows[0]!;
    await app.owner.transaction(async (tx) => {
      await tx.raw("set local statement_timeout = 0");
      await tx.raw("select citus_move_shard_placement($1, $2, $3, $4, $5, 'block_writes')", [
        ...[shardid, from_host, from_port, to_host, to_port],
      ]);
    });
    return String(to_port);
  }
});
