import { readConfig } from "../../config.ts";
import { describeKeys, rotateDataKey } from "../../usecases/operations/rotate-keys.ts";
import { rotateMasterKey } from "../../usecases/operations/rotate-master-key.ts";
import { keptMasterKeys, masterKeys } from "../../vault/master-key.ts";
import { facts, progress, table } from "../output.ts";
import type { CommandRow } from "../program.ts";
import { withSchema, withVault } from "../session.ts";

export const keysCommands: readonly CommandRow[] = [
  {
    name: "keys show",
    summary: "show the master key's fingerprint, the data keys and how many values each seals",
    examples: ["keys show", "keys show --json"],
    async run(_options, _argument, env) {
      const config = readConfig(env);
      const { fingerprint, data_keys } = await withSchema(config, ({ db }) => describeKeys(db));
      const fits = keptMasterKeys(config).some((key) => key.fingerprint === fingerprint);
      const rows = data_keys.map(({ key_id, active, sealed_values }) => [
        String(key_id),
        active ? "yes" : "no",
        String(sealed_values),
      ]);
      const head = facts({ "master key": `${fingerprint} (${fits ? "yours" : "not the one that is set here"})` });
      return {
        data: { fingerprint, fits, data_keys },
        text: `${head}\n\n${table(["data key", "seals new values", "sealed values"], rows)}`,
      };
    },
  },
  {
    name: "keys rotate",
    summary: "seal everything with a new data key, beside the running service; with --master change the master key",
    options: [
      [
        "--master",
        "change the master key: to NEW_MASTER_KEY where MASTER_KEY is set, else to a new master.key. Back-ups from before need the old one: copy it first, or take a new back-up",
      ],
    ],
    examples: ["keys rotate", "keys rotate --master", "NEW_MASTER_KEY=$(cat new.key) pestle keys rotate --master"],
    async run({ master }, _argument, env) {
      const config = readConfig(env);
      if (master === true) {
        const rotated = await withSchema(config, ({ db, now }) => rotateMasterKey({ config, db }, now));
        const lines = [
          `The master key is now the one with fingerprint ${rotated.fingerprint}.`,
          ...(config.MASTER_KEY === "" ? [] : ["Set MASTER_KEY to it before the next start."]),
          "Back-ups from before need the old key: take a new one with `pestle backup`.",
        ];
        return { data: rotated, text: lines.join("\n") };
      }
      const bar = progress();
      const rotated = await withVault(config, ({ db, vault, now }) =>
        rotateDataKey({ db, vault, masterKeys: () => masterKeys(config) }, now, (count) =>
          bar.show(`sealed again: ${count}`),
        ),
      ).finally(bar.done);
      const { key_id, resealed, dropped_key_ids } = rotated;
      const text = `Data key ${key_id} seals all ${resealed} values; deleted: ${dropped_key_ids.join(", ") || "none"}.`;
      return { data: rotated, text };
    },
  },
];
