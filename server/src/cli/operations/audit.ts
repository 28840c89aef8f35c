import { readText, writePrivate } from "@pestle/cli/files";
import { facts, minute, progress } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import type { AuditRoot } from "@pestle/contract";
import { rootDestinations } from "../../adapters/root-destinations.ts";
import { readConfig } from "../../config.ts";
import { insertAudit } from "../../db/operations/audit.ts";
import { listAuditKeys } from "../../db/operations/audit-roots.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { requireAccount } from "../../usecases/accounts/require-account.ts";
import { chainAll } from "../../usecases/operations/audit/chain-entries.ts";
import { proveOrder } from "../../usecases/operations/audit/prove-order.ts";
import { readRoots } from "../../usecases/operations/audit/read-roots.ts";
import { shipRoots, unshippedRoots } from "../../usecases/operations/audit/ship-roots.ts";
import { renewAuditKey, signNow } from "../../usecases/operations/audit/sign-root.ts";
import { verifyLog } from "../../usecases/operations/audit/verify-log.ts";
import { auditedPatients } from "../../usecases/operations/audit-note.ts";
import { disclosureLines, disclosuresHead, walkDisclosures } from "../../usecases/operations/read-disclosures.ts";
import { commandActor } from "../audit-command.ts";
import { withSchema, withVault } from "../session.ts";

const ACCOUNT = ["--account <account_id>", "the account, from `pestle partner list`", { required: true }] as const;
const now = () => new Date();

