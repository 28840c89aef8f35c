import type { Db, Tx } from "../../db/db.ts";
import { answerPlace } from "../../db/idempotency.ts";
import {
  type BlindRow,
  type BlindTable,
  beginRenewal,
  blindTables,
  copyPatientIndexes,
  countConnections,
  endRenewal,
  lockIndexKey,
  readBlindRows,
  saveBlindRows,
} from "../../db/operations/blind-columns.ts";
import { insertIndexKey, listIndexKeys, loadKeyRing, lockKeys } from "../../db/operations/keys.ts";
import { orderPlace, referencePlace } from "../../db/orders/orders.ts";
import { bytes } from "../../db/values.ts";
import { blindIndexesOf, nextLayer } from "../../vault/blind-index.ts";
import { fittingMasterKey, type MasterKey } from "../../vault/master-key.ts";
import { newDataKey, openVault, type Vault, wrapIndexKey } from "../../vault/vault.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { nameIndexes, openPatientId, openRecord, patientIndex, recordIndexes } from "../patients/patient-rows.ts";
import { sealOldRows } from "./seal-old-rows.ts";

export type RotatedIndexKey = { index_key_id: string; renewed: Record<BlindTable, number> };

/**
 * Replaces the key of the blind indexes (ADR 0052). No process of Pestle may be connected: two keys at once would find no
 * patient of the other and create a second one. All of it is one transaction, so that a rotation that is cut off changes
 * nothing. `db` is the owner's, and its connections do not pass the fence that this closes.
 */
export async function rotateIndexKey(
  { db, masterKeys }: { db: Db; masterKeys: () => readonly MasterKey[] },
  now: Date,
  onProgress: (table: string, renewed: number) => void = () => {},
): Promise<RotatedIndexKey> {
  const ring = await loadKeyRing(db);
  if (ring === undefined) throw new AdminRefusal("This database has no keys yet. The first start creates them.");
  // Opened and wrapped before the transaction, because a key service is a network away.
  const master = fittingMasterKey(masterKeys(), ring.fingerprint);
  const vault = await openVault(db, masterKeys, now);
  const before = await listIndexKeys(db);
  const layer = before.at(-1)!.layer + 1;
  const key = newDataKey();
  const wrapped = await wrapIndexKey(master, key, layer);

  return db.transaction(async (tx) => {
    await refuseCompany(tx);
    await lockKeys(tx);
    const current = await listIndexKeys(tx);
    if (
      (await loadKeyRing(tx))?.fingerprint !== ring.fingerprint ||
      current.at(-1)?.index_key_id !== before.at(-1)?.index_key_id
    )
      throw new AdminRefusal("Another command changed the keys at the same moment. Run this one again.");
    await vault.reload(tx);
    await beginRenewal(tx);
    // What an earlier version stored in clear has no blind index yet, or is its source.
    await sealOldRows(tx, vault);
    const renewed = {} as RotatedIndexKey["renewed"];
    for (const table of Object.keys(blindTables) as BlindTable[]) {
      renewed[table] = 0;
      for await (const rows of readBlindRows(tx, table)) {
        await saveBlindRows(tx, table, renewAll(table, rows, { vault, key }));
        renewed[table] += rows.length;
        onProgress(table, renewed[table]);
      }
    }
    onProgress("person_link", await copyPatientIndexes(tx));
    await endRenewal(tx);
    return { index_key_id: await insertIndexKey(tx, layer, wrapped, now), renewed };
  });
}

async function refuseCompany(tx: Tx): Promise<void> {
  const locked = await lockIndexKey(tx);
  const connections = await countConnections(tx);
  if (locked && connections === 0) return;
  throw new AdminRefusal(
    `Pestle has ${connections} open ${connections === 1 ? "connection" : "connections"} to this database. Stop all of its processes and commands, also on other machines, and run this again. Nothing was changed.`,
  );
}

/** The vault with the keys of now, and the new index key. */
type Renewal = { vault: Vault; key: Buffer };

