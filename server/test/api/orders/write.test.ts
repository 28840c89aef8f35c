import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dropAll } from "../../../src/copies.ts";
import type { Database } from "../../../src/db/db.ts";
import { readCatalogue } from "../../../src/usecases/catalogue/read-catalogue.ts";
import { LostRaces, write } from "../../../src/usecases/write.ts";
import { act, readOrder } from "../../support/actions.ts";
import { newOrder, placed } from "../../support/orders.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { webPerson } from "../../support/web.ts";

const POOL_SIZE = 4;
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true, env: { DATABASE_POOL_SIZE: String(POOL_SIZE) } });
});
afterAll(() => app.stop());

describe("the catalogue", () => {
  test("is read on the transaction's connection: more actions than connections do not stall", async () => {
    const orders = await Promise.all(Array.from({ length: 4 * POOL_SIZE }, async () => placedOrder()));
    // A process without contact to the change bus trusts no cached copy, so every action reads the catalogue.
    const { fresh } = app.deps.bus;
    app.deps.bus.fresh = () => false;
    try {
      const answers = await Promise.all(
        orders.map(({ order_number }) =>
          act(app, order_number, { event: "hold" }, { headers: { "idempotency-key": order_number } }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(orders.map(() => 201));
    } finally {
      app.deps.bus.fresh = fresh;
    }
  });

  test("is loaded once for all requests that miss the cache at the same time", async () => {
    const { account_id } = app.demo.partners[0]!;
    let reads = 0;
    const db: Database = {
      ...app.deps.db,
      row: (statement, params) => {
        reads += 1;
        return app.deps.db.row(statement, params);
      },
      rows: (statement, params) => {
        reads += 1;
        return app.deps.db.rows(statement, params);
      },
    };
    const deps = { ...app.deps, db };
    dropAll(deps.copies);
    await readCatalogue(deps, account_id);
    const once = reads;
    dropAll(deps.copies);
    await Promise.all(Array.from({ length: 16 }, () => readCatalogue(deps, account_id)));
    expect(reads).toBe(2 * once);
  });
});

describe("an audit entry", () => {
  test("is committed together with the work", async () => {
    const lead = await webPerson(app, "lead");
    const { order_number } = await placedOrder();
    const { account_id } = app.demo.partners[0]!;
    const path = `/dashboard/orders/${account_id}/${order_number}/work`;
    const history = async () =>
      (await app.deps.db.raw("select event from order_history where order_number = $1", [order_number])).rows.length;
    const before = await history();
    await failingAudit(async () => {
      for (const asked of [{ event: "claim" }, { event: "note", reason: "Called." }, { event: "approve_review" }]) {
        expect((await lead.send("POST", path, asked)).status).toBe(500);
      }
    });
    expect(await history()).toBe(before);
    expect(await readOrder(app, order_number)).toMatchObject({ order_status: "Processing" });
    const { rows } = await app.deps.db.raw("select claimed_by from orders where order_number = $1", [order_number]);
    expect(rows).toEqual([{ claimed_by: null }]);
    expect((await lead.send("POST", path, { event: "approve_review" })).status).toBe(200);
    const { rows: entries } = await app.deps.db.raw(
      "select action from audit_entry where subject = $1 and action = 'order_approved'",
      [order_number],
    );
    expect(entries).toHaveLength(1);
  });

  test("is committed together with the end of a review", async () => {
    const lead = await webPerson(app, "lead");
    const { account_id } = app.demo.partners[0]!;
    const { rows } = await app.deps.db.raw(
      `insert into review (account_id, kind, intake_message_id, created_at)
      select $1, 'processing_failed', intake_message_id, now() from intake_message limit 1
      returning review_id`,
      [account_id],
    );
    const { review_id } = rows[0] as { review_id: number };
    const path = `/dashboard/reviews/${account_id}/${review_id}/resolve`;
    const isOpen = async () =>
      (
        await app.deps.db.raw("select 1 from review where account_id = $1 and review_id = $2 and resolved_at is null", [
          account_id,
          review_id,
        ])
      ).count === 1;
    const body = { action: "answer", note: "Looked." };
    await failingAudit(async () => expect((await lead.send("POST", path, body)).status).toBe(500));
    expect(await isOpen()).toBe(true);
    expect((await lead.send("POST", path, body)).status).toBe(200);
    expect(await isOpen()).toBe(false);
  });
});

describe("a write", () => {
  const conflict = () => Promise.reject(Object.assign(new Error("a lost race"), { code: "40001" }));

  test("that loses every race is a 503 that can be retried, and stores no answer", async () => {
    let attempts = 0;
    let settled = false;
    const plan = {
      attempt: () => {
        attempts += 1;
        return conflict();
      },
      settle: async () => {
        settled = true;
        return undefined as never;
      },
    };
    await expect(write(app.deps, plan)).rejects.toThrow(LostRaces);
    expect([attempts, settled]).toEqual([10, false]);
  });

  test("inside another transaction is not retried, because that transaction has ended", async () => {
    let attempts = 0;
    const nested = app.deps.db.transaction((tx) =>
      write(
        { ...app.deps, db: tx },
        {
          attempt: () => {
            attempts += 1;
            return conflict();
          },
        },
      ),
    );
    await expect(nested).rejects.toThrow("a lost race");
    expect(attempts).toBe(1);
  });
});

const placedOrder = async () => placed(app, (await newOrder(app)).body);

/** A database that rejects audit entries. */
async function failingAudit(work: () => Promise<unknown>): Promise<void> {
  await app.deps.db.raw("alter table audit_entry add constraint none_is_taken check (action is null) not valid");
  try {
    await work();
  } finally {
    await app.deps.db.raw("alter table audit_entry drop constraint none_is_taken");
  }
}