export const auditCommands: readonly CommandRow[] = [
  {
    name: "audit verify",
    summary: "check that no entry of the audit log was changed, removed or inserted; exit code 1 if one was",
    options: [
      ["--roots <file>", "also compare with the roots that were shipped to this file, one JSON object a line"],
      ["--public-key <file>", "trust only this public key (PEM), not those in the database"],
    ],
    examples: ["audit verify", "audit verify --roots /mnt/worm/audit-roots.jsonl --public-key audit-key.pem"],
    async run({ roots, publicKey }, _argument, env) {
      const shipped = typeof roots === "string" ? shippedRoots(roots) : [];
      const bar = progress();
      const data = await withSchema(readConfig(env), ({ db }) =>
        verifyLog(
          db,
          { shipped, ...(typeof publicKey === "string" && { public_keys: [readText(publicKey)] }) },
          (entries) => bar.show(`entries: ${entries}`),
        ),
      ).finally(bar.done);
      const failed = data.faults.length > 0;
      const checked = `${data.entries} entries, ${data.roots} stored and ${data.shipped_roots} shipped roots checked`;
      const lines = [
        ...data.faults.map(({ kind, says }) => `${kind.padEnd(9)}  ${says}`),
        ...(data.more_faults ? ["There are more faults."] : []),
        ...(data.too_old > 0
          ? [`${data.too_old} shipped roots are older than the retention and were not checked.`]
          : []),
        `${checked}; ${data.not_chained} newer entries are not in the tree yet.`,
        failed ? "The audit log was tampered with." : "The audit log is complete and unchanged.",
      ];
      return { data, text: lines.join("\n"), failed };
    },
  },
  {
    name: "audit prove",
    summary: "write a proof that the entries about an order are in the audit log, for a partner to verify offline",
    argument: ["order_number", "the order"],
    options: [ACCOUNT, ["--out <file>", "the file to write (default: standard output)"]],
    examples: [
      "audit prove 7K2M9XQ4TB --account 3f9k2m8x1q7z",
      "audit prove 7K2M9XQ4TB --account 3f9k2m8x1q7z --out proof.json",
    ],
    async run({ account, out }, order_number, env) {
      const data = await withVault(readConfig(env), async ({ db, vault }) => {
        const { account_id } = await requireAccount(db, String(account));
        return proveOrder({ db, vault, now }, account_id, order_number.toUpperCase());
      });
      const text = JSON.stringify(data, null, 2);
      if (typeof out !== "string") return { data, text };
      writePrivate(out, `${text}\n`);
      return { data, text: `Wrote a proof of ${data.entries.length} entries to ${out}.` };
    },
  },
  {
    name: "audit disclosures",
    lists: "disclosures, without `--out`",
    summary: "list everyone who saw or changed a patient's data, as CSV; with --json, as JSON",
    argument: ["patient_id", "the patient, as the partner names them"],
    options: [ACCOUNT, ["--out <file>", "the file to write (default: standard output)"]],
    examples: [
      "audit disclosures wren-2 --account 3f9k2m8x1q7z",
      "audit disclosures wren-2 --account 3f9k2m8x1q7z --out disclosures.csv",
    ],
    async run({ account, out }, patient_id, env) {
      const lines = await withVault(readConfig(env), async ({ db, vault, now: at }) => {
        const { account_id } = await requireAccount(db, String(account));
        const patients = auditedPatients({ vault }, account_id, [patient_id]);
        const about = { account_id, action: "disclosures_exported" as const, subject: null, patients };
        // The export is a disclosure too, so it is the first line of the list.
        await insertAudit(db, { at, ...commandActor(), ...about });
        const found = [];
        for await (const page of walkDisclosures({ db, vault }, account_id, patient_id)) found.push(...page);
        if (found.length === 0) throw new AdminRefusal("There is no such patient in this account.");
        return found;
      });
      const text = `${disclosuresHead}${disclosureLines(lines)}`.trimEnd();
      if (typeof out !== "string") return { data: lines, text };
      writePrivate(out, `${text}\n`);
      return { data: { file: out, disclosures: lines.length }, text: `Wrote ${lines.length} disclosures to ${out}.` };
    },
  },
  {
    name: "audit root",
    summary: "sign the audit log's root now, and ship it to AUDIT_ROOTS_TO",
    examples: ["audit root", "audit root --json"],
    async run(_options, _argument, env) {
      const config = readConfig(env);
      const roots_to = rootDestinations(config.AUDIT_ROOTS_TO);
      const { root, destinations } = await withVault(config, async ({ db, vault }) => {
        await chainAll(db);
        const signed = await signNow({ db, vault, now });
        await shipRoots({ db, roots_to, now });
        return {
          root: signed,
          destinations: await unshippedRoots(
            db,
            roots_to.map(({ name }) => name),
          ),
        };
      });
      const lines = destinations.map(({ name, waiting, fault }) =>
        waiting === 0 ? `shipped to ${name}` : `not shipped to ${name}: ${fault ?? "another process is shipping"}`,
      );
      return {
        data: { root, destinations },
        text: [`Root of ${root.size} entries: ${root.root}`, ...lines].join("\n"),
        failed: destinations.some(({ fault }) => fault !== null),
      };
    },
  },
  {
    name: "audit key",
    lists: "keys",
    summary: "show the public keys that verify the audit log's roots; with --new, sign with a new key from now on",
    options: [["--new", "add a key; roots of the earlier ones stay valid"]],
    examples: ["audit key", "audit key --new"],
    async run({ new: fresh }, _argument, env) {
      const keys = await withVault(readConfig(env), async ({ db, vault }) => {
        if (fresh === true) await renewAuditKey({ db, vault, now });
        return listAuditKeys(db);
      });
      if (keys.length === 0)
        throw new AdminRefusal("There is no key yet. The service creates one with its first root.");
      const data = keys.map(({ key_id, public_key, created_at }, index) => ({
        key_id,
        public_key,
        created_at: created_at.toISOString(),
        active: index === 0,
      }));
      const shown = data.map(
        ({ key_id, public_key, created_at, active }) =>
          `${facts({ key: key_id, created: minute(created_at), signs: active ? "yes" : "no" })}\n${public_key.trim()}`,
      );
      return { data, text: shown.join("\n\n") };
    },
  },
];

function shippedRoots(file: string): AuditRoot[] {
  const { roots, wrong_line } = readRoots(readText(file));
  if (wrong_line !== undefined) throw new AdminRefusal(`Line ${wrong_line} of ${file} is not a root.`);
  return roots;
}
