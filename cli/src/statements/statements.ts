import { type Statement, type StatementLine, type StatementPage, statementCsv } from "@pestle/contract";
import { type PartnerOptions, partnerOptions } from "../accounts/partner-account.ts";
import { writePrivate } from "../files.ts";
import { facts, minute, money, progress, table } from "../output.ts";
import { openPartnerApi, type PartnerApi } from "../partner-api.ts";
import type { CommandRow } from "../program.ts";

const MONTH = ["month", "such as 2026-11, from `pestle statements list`"] as const;
const NO_STATEMENT = "The account has no statement of this month. Run `pestle statements list` to see its statements.";
const LONGEST_PAGE = 200;

/** The partner's statements, over the API. The pharmacy's side is `pestle ledger`. */
export const statementCommands: readonly CommandRow[] = [
  {
    name: "statements list",
    lists: "months",
    summary: "list an account's monthly statements, newest first",
    options: partnerOptions,
    examples: ["statements list", "statements list --json"],
    async run(options: PartnerOptions, _argument, env) {
      const api = await openPartnerApi(options, env);
      const statements: Statement[] = [];
      let cursor: string | undefined;
      do {
        const page: { statements: Statement[]; next_cursor: string | null } = await api.request("GET", "/statements", {
          query: { cursor, limit: LONGEST_PAGE },
        });
        statements.push(...page.statements);
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      const rows = statements.map((one) => [
        one.month,
        one.status,
        String(one.line_count),
        money(one.due_cents),
        money(one.totals.patient.total_cents),
      ]);
      const text =
        statements.length === 0
          ? "No statements."
          : table(["month", "status", "lines", "you owe", "patients paid"], rows);
      return { data: statements, text };
    },
  },
  {
    name: "statements show",
    summary: "show a month: its totals and its lines",
    argument: MONTH,
    options: partnerOptions,
    examples: ["statements show 2026-11", "statements show 2026-11 --json"],
    async run(options: PartnerOptions, month, env) {
      const data = await readMonth(await openPartnerApi(options, env), month);
      const rows = data.lines.map((line) => [
        minute(line.booked_at),
        line.kind,
        line.payer,
        line.order_number ?? "-",
        money(line.amount_cents),
        line.sku ?? line.description ?? "",
      ]);
      return {
        data,
        text: `${totalsText(data)}\n${table(["booked", "kind", "payer", "order", "amount", "what"], rows)}`,
      };
    },
  },
  {
    name: "statements export",
    lists: "lines, without `--out`",
    summary: "write the lines of a month as CSV; with --json, as JSON",
    argument: MONTH,
    options: [
      ["--csv", "as CSV (the default)"],
      ["--out <file>", "the file to write (default: standard output)"],
      ...partnerOptions,
    ],
    examples: ["statements export 2026-11 --csv", "statements export 2026-11 --csv --out november.csv"],
    async run({ out, ...options }: PartnerOptions & { out?: string }, month, env) {
      const { lines } = await readMonth(await openPartnerApi(options, env), month);
      const text = statementCsv(lines);
      if (out === undefined) return { data: lines, text: text.trimEnd() };
      writePrivate(out, text);
      return { data: { file: out, lines: lines.length }, text: `Wrote ${lines.length} lines to ${out}.` };
    },
  },
];

/** The month with all of its lines. */
async function readMonth(api: PartnerApi, month: string): Promise<Statement & { lines: StatementLine[] }> {
  const lines: StatementLine[] = [];
  const shown = progress();
  let cursor: string | undefined;
  for (;;) {
    const { next_cursor, ...page } = await api.request<StatementPage>(
      "GET",
      `/statements/${encodeURIComponent(month)}`,
      { query: { cursor, limit: LONGEST_PAGE }, missing: NO_STATEMENT },
    );
    lines.push(...page.lines);
    shown.show(`${lines.length} lines`);
    if (next_cursor === null) {
      shown.done();
      return { ...page, lines };
    }
    cursor = next_cursor;
  }
}

function totalsText({ month, status, closes_at, closed_at, due_cents, totals }: Statement): string {
  const { items_cents, shipping_cents, fees_cents, refunds_cents, credits_cents } = totals.partner;
  return facts({
    month,
    status: status === "open" ? `open until ${minute(closes_at)}` : `closed at ${minute(closed_at)}`,
    items: money(items_cents),
    shipping: money(shipping_cents),
    fees: money(fees_cents),
    refunds: money(refunds_cents),
    credits: money(credits_cents),
    "you owe": money(due_cents),
    "patients paid": money(totals.patient.total_cents),
  });
}
