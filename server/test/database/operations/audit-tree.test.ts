import { type AuditRoot, leafHash } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyAuditProof } from "../../../../sdk/src/verify-audit-proof.ts";
import { type Database, type Db, openDb, type Tx } from "../../../src/db/db.ts";
import { insertAudits } from "../../../src/db/operations/audit.ts";
import { listAuditKeys, listRoots } from "../../../src/db/operations/audit-roots.ts";
import { findTree } from "../../../src/db/operations/audit-tree.ts";
import { chainAll, entryChainer } from "../../../src/usecases/operations/audit/chain-entries.ts";
import { proveOrder } from "../../../src/usecases/operations/audit/prove-order.ts";
import { renewAuditKey, rootOfRow, signNow, signWhenDue } from "../../../src/usecases/operations/audit/sign-root.ts";
import { verifyLog } from "../../../src/usecases/operations/audit/verify-log.ts";
import { decodeMasterKey } from "../../../src/vault/master-key.ts";
import { openVault, type Vault } from "../../../src/vault/vault.ts";
import { createTestDatabase, TEST_MASTER_KEY } from "../../support/test-app.ts";
import { DEMO_TEMPLATE, urlAs } from "../../support/test-cluster.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let owner: Db;
let jobs: Db;
let vault: Vault;
const now = () => new Date();
const ACCOUNT = "acc1";

beforeAll(async () => {
  database = await createTestDatabase(DEMO_TEMPLATE);
  const open = (url: string) => openDb({ connection: { connectionString: url }, pool_size: 4, named_statements: true });
  owner = open(database.url);
  jobs = open(urlAs("jobs", database.url));
  vault = await openVault(jobs, () => [decodeMasterKey(TEST_MASTER_KEY)], now());
  // The seed's own entries would move the positions that the tests name.
  await owner.raw("truncate audit_entry, audit_leaf, audit_node, audit_root, audit_tree");
  await write(jobs, 600);
  await chainAll(jobs);
  await signNow({ db: jobs, vault, now });
  await write(jobs, 100);
  await chainAll(jobs);
  await signNow({ db: jobs, vault, now });
  const chainer = entryChainer(jobs);
  await chainer.run();
  await chainer.run();
  await write(jobs, 5);
});
afterAll(async () => {
  for (const db of [owner, jobs]) await db.close();
  await database.drop();
});

let written = 0;
const write = (db: Database, count: number) => {
  const entries = Array.from({ length: count }, () => ({
    at: now(),
    person_id: null,
    role: "test",
    account_id: ACCOUNT,
    action: "order_viewed" as const,
    subject: `ORDER${written++ % 50}`,
    request_id: null,
    field_groups: ["order", 'a "quoted" group'],
  }));
  return insertAudits(db, entries);
};
const idAt = async (db: Database, position: number) =>
  Number((await db.raw("select audit_id from audit_leaf where position = $1", [position])).rows[0]!["audit_id"]);
const shippedRoots = async (): Promise<AuditRoot[]> => {
  const { log_id } = (await findTree(jobs))!;
  return (await listRoots(jobs, 0, 100)).map((row) => rootOfRow(log_id, row));
};

class RolledBack extends Error {}
/** What `verify` finds after the owner of the tables did something. Undoes it. */
async function afterwards<Result>(tamper: (tx: Tx) => Promise<unknown>, look: (tx: Tx) => Promise<Result>) {
  let result: Result | undefined;
  await owner
    .transaction(async (tx) => {
      await tamper(tx);
      result = await look(tx);
      throw new RolledBack();
    })
    .catch((error) => {
      if (!(error instanceof RolledBack)) throw error;
    });
  return result!;
}
const found = (tamper: (tx: Tx) => Promise<unknown>, shipped: AuditRoot[] = []) =>
  afterwards(tamper, async (tx) => (await verifyLog(tx, { shipped })).faults);