function renewAll(table: BlindTable, rows: readonly BlindRow[], renewal: Renewal): BlindRow[] {
  return rows.map((row) => {
    try {
      return { at: row.at, ...renewals[table](row, renewal) };
    } catch (cause) {
      const named = blindTables[table].reads.filter((name) => !name.endsWith("_sealed"));
      const where = named.map((name) => `${name} ${row[name]}`).join(", ");
      throw new AdminRefusal(
        `A value in ${table} (${where}) is damaged and cannot be decrypted. Nothing was changed.`,
        {
          cause,
        },
      );
    }
  });
}

/** The new hashes of a row: computed again from what is stored encrypted, or else with one more layer. */
const renewals: Record<BlindTable, (row: BlindRow, renewal: Renewal) => Record<string, unknown>> = {
  idempotent_answer(row, { vault, key }) {
    const [account_id, path, idempotency_key] = [row["account_id"], row["path"], row["idempotency_key"]].map(
      String,
    ) as [string, string, string];
    const moved = { account_id, path: withNextLayer(key, path, PATIENT_IN_PATH), idempotency_key };
    const body_sealed = row["body_sealed"] as Buffer;
    const body = () => vault.open(body_sealed, answerPlace({ account_id, path, idempotency_key }));
    return {
      fingerprint: bytes(nextLayer(key, row["fingerprint"] as Buffer)),
      path: moved.path,
      body_sealed: bytes(moved.path === path ? body_sealed : vault.seal(body(), answerPlace(moved))),
    };
  },
  order_exception: ({ basis, confirmed }, { key }) => ({
    basis: basis === null ? null : withNextLayer(key, String(basis)),
    confirmed: confirmed === null ? null : withNextLayer(key, String(confirmed)),
  }),
  order_fingerprint: ({ fingerprint }, { key }) => ({ fingerprint: bytes(nextLayer(key, fingerprint as Buffer)) }),
  // A layer keeps a signature that holds, and one that does not.
  order_note: ({ signature }, { key }) => ({
    signature: signature === null ? null : bytes(nextLayer(key, signature as Buffer)),
  }),
  orders({ account_id, order_number, reference_sealed }, { vault, key }) {
    if (reference_sealed === null) return { reference_index: null };
    const account = String(account_id);
    const place = orderPlace("reference_sealed", account, String(order_number));
    const reference = vault.open(reference_sealed as Buffer, place).toString("utf8");
    return { reference_index: bytes(blindIndexesOf([key]).blindIndex(reference, referencePlace(account))) };
  },
  patient({ account_id, patient_key, id_sealed, record_sealed, person_keys }, { vault, key }) {
    const [account, patient] = [String(account_id), Number(patient_key)];
    const deps = { vault: { seal: vault.seal, open: vault.open, blindIndex: blindIndexesOf([key]).blindIndex } };
    const patient_id = openPatientId(deps, account, { patient_key: patient, id_sealed: id_sealed as Buffer });
    const record = openRecord(deps, account, patient, record_sealed as Buffer);
    const indexes = recordIndexes(deps, account, record);
    return {
      id_index: bytes(patientIndex(deps, account, patient_id)),
      ...indexes,
      ...nameIndexes(deps, account, record),
      // A job computes those that are missing.
      person_keys: person_keys === null ? null : indexes.person_keys,
    };
  },
  sms_choice: ({ phone_index }, { key }) => ({ phone_index: bytes(nextLayer(key, phone_index as Buffer)) }),
  patient_alias: ({ alias_index }, { key }) => ({ alias_index: bytes(nextLayer(key, alias_index as Buffer)) }),
};

const PATIENT_IN_PATH = /(?<=^\/patients\/)[0-9a-f]{32}(?=\/|$)/g;
const HASH = /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/g;
/** The same for hashes inside a text. Other words, such as "unavailable", stay. */
const withNextLayer = (key: Buffer, text: string, hashes = HASH) =>
  text.replaceAll(hashes, (hash) => nextLayer(key, Buffer.from(hash, "hex")).toString("hex"));
