import { wholeNumber } from "@pestle/cli/arguments";
import { facts, minute, money, table } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { readConfig } from "../../config.ts";
import { listAccounts } from "../../db/accounts/accounts.ts";
import { listLedgerFaults } from "../../db/statements/ledger-faults.ts";
import { bookAdjustment } from "../../usecases/statements/book-adjustment.ts";
import { withSchema } from "../session.ts";

type BookOptions = { amount_cents: string; text: string; reference: string; order?: string; on?: string };

const bookCommand = (kind: "fee" | "credit", summary: string, text: string): CommandRow => ({
  name: `ledger ${kind}`,
  summary,
  argument: ["account_id", "the account, from `pestle partner list`"],
  second_argument: ["amount_cents", "how much, in cents"],
  options: [
    ["--text <text>", "what it is for, without patient data; the partner reads it", { required: true }],
    [
      "--reference <id>",
      "your own id for it, such as an invoice number; a repeated command with the same reference books it once",
      { required: true },
    ],
    ["--order <order_number>", "the order that it concerns"],
    ["--on <date>", "a day of a month that is still open (default: now)"],
  ],
  examples: [
    `ledger ${kind} 3f9k2m8x1q7z 2500 --reference ${kind}-2026-11 --text "${text}"`,
    `ledger ${kind} 3f9k2m8x1q7z 2500 --reference ${kind}-2026-11 --text "${text}" --on 2026-11-30`,
  ],
  async run({ amount_cents, text: description, reference, order, on }: BookOptions, account_id, env) {
    const cents = wholeNumber(amount_cents, "amount_cents");
    const order_number = order === undefined ? null : order.toUpperCase();
    const data = await withSchema(readConfig(env), ({ config, db, now }) =>
      bookAdjustment(
        { db, zone: config.TIME_ZONE, now },
        { account_id, kind, amount_cents: cents, description, order_number, on: on ?? null, key: reference },
      ),
    );
    const { line_id, booked_at, repeated } = data;
    const before = repeated ? { note: "This reference was booked before. Nothing was added." } : {};
    const amount = money(data.amount_cents);
    return { data, text: facts({ line_id, booked_at: minute(booked_at), amount, ...before }) };
  },
});

/** The pharmacy's side of the statements. */
export const ledgerCommands: readonly CommandRow[] = [
  bookCommand("fee", "add a fee to a partner's statement", "Service fee"),
  bookCommand("credit", "add a credit to a partner's statement", "Goodwill"),
  {
    name: "ledger check",
    summary: "compare statements, lines and payments of all accounts, to the cent; exit code 1 if they differ",
    examples: ["ledger check", "ledger check --json"],
    async run(_options, _argument, env) {
      const faults = await withSchema(readConfig(env), async ({ db }) => {
        const found = [];
        for (const { account_id } of await listAccounts(db)) {
          found.push(...(await listLedgerFaults(db, account_id)).map((fault) => ({ account_id, ...fault })));
        }
        return found;
      });
      const rows = faults.map(({ account_id, what, subject, booked_cents, expected_cents }) => [
        account_id,
        `${what} ${subject}`,
        money(booked_cents),
        money(expected_cents),
      ]);
      const text =
        faults.length === 0
          ? "Statements, lines and payments agree."
          : table(["account", "what", "lines", "expected"], rows);
      return { data: { faults }, text, failed: faults.length > 0 };
    },
  },
];