test("an untouched log verifies, with the roots that were shipped and as the role of the jobs", async () => {
  const shipped = await shippedRoots();
  expect(await verifyLog(jobs, { shipped })).toEqual({
    entries: 700,
    not_chained: 5,
    roots: 2,
    shipped_roots: 2,
    too_old: 0,
    faults: [],
    more_faults: false,
  });
});

describe("the owner of the tables cannot", () => {
  const columns = {
    at: "at + interval '1 microsecond'",
    person_id: "'per1'",
    role: "'admin'",
    credential_id: "'c'",
    os_user: "'root'",
    address: "'127.0.0.2'",
    account_id: "null",
    action: "'order_revealed'",
    subject: "'ORDER999'",
    request_id: "gen_random_uuid()",
    patient_keys: "'{1}'",
    field_groups: "'{order}'",
    salt: "gen_random_uuid()",
  };
  test.each(Object.entries(columns))("change the %s of an entry unnoticed", async (column, value) => {
    const id = await idAt(owner, 41);
    const faults = await found((tx) => tx.raw(`update audit_entry set ${column} = ${value} where audit_id = $1`, [id]));
    expect(faults).toEqual([
      { kind: "changed", audit_id: id, says: `Entry ${id} (position 41) is not as it was written.` },
    ]);
  });

  test("have a column that the hash leaves out", async () => {
    const { rows } = await owner.raw(
      "select attname::text as name from pg_attribute where attrelid = 'audit_entry'::regclass and attnum > 0 and not attisdropped",
    );
    expect(rows.map(({ name }) => name).toSorted()).toEqual(["audit_id", ...Object.keys(columns)].toSorted());
  });

  test("delete an entry unnoticed, with or without its hash", async () => {
    const id = await idAt(owner, 300);
    expect(await found((tx) => tx.raw("delete from audit_entry where audit_id = $1", [id]))).toEqual([
      { kind: "missing", audit_id: id, says: `Entry ${id} (position 300) was deleted.` },
    ]);
    const faults = await found(async (tx) => {
      await tx.raw("delete from audit_entry where audit_id = $1", [id]);
      await tx.raw("delete from audit_leaf where audit_id = $1", [id]);
    });
    expect(faults).toEqual([{ kind: "missing", audit_id: null, says: "The tree lacks the entries at position 300." }]);
  });

  test("insert an entry unnoticed where the job has been", async () => {
    const faults = await found(async (tx) => {
      const { rows } = await tx.raw("select nextval('audit_entry_audit_id_seq')");
      expect(rows).toHaveLength(1);
      await tx.raw(
        `insert into audit_entry (audit_id, at, action) overriding system value values (0, now(), 'order_viewed')`,
      );
    });
    expect(faults).toEqual([
      { kind: "inserted", audit_id: 0, says: "Entry 0 was added later, and it is not in the tree." },
    ]);
  });

  test("swap two entries unnoticed, with or without their hashes", async () => {
    const [one, two] = [await idAt(owner, 10), await idAt(owner, 20)];
    const swap = (tx: Tx) =>
      tx.raw(
        `update audit_entry e set subject = o.subject, salt = o.salt, at = o.at
        from audit_entry o where e.audit_id = any($1) and o.audit_id = any($1) and o.audit_id <> e.audit_id`,
        [[one, two]],
      );
    expect((await found(swap)).map(({ kind, audit_id }) => [kind, audit_id])).toEqual([
      ["changed", one],
      ["changed", two],
    ]);
    const faults = await found(async (tx) => {
      await tx.raw("update audit_leaf set position = -1 where position = 10");
      await tx.raw("update audit_leaf set position = 10 where position = 20");
      await tx.raw("update audit_leaf set position = 20 where position = -1");
    });
    expect(faults.map(({ kind }) => kind)).toEqual(["rewritten", "rewritten"]);
    expect(faults[0]!.says).toMatch(
      /^The entries at position 0 to 255 \(entries \d+ to \d+\) do not lead to the stored/,
    );
    expect(faults[1]!.says).toMatch(/^The entries at position 0 to 599 .* do not lead to the stored root/);
  });

  test("cut off the end unnoticed", async () => {
    const cut = async (tx: Tx) => {
      await tx.raw("delete from audit_entry where audit_id in (select audit_id from audit_leaf where position >= 650)");
      await tx.raw("delete from audit_leaf where position >= 650");
    };
    expect((await found(cut)).map(({ kind }) => kind)).toEqual(["missing"]);
    const faults = await found(async (tx) => {
      await cut(tx);
      await tx.raw("update audit_tree set size = 650");
    });
    expect(faults.map(({ kind }) => kind)).toEqual(["truncated"]);
    expect(faults[0]!.says).toMatch(/^The log has 650 entries, but the stored root of .* covers 700: at least 50 are/);
    const shipped = await shippedRoots();
    const roots_too = await found(async (tx) => {
      await cut(tx);
      await tx.raw("update audit_tree set size = 650");
      await tx.raw("delete from audit_root where size > 650");
    }, shipped);
    expect(roots_too.map(({ kind }) => kind)).toEqual(["truncated"]);
  });

  test("change an entry and its hash unnoticed", async () => {
    const faults = await found(async (tx) => {
      await tx.raw(
        "update audit_entry set role = 'x' where audit_id = (select audit_id from audit_leaf where position = 650)",
      );
      const { rows } = await tx.raw(
        `select 1 as form, e.audit_id, to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, e.person_id,
          e.role, e.credential_id, e.os_user, e.address, e.account_id, e.action, e.subject, e.request_id, e.field_groups,
          e.patient_keys, e.salt::text as salt
        from audit_entry e join audit_leaf l using (audit_id) where l.position = 650`,
      );
      await tx.raw("update audit_leaf set entry_hash = $1 where position = 650", [leafHash(rows[0] as never)]);
    });
    expect(faults.map(({ kind }) => kind)).toEqual(["rewritten"]);
    expect(faults[0]!.says).toMatch(/^The entries at position 600 to 699 .* do not lead to the stored root/);
  });

  test("replace a root unnoticed", async () => {
    const faults = await found((tx) => tx.raw("update audit_root set root_hash = sha256('x') where size = 600"));
    expect(faults.map(({ kind }) => kind)).toEqual(["unsigned"]);
  });

  test("rewrite the whole database unnoticed, even with the signing key, because the shipped roots differ", async () => {
    const shipped = await shippedRoots();
    const rewrite = async (tx: Tx) => {
      await tx.raw("update audit_entry set subject = 'ORDER3' where subject = 'ORDER4'");
      await tx.raw("delete from audit_leaf");
      await tx.raw("delete from audit_node");
      await tx.raw("delete from audit_root");
      await tx.raw("update audit_tree set size = 0, settled_id = 0");
      await chainAll(tx);
      await signNow({ db: tx, vault, now });
      await tx.raw("update audit_tree set settled_id = (select max(audit_id) from audit_entry)");
    };
    expect(await found(rewrite)).toEqual([]);
    const faults = await found(rewrite, shipped);
    expect(faults.map(({ kind }) => kind)).toEqual(["rewritten"]);
    expect(faults[0]!.says).toMatch(/^The entries at position 0 to 599 .* do not lead to the shipped root/);
  });
});

