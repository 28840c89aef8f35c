import { environments } from "@pestle/contract";
import { readConfig } from "../../config.ts";
import { recallLot } from "../../usecases/fulfillment/recall/recall-lot.ts";
import { WrongUsage } from "../errors.ts";
import { minute, table } from "../output.ts";
import type { CommandRow } from "../program.ts";
import { withVault } from "../session.ts";

type Options = { lot: string; sku?: string; environment?: "production" | "sandbox"; reveal?: boolean };

export const recallCommand: CommandRow = {
  name: "recall",
  summary: "find every order and patient that received a lot, or is about to",
  options: [
    ["--lot <lot>", "as printed on the package", { required: true }],
    ["--sku <sku>", "only this product"],
    ["--environment <environment>", "only this environment", { choices: environments }],
    ["--reveal", "also show names, phone numbers and email addresses"],
  ],
  examples: ["recall --lot L77A", "recall --lot L77A --sku atorvastatin-20 --reveal --json"],
  async run({ lot, sku, environment, reveal = false }: Options, _argument, env) {
    // An empty variable in a script would find no patients, which reads like good news.
    if (lot.trim() === "") throw new WrongUsage("Give the lot as printed on the package.");
    const asked = { lot, sku: sku ?? null, environment: environment ?? null, reveal };
    const data = await withVault(readConfig(env), (session) => recallLot(session, asked));
    const rows = data.map(({ contact, ...fill }) => [
      fill.environment,
      fill.partner,
      fill.order_number,
      fill.patient_id,
      fill.sku,
      String(fill.units),
      fill.shipped_at === null ? `not yet: ${fill.order_status}` : minute(fill.shipped_at),
      ...(contact ? [`${contact.first_name} ${contact.last_name}`, contact.phone ?? "-", contact.email ?? "-"] : []),
    ]);
    const head = ["environment", "partner", "order", "patient", "sku", "units", "shipped"];
    const patients = new Set(data.map(({ account_id, patient_id }) => `${account_id} ${patient_id}`)).size;
    const count = `${data.length} ${data.length === 1 ? "fill" : "fills"}, ${patients} ${patients === 1 ? "patient" : "patients"}.`;
    return {
      data,
      text:
        data.length === 0
          ? `Nothing was filled from this lot.${sku || environment ? " Search without --sku and --environment too." : ""}`
          : `${table(reveal ? [...head, "name", "phone", "email"] : head, rows)}\n${count}`,
    };
  },
};
