import { WrongUsage } from "@pestle/cli/errors";
import { facts, money, table } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { readConfig } from "../../config.ts";
import { providersInUse } from "../../providers-in-use.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { comparePayments } from "../../usecases/statements/compare-payments.ts";
import { withSchema } from "../session.ts";

export const reportPaymentsCommand: CommandRow = {
  name: "report payments",
  summary: "compare a day's card payments with the payment provider's list, to the cent; exit code 1 if they differ",
  options: [["--day <date>", "the day, such as 2026-11-14", { required: true }]],
  examples: ["report payments --day 2026-11-14", "report payments --day 2026-11-14 --json"],
  async run({ day }: { day: string }, _argument, env) {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(day))) {
      throw new WrongUsage(`--day ${day} is not a date. Write it as 2026-11-14.`);
    }
    const config = readConfig(env);
    if (providersInUse(config, false).payments !== "stripe") {
      throw new AdminRefusal("PAYMENTS names no provider with a list of payments. See `pestle providers list`.");
    }
    // Imported here: the adapters load the ZIP tables and the fonts.
    const { adaptersInUse } = await import("../../adapters-in-use.ts");
    const quiet = { observeProvider() {}, setBreaker() {} };
    const { records } = adaptersInUse(config, { demo: false, metrics: quiet, now: () => new Date() }).payments
      .production;
    const data = await withSchema(config, ({ db }) =>
      comparePayments({ db, records: records!, time_zone: config.TIME_ZONE }, day),
    );
    const { differences, not_ours } = data;
    const summary = facts({
      day,
      payments: String(data.payments),
      charged: money(data.charged_cents),
      refunded: money(data.refunded_cents),
      fees: money(data.fee_cents),
      ...(not_ours > 0 && { note: `${not_ours} payments in the provider's list are not from this service.` }),
    });
    const rows = differences.map(({ order_number, reference, ours, theirs }) => [
      order_number ?? "",
      reference,
      ours === null ? "unknown" : `${money(ours.charged_cents)} - ${money(ours.refunded_cents)}`,
      `${money(theirs.charged_cents)} - ${money(theirs.refunded_cents)}`,
    ]);
    const found =
      rows.length === 0
        ? "Our books and the provider's list agree."
        : table(["order", "payment", "ours: charged - refunded", "the provider's"], rows);
    return { data, text: `${summary}\n\n${found}`, failed: differences.length > 0 };
  },
};
