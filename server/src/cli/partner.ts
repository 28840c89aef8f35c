import { type Environment, environments, type Workflow } from "@pestle/contract";
import { readConfig } from "../config.ts";
import { type AccountRow, listAccounts } from "../db/accounts.ts";
import { createPartnerAccount } from "../usecases/manage-partners.ts";
import { facts, minute, table } from "./output.ts";
import type { CommandRow } from "./program.ts";
import { withSchema } from "./session.ts";

type NewPartnerOptions = {
  name: string;
  environment: Environment;
  workflow: Workflow;
  ncpdpId?: string;
  customLabels?: boolean;
};

export const partnerCommands: readonly CommandRow[] = [
  {
    name: "partner create",
    summary: "make an account for a partner in one environment; the partner is made with its first",
    options: [
      ["--name <name>", "the partner's name", { required: true }],
      ["--environment <environment>", "where the account lives", { required: true, choices: environments }],
      ["--workflow <workflow>", "who starts its orders", { required: true, choices: ["api_driven", "automatic"] }],
      ["--ncpdp-id <id>", "where its prescriptions are addressed to (7 digits)"],
      ["--custom-labels", "let it send its own labels"],
    ],
    examples: [
      'partner create --name "Willow Telehealth" --environment sandbox --workflow api_driven',
      'partner create --name "Juniper Care" --environment production --workflow automatic --ncpdp-id 9900025',
    ],
    async run({ name, environment, workflow, ncpdpId, customLabels }: NewPartnerOptions, _argument, env) {
      const given = { name, environment, workflow, ncpdp_id: ncpdpId ?? null, custom_labels: customLabels ?? false };
      const account = await withSchema(readConfig(env), ({ db, now }) =>
        db.transaction((tx) => createPartnerAccount(tx, given, now)),
      );
      const { account_id, partner_id } = account;
      const next = `Next: pestle credential create --account ${account_id}`;
      return { data: shown(account), text: `${facts({ account_id, partner_id: partner_id ?? "" })}\n${next}` };
    },
  },
  {
    name: "partner list",
    summary: "list all accounts",
    examples: ["partner list", "partner list --json"],
    async run(_options, _argument, env) {
      const accounts = await withSchema(readConfig(env), ({ db }) => listAccounts(db));
      const rows = accounts.map((row) => [
        row.account_id,
        row.name ?? "(operator)",
        row.environment,
        row.workflow ?? "-",
        row.ncpdp_id ?? "-",
        minute(row.created_at),
      ]);
      const head = ["account_id", "partner", "environment", "workflow", "ncpdp_id", "created"];
      return { data: accounts.map(shown), text: table(head, rows) };
    },
  },
];

const shown = ({
  account_id,
  partner_id,
  name,
  environment,
  workflow,
  ncpdp_id,
  custom_labels,
  created_at,
}: AccountRow) => ({
  account_id,
  partner_id,
  name,
  environment,
  workflow,
  ncpdp_id,
  custom_labels,
  created_at,
});
