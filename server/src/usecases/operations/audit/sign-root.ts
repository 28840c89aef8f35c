import { generateKeyPairSync } from "node:crypto";
import { type AuditRoot, auditKeyId, signRoot } from "@pestle/contract";
import type { Database, Tx } from "../../../db/db.ts";
import {
  type AuditKeyRow,
  auditKeyPlace,
  insertAuditKey,
  insertRoot,
  listAuditKeys,
  newestRoot,
  type RootRow,
} from "../../../db/operations/audit-roots.ts";
import { loadTree, lockTree } from "../../../db/operations/audit-tree.ts";
import type { Deps } from "../../../deps.ts";
import { openTree, partsOf } from "../../../domain/operations/audit-tree.ts";
import { type Vault, withKeysOfNow } from "../../../vault/vault.ts";
import { nodesAt } from "./chain-entries.ts";

type SignDeps = { db: Database; vault: Vault; now: () => Date };

const HOUR_MS = 3_600_000;

/** Signs a root if the newest one is an hour old, also if the log has not grown: a missing root shows that the job stopped. */
export async function signWhenDue(deps: Pick<Deps, "db" | "vault" | "now">): Promise<AuditRoot | undefined> {
  const isDue = (newest: RootRow | undefined) =>
    newest === undefined || deps.now().getTime() - newest.at.getTime() >= HOUR_MS;
  return isDue(await newestRoot(deps.db)) ? sign(deps, isDue) : undefined;
}

/** Signs a root of the log as it is now. */
export const signNow = async (deps: SignDeps): Promise<AuditRoot> => (await sign(deps, () => true))!;

/** Under the tree's lock, so that two processes do not sign the same hour. */
const sign = (deps: SignDeps, isDue: (newest: RootRow | undefined) => boolean): Promise<AuditRoot | undefined> =>
  withKeysOfNow(deps, () =>
    deps.db.transaction(async (tx) => {
      await lockTree(tx);
      if (!isDue(await newestRoot(tx))) return undefined;
      const { log_id, size } = await loadTree(tx);
      const hash = openTree(size, await nodesAt(tx, partsOf(size))).root();
      const key = (await listAuditKeys(tx))[0] ?? (await addKey(tx, deps));
      const at = deps.now();
      const private_key = deps.vault.open(key.private_sealed, auditKeyPlace(key.key_id)).toString("utf8");
      const { key_id } = key;
      const root = signRoot(
        { form: 1, log_id, size, root: hash.toString("hex"), at: at.toISOString(), key_id },
        private_key,
      );
      await insertRoot(tx, { size, root_hash: hash, at, key_id, signature: root.signature });
      return root;
    }),
  );

/** Creates the first key, so that partners can read it before the first root. */
export const ensureAuditKey = async (deps: SignDeps): Promise<void> => {
  if ((await listAuditKeys(deps.db)).length > 0) return;
  await withKeysOfNow(deps, () =>
    deps.db.transaction(async (tx) => {
      await lockTree(tx);
      if ((await listAuditKeys(tx)).length === 0) await addKey(tx, deps);
    }),
  );
};

/** Adds a key that signs from now on. Roots of earlier keys stay valid. */
export const renewAuditKey = (deps: SignDeps): Promise<AuditKeyRow> =>
  withKeysOfNow(deps, () =>
    deps.db.transaction(async (tx) => {
      await lockTree(tx);
      return addKey(tx, deps);
    }),
  );

async function addKey(tx: Tx, { vault, now }: SignDeps): Promise<AuditKeyRow> {
  const { publicKey: public_key, privateKey: private_key } = generateKeyPairSync("ed25519", {
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const key_id = auditKeyId(public_key);
  const private_sealed = vault.seal(Buffer.from(private_key), auditKeyPlace(key_id));
  const key = { key_id, public_key, private_sealed, created_at: now() };
  await insertAuditKey(tx, key);
  return key;
}

/** A stored root as it is shipped. */
export const rootOfRow = (log_id: string, { size, root_hash, at, key_id, signature }: RootRow): AuditRoot => ({
  form: 1,
  log_id,
  size,
  root: root_hash.toString("hex"),
  at: at.toISOString(),
  key_id,
  signature,
});