test("a pinned public key refuses roots of another key", async () => {
  const [key] = await listAuditKeys(jobs);
  expect((await verifyLog(jobs, { public_keys: [key!.public_key] })).faults).toEqual([]);
  const other = await afterwards(
    (tx) => renewAuditKey({ db: tx, vault, now: () => new Date(Date.now() + 1_000) }),
    async (tx) => {
      const [newest] = await listAuditKeys(tx);
      return verifyLog(tx, { public_keys: [newest!.public_key] });
    },
  );
  expect(other.faults.map(({ kind }) => kind)).toEqual(["unsigned", "unsigned"]);
});

test("a partner verifies a proof of an order offline, and notices any change to it", async () => {
  const proof = await afterwards(
    async () => {},
    (tx) => proveOrder({ db: tx, vault, now }, ACCOUNT, "ORDER7"),
  );
  const received = JSON.parse(JSON.stringify(proof)) as typeof proof;
  const [key] = await listAuditKeys(jobs);
  expect(JSON.stringify(proof).length).toBeLessThan(30_000);
  expect(verifyAuditProof(received, key!.public_key).entries).toHaveLength(14);
  expect(verifyAuditProof(received, { roots: [received.root] }).entries).toHaveLength(14);
  expect(() => verifyAuditProof(received, { roots: [] })).toThrow("No trusted key");
  const [first, ...others] = received.entries;
  const changes: [Partial<typeof received>, RegExp][] = [
    [{ entries: [{ ...first!, entry: { ...first!.entry, role: "x" } }, ...others] }, /is not in the log/],
    [{ entries: [{ ...first!, position: first!.position + 1 }] }, /is not in the log/],
    [{ entries: [{ ...first!, path: first!.path.slice(1) }] }, /is not in the log/],
    [{ order_number: "ORDER8" }, /is not about order ORDER8/],
    [{ root: { ...received.root, size: received.root.size + 1 } }, /No trusted key/],
    [{ entries: [] }, /no entries/],
  ];
  for (const [change, says] of changes)
    expect(() => verifyAuditProof({ ...received, ...change }, key!.public_key)).toThrow(says);
});

