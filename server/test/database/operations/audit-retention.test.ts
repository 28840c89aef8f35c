import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyAuditProof } from "../../../../sdk/src/verify-audit-proof.ts";
import { type Db, openDb } from "../../../src/db/db.ts";
import { insertAudits } from "../../../src/db/operations/audit.ts";
import { listAuditKeys, listRoots } from "../../../src/db/operations/audit-roots.ts";
import { findTree } from "../../../src/db/operations/audit-tree.ts";
import { chainAll, entryChainer } from "../../../src/usecases/operations/audit/chain-entries.ts";
import { dropOldEntries } from "../../../src/usecases/operations/audit/drop-old-entries.ts";
import { proveOrder } from "../../../src/usecases/operations/audit/prove-order.ts";
import { rootOfRow, signNow } from "../../../src/usecases/operations/audit/sign-root.ts";
import { verifyLog } from "../../../src/usecases/operations/audit/verify-log.ts";
import { decodeMasterKey } from "../../../src/vault/master-key.ts";
import { openVault, type Vault } from "../../../src/vault/vault.ts";
import { createTestDatabase, TEST_MASTER_KEY } from "../../support/test-app.ts";
import { DEMO_TEMPLATE, urlAs } from "../../support/test-cluster.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let owner: Db;
let jobs: Db;
let vault: Vault;
const yearsAgo = (years: number) => () => new Date(Date.now() - years * 366 * 24 * 3600 * 1000);
const config = { AUDIT_RETENTION_YEARS: 6 };

/** A log that grew over eight years, with a root after each part. */
beforeAll(async () => {
  database = await createTestDatabase(DEMO_TEMPLATE);
  const open = (url: string) => openDb({ connection: { connectionString: url }, pool_size: 2, named_statements: true });
  owner = open(database.url);
  jobs = open(urlAs("jobs", database.url));
  vault = await openVault(jobs, () => [decodeMasterKey(TEST_MASTER_KEY)], new Date());
  await owner.raw("truncate audit_entry, audit_leaf, audit_node, audit_root, audit_tree");
  for (const [years, count] of [
    [8, 300],
    [7, 250],
    [3, 100],
    [0, 50],
  ] as const) {
    const by = { person_id: null, role: "test", account_id: "acc1", request_id: null };
    const entry = { at: yearsAgo(years)(), action: "order_viewed" as const, subject: `Y${years}`, ...by };
    await insertAudits(
      jobs,
      Array.from({ length: count }, () => entry),
    );
    await chainAll(jobs);
    await signNow({ db: jobs, vault, now: yearsAgo(years) });
  }
  const chainer = entryChainer(jobs);
  await chainer.run();
  await chainer.run();
});
afterAll(async () => {
  for (const db of [owner, jobs]) await db.close();
  await database.drop();
});

const counts = async () => {
  const { rows } = await owner.raw(
    `select (select count(*)::int from audit_entry where action = 'order_viewed') as entries,
      (select count(*)::int from audit_leaf) as leaves, (select count(*)::int from audit_root) as roots`,
  );
  return rows[0]!;
};
const shipped = async () => {
  const { log_id } = (await findTree(jobs))!;
  return (await listRoots(jobs, 0, 100)).map((row) => rootOfRow(log_id, row));
};

test("entries past the retention go as a whole prefix, on record, and the rest still verifies", async () => {
  expect(await dropOldEntries({ db: jobs, config, now: yearsAgo(0) })).toBe(550);
  // Of the 550 hashes, the last 38 have no stored node above them yet.
  expect(await counts()).toEqual({ entries: 150, leaves: 700 - 512, roots: 4 });
  const { rows } = await owner.raw("select role, subject from audit_entry where action = 'audit_dropped'");
  expect(rows).toEqual([{ role: "system", subject: expect.stringMatching(/^550 entries, up to root [0-9a-f]{64}$/) }]);
  await chainAll(jobs);
  const verified = await verifyLog(jobs, { shipped: await shipped() });
  expect(verified).toMatchObject({ faults: [], entries: 151, too_old: 1 });
  // A second run finds nothing to do, and writes nothing.
  expect(await dropOldEntries({ db: jobs, config, now: yearsAgo(0) })).toBe(0);
  expect((await owner.raw("select from audit_entry where action = 'audit_dropped'")).count).toBe(1);
});

test("the remaining entries can still be proven, and a change among them is found", async () => {
  const proof = await proveOrder({ db: jobs, vault, now: yearsAgo(0) }, "acc1", "Y3");
  const [key] = await listAuditKeys(jobs);
  expect(verifyAuditProof(proof, key!.public_key).entries).toHaveLength(100);
  await expect(proveOrder({ db: jobs, vault, now: yearsAgo(0) }, "acc1", "Y8")).rejects.toThrow("has no entry");
  await owner.raw(
    "update audit_entry set role = 'x' where audit_id = (select audit_id from audit_leaf where position = 560)",
  );
  expect((await verifyLog(jobs)).faults.map(({ kind }) => kind)).toEqual(["changed"]);
  await owner.raw("update audit_entry set role = 'test' where role = 'x'");
  await owner.raw("update audit_node set node_hash = sha256('x') where level = 8 and place = 0");
  expect((await verifyLog(jobs)).faults.map(({ kind }) => kind)).toEqual(["rewritten"]);
});

test("no role of the service drops younger entries, and a drop that the log does not record is found", async () => {
  const young = (await findTree(jobs))!.size;
  await jobs.raw("update audit_tree set dropped_size = $1", [young]);
  const { rows } = await jobs.raw("select drop_audit_entries(10000) as gone");
  expect(rows).toEqual([{ gone: 100 }]);
  expect(await counts()).toMatchObject({ entries: 50 });
  expect((await verifyLog(jobs)).faults[0]).toMatchObject({
    kind: "missing",
    says: `The first ${young} entries are gone, and no entry and no old root allows it.`,
  });
});
