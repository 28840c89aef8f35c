import { WrongUsage } from "@pestle/cli/errors";
import { facts, progress, table } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { readConfig } from "../../config.ts";
import { rotateIndexKey } from "../../usecases/operations/rotate-index-key.ts";
import { describeKeys, rotateDataKey } from "../../usecases/operations/rotate-keys.ts";
import { rotateMasterKey } from "../../usecases/operations/rotate-master-key.ts";
import { keptMasterKeys, masterKeys } from "../../vault/master-key.ts";
import { enterSchema, withOwner, withSchema, withVault } from "../session.ts";

export const keysCommands: readonly CommandRow[] = [
  {
    name: "keys show",
    summary:
      "show the master key's fingerprint, the index key, the data keys, their age and how many values each encrypts",
    examples: ["keys show", "keys show --json"],
    async run(_options, _argument, env) {
      const config = readConfig(env);
      const { fingerprint, index_key, data_keys } = await withSchema(config, ({ db }) => describeKeys(db));
      const fits = keptMasterKeys(config).some((key) => key.fingerprint === fingerprint);
      const rows = data_keys.map(({ key_id, active, created_at, seals, sealed_values }) => [
        String(key_id),
        active ? "yes" : "no",
        created_at.slice(0, 10),
        String(seals),
        String(sealed_values),
      ]);
      const head = facts({
        "master key": `${fingerprint} (${fits ? "matches the key set here" : "does not match the key set here"})`,
        "index key": `${index_key.index_key_id} (created ${index_key.created_at.slice(0, 10)}, rotated ${times(index_key.rotations)})`,
      });
      return {
        data: { fingerprint, fits, index_key, data_keys },
        text: `${head}\n\n${table(["data key", "active", "created", "seals at most", "encrypted values"], rows)}`,
      };
    },
  },
  {
    name: "keys rotate",
    summary:
      "re-encrypt everything with a new data key while the service runs; with --master, change the master key; with --index, the key of the blind indexes",
    options: [
      [
        "--master",
        "change the master key: to the key service if KMS_URL is set, to NEW_MASTER_KEY if MASTER_KEY is set, else to a new master.key. Earlier backups need the old key: copy it first, or take a new backup",
      ],
      ["--index", "change the key of the blind indexes. Stop all processes of the service first"],
    ],
    examples: [
      "keys rotate",
      "keys rotate --master",
      "NEW_MASTER_KEY=$(cat new.key) pestle keys rotate --master",
      "keys rotate --index",
    ],
    async run({ master, index }, _argument, env) {
      const config = readConfig(env);
      if (master === true && index === true) throw new WrongUsage("Give --master or --index, not both.");
      if (index === true) {
        const bar = progress();
        const rotated = await withOwner(
          config,
          async ({ db, now }) => {
            await enterSchema({ db, now });
            return rotateIndexKey({ db, masterKeys: () => keptMasterKeys(config) }, now, (name, count) =>
              bar.show(`${name} ${count}`),
            );
          },
          { rotates: true },
        ).finally(bar.done);
        const rows = Object.values(rotated.renewed).reduce((total, count) => total + count, 0);
        const text = `Index key ${rotated.index_key_id} now computes all blind indexes (${rows} rows). Start the service again, and take a new backup with \`pestle backup\`.`;
        return { data: rotated, text };
      }
      if (master === true) {
        const rotated = await withSchema(config, ({ db, now }) => rotateMasterKey({ config, db }, now));
        const lines = [
          `The new master key has the fingerprint ${rotated.fingerprint}.`,
          ...(config.KMS_URL !== ""
            ? ["The key service wraps the data keys. Keep the old key for earlier backups."]
            : []),
          ...(config.KMS_URL !== "" || config.MASTER_KEY === "" ? [] : ["Set MASTER_KEY to it before the next start."]),
          "Earlier backups need the old key. Take a new backup with `pestle backup`.",
        ];
        return { data: rotated, text: lines.join("\n") };
      }
      const bar = progress();
      const rotated = await withVault(config, ({ db, vault, now }) =>
        rotateDataKey({ db, vault, masterKeys: () => masterKeys(config) }, now, (count) =>
          bar.show(`re-encrypted: ${count}`),
        ),
      ).finally(bar.done);
      const { key_id, resealed, dropped_key_ids } = rotated;
      const text = `Data key ${key_id} now encrypts all ${resealed} values. Deleted keys: ${dropped_key_ids.join(", ") || "none"}.`;
      return { data: rotated, text };
    },
  },
];

const times = (count: number) => (count === 1 ? "once" : count === 0 ? "never" : `${count} times`);
