import { WrongUsage } from "@pestle/cli/errors";
import { facts, minute, table } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import {
  type Environment,
  environments,
  isQuotaName,
  type QuotaName,
  quotaNames,
  type Workflow,
} from "@pestle/contract";
import { readConfig } from "../../config.ts";
import { type AccountRow, listAccounts } from "../../db/accounts/accounts.ts";
import { listRoutingRules } from "../../db/intake/routing.ts";
import { listPrescriberRoutes } from "../../db/prescribers/prescriber-routes.ts";
import { routingKinds } from "../../domain/intake/route-message.ts";
import { pharmacyVersions } from "../../domain/prescribers/pharmacy-message.ts";
import { createPartnerAccount } from "../../usecases/accounts/create-partner.ts";
import { addRoutingRule, removeRoutingRule } from "../../usecases/accounts/manage-routing.ts";
import { changeQuotas } from "../../usecases/accounts/quotas.ts";
import { transact } from "../../usecases/write.ts";
import { type PrescriberRouteOptions, routeToPrescribers } from "../prescribers/route-to-prescribers.ts";
import { withSchema } from "../session.ts";

type NewPartnerOptions = {
  name: string;
  environment: Environment;
  workflow: Workflow;
  ncpdpId?: string;
  customLabels?: boolean;
};

type RouteOptions = { sender?: string; npi?: string; practice?: string; remove?: boolean } & PrescriberRouteOptions;

export const partnerCommands: readonly CommandRow[] = [
  {
    name: "partner create",
    summary: "create a partner's account in one environment; the first account also creates the partner",
    options: [
      ["--name <name>", "the partner's name", { required: true }],
      ["--environment <environment>", "the account's environment", { required: true, choices: environments }],
      [
        "--workflow <workflow>",
        "whether the partner or the service creates orders",
        { required: true, choices: ["api_driven", "automatic"] },
      ],
      ["--ncpdp-id <id>", "the NCPDP id that its prescriptions are addressed to (7 digits)"],
      ["--custom-labels", "allow the partner to send its own labels"],
    ],
    examples: [
      'partner create --name "Willow Telehealth" --environment sandbox --workflow api_driven',
      'partner create --name "Juniper Care" --environment production --workflow automatic --ncpdp-id 9900025',
    ],
    async run({ name, environment, workflow, ncpdpId, customLabels }: NewPartnerOptions, _argument, env) {
      const given = { name, environment, workflow, ncpdp_id: ncpdpId ?? null, custom_labels: customLabels ?? false };
      const account = await withSchema(readConfig(env), ({ db, now }) =>
        transact({ db }, (tx) => createPartnerAccount(tx, given, now)),
      );
      const { account_id, partner_id } = account;
      const next = `Next: pestle credential create --account ${account_id}`;
      return { data: shown(account), text: `${facts({ account_id, partner_id: partner_id ?? "" })}\n${next}` };
    },
  },
  {
    name: "partner list",
    lists: "accounts",
    summary: "list all accounts",
    examples: ["partner list", "partner list --json"],
    async run(_options, _argument, env) {
      const [accounts, rules, routes] = await withSchema(readConfig(env), ({ db }) =>
        Promise.all([listAccounts(db), listRoutingRules(db), listPrescriberRoutes(db)]),
      );
      const rulesOf = ({ account_id }: AccountRow) => rules.filter((rule) => rule.account_id === account_id);
      const rows = accounts.map((row) => [
        row.account_id,
        row.name ?? "(operator)",
        row.environment,
        row.workflow ?? "-",
        row.ncpdp_id ?? "-",
        minute(row.created_at),
        rulesOf(row)
          .map(({ kind, value }) => `${kind} ${value}`)
          .join(", ") || "-",
      ]);
      const head = ["account_id", "partner", "environment", "workflow", "ncpdp_id", "created", "routed by"];
      const data = accounts.map((row) => ({
        ...shown(row),
        routing_rules: rulesOf(row).map(({ kind, value }) => ({ kind, value })),
        prescriber_routes: routes
          .filter(({ account_id }) => account_id === row.account_id)
          .map(({ account_id: _, ...route }) => route),
      }));
      return { data, text: table(head, rows) };
    },
  },
  {
    name: "partner route",
    summary: "route messages in, by a rule for an account that shares its NCPDP id, or out, to a sender's network",
    argument: ["account_id", "from `pestle partner list`"],
    options: [
      ["--sender <id>", "messages from this sender (From)"],
      ["--npi <npi>", "prescriptions from this prescriber"],
      ["--practice <name>", "prescriptions from this practice"],
      ["--url <url>", "where the pharmacy's messages to the prescribers of --sender go; prints a new signing secret"],
      ["--script-version <version>", "how to write them (default: 2017071)", { choices: pharmacyVersions }],
      ["--fills", "also send a notice of each fill (RxFill)"],
      ["--cancels", "also send the answers to cancellations (CancelRxResponse) as messages"],
      ["--remove", "remove the rule, or with --url the sender's network"],
    ],
    examples: [
      "partner route 3f9k2m8x1q7z --npi 1234567893",
      'partner route 3f9k2m8x1q7z --practice "Tule Fog Family Medicine" --remove',
      "partner route 3f9k2m8x1q7z --sender 6120042 --url https://network.example/script --fills",
    ],
    async run(options: RouteOptions, account_id, env) {
      const { sender, npi, practice, remove } = options;
      if (options.url !== undefined) return routeToPrescribers(options, account_id, env);
      const values = { sender, prescriber_npi: npi, practice };
      const given = routingKinds.filter((kind) => values[kind] !== undefined);
      const [kind] = given;
      if (kind === undefined || given.length > 1) {
        throw new WrongUsage("Give exactly one of --sender, --npi and --practice.");
      }
      const rule = { account_id, kind, value: values[kind]!.trim() };
      await withSchema(readConfig(env), ({ db, now }) =>
        transact({ db }, (tx) => (remove ? removeRoutingRule(tx, rule) : addRoutingRule(tx, rule, now))),
      );
      return { data: { ...rule, removed: remove ?? false }, text: remove ? "Rule removed." : "Rule added." };
    },
  },
  {
    name: "partner quota",
    lists: "quotas",
    summary: "show what an account stores and how much it may, and change its quotas",
    argument: ["account_id", "from `pestle partner list`"],
    options: [["--set <name=number...>", "set quotas, such as orders=1000000; `default` restores one"]],
    examples: [
      "partner quota 3f9k2m8x1q7z",
      "partner quota 3f9k2m8x1q7z --set orders=1000000 stored_bytes=50000000000",
      "partner quota 3f9k2m8x1q7z --set orders=default",
    ],
    async run({ set = [] }: { set?: string[] }, account_id, env) {
      const changes = Object.fromEntries(set.map(quotaSetting));
      const data = await withSchema(readConfig(env), ({ db }) => changeQuotas(db, account_id, changes));
      const rows = data.map(({ quota, counts, used, most }) => [
        quota,
        used.toLocaleString("en-US"),
        most.toLocaleString("en-US"),
        counts,
      ]);
      return { data, text: table(["quota", "used", "most", "counts"], rows) };
    },
  },
];

function quotaSetting(text: string): [QuotaName, number | null] {
  const [, name = "", value = ""] = /^(\w+)=(\d{1,15}|default)$/.exec(text) ?? [];
  if (!isQuotaName(name)) {
    throw new WrongUsage(`--set takes name=number or name=default. The names are ${quotaNames.join(", ")}.`);
  }
  return [name, value === "default" ? null : Number(value)];
}

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