test("a root is signed every hour, also if the log has not grown", async () => {
  const later = (ms: number) => () => new Date(Date.now() + ms);
  const signed = await afterwards(
    async () => {},
    async (tx) => [
      await signWhenDue({ db: tx, vault, now: later(3_000_000) }),
      await signWhenDue({ db: tx, vault, now: later(3_700_000) }),
      await signWhenDue({ db: tx, vault, now: later(3_800_000) }),
    ],
  );
  expect(signed.map((root) => root?.size)).toEqual([undefined, 700, undefined]);
});

test("an entry that commits late is in the tree, and the job waits for it before it settles", async () => {
  const chainer = entryChainer(jobs);
  await chainer.run();
  await chainer.run();
  const before = (await findTree(jobs))!;
  let commit = () => {};
  const committed = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let began = () => {};
  const open = new Promise<void>((resolve) => {
    began = resolve;
  });
  const late = jobs.transaction(async (tx) => {
    await write(tx, 1);
    began();
    await committed;
  });
  await open;
  await write(jobs, 2);
  for (let round = 0; round < 4; round++) await chainer.run();
  const waiting = (await findTree(jobs))!;
  expect(waiting.size).toBe(before.size + 2);
  const { rows } = await owner.raw("select max(audit_id) as newest from audit_entry");
  expect(waiting.settled_id).toBeLessThan(Number(rows[0]!["newest"]) - 2);
  expect((await verifyLog(jobs)).faults).toEqual([]);
  commit();
  await late;
  for (let round = 0; round < 3; round++) await chainer.run();
  const after = (await findTree(jobs))!;
  expect(after.size).toBe(before.size + 3);
  expect(after.settled_id).toBe(Number(rows[0]!["newest"]));
  expect(await verifyLog(jobs)).toMatchObject({ faults: [], not_chained: 0 });
});

test("processes that chain and sign at once build one tree", async () => {
  const chainers = Array.from({ length: 3 }, () => entryChainer(jobs));
  await Promise.all([
    ...Array.from({ length: 20 }, () => write(jobs, 30)),
    ...chainers.flatMap((one) => [one.run(), one.run()]),
    ...chainers.map(() => signNow({ db: jobs, vault, now })),
  ]);
  await chainAll(jobs);
  expect(await verifyLog(jobs)).toMatchObject({ faults: [], not_chained: 0 });
});
