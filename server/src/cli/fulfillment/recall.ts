import { WrongUsage } from "@pestle/cli/errors";
import { minute, table } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { environments, type RecallRequest, type RecallShelf, reviewerRoles } from "@pestle/contract";
import { readConfig } from "../../config.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { quarantineLot } from "../../usecases/fulfillment/recall/quarantine-lot.ts";
import { recallLot, shelvesOfLot } from "../../usecases/fulfillment/recall/recall-lot.ts";
import type { Vault } from "../../vault/vault.ts";
import { AS, signedInStaff } from "../accounts/staff-session.ts";
import { type Session, withVault } from "../session.ts";

type Options = RecallRequest & { reveal?: boolean; quarantine?: boolean; endQuarantine?: boolean; as?: string };

export const recallCommand: CommandRow = {
  name: "recall",
  lists: "fills",
  summary: "find every order and patient that received a lot, or is about to, and the units on the shelf",
  options: [
    ["--lot <lot>", "as printed on the package", { required: true }],
    ["--sku <sku>", "only this product"],
    ["--environment <environment>", "only this environment", { choices: environments }],
    ["--reveal", "also show names, phone numbers and email addresses"],
    ["--quarantine", "first put the lot in quarantine: no order is filled, checked or shipped from it"],
    ["--end-quarantine", "first end the quarantine of the lot, with the same --sku and --environment"],
    AS,
  ],
  examples: [
    "recall --lot L77A",
    "recall --lot L77A --quarantine",
    "recall --lot L77A --sku atorvastatin-20 --reveal --json",
  ],
  async run(given: Options, _argument, env) {
    const { lot, sku, environment, reveal = false, quarantine = false, endQuarantine = false } = given;
    // An empty variable in a script would find no patients, which reads like good news.
    if (lot.trim() === "") throw new WrongUsage("Give the lot as printed on the package.");
    if (quarantine && endQuarantine) throw new WrongUsage("Give --quarantine or --end-quarantine, not both.");
    const asked = { lot, sku: sku ?? null, environment: environment ?? null, reveal };
    const data = await withVault(readConfig(env), async (session) => {
      if (quarantine || endQuarantine) await setQuarantine(session, given, quarantine, env);
      return { fills: await recallLot(session, asked), shelves: await shelvesOfLot(session, asked) };
    });
    const { fills, shelves } = data;
    const changed = quarantine ? "The lot is in quarantine.\n" : endQuarantine ? "The quarantine has ended.\n" : "";
    const rows = fills.map(({ contact, ...fill }) => [
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
    const patients = new Set(fills.map(({ account_id, patient_id }) => `${account_id} ${patient_id}`)).size;
    const count = `${fills.length} ${fills.length === 1 ? "fill" : "fills"}, ${patients} ${patients === 1 ? "patient" : "patients"}.`;
    const filled =
      fills.length === 0
        ? `Nothing was filled from this lot.${sku || environment ? " Search without --sku and --environment too." : ""}`
        : `${table(reveal ? [...head, "name", "phone", "email"] : head, rows)}\n${count}`;
    return { data, text: `${changed}${filled}\n${shelfText(shelves)}` };
  },
};

function shelfText(shelves: readonly RecallShelf[]): string {
  if (shelves.length === 0) return "The shelf has no units of this lot.";
  const head = ["environment", "partner", "sku", "expires", "on hand", "in filled orders", "returned", "quarantined"];
  const rows = shelves.map((shelf) => [
    ...[shelf.environment, shelf.partner, shelf.sku, shelf.expires_on],
    ...[shelf.on_hand_units, shelf.filled_units, shelf.returned_units].map(String),
    shelf.quarantined ? "yes" : "no",
  ]);
  return `On the shelf:\n${table(head, rows)}`;
}

/** A person of the pharmacy decides this, as in the dashboard. */
async function setQuarantine(
  { config, db, vault, now }: Session & { vault: Vault },
  { lot, sku, environment, as }: Options,
  on: boolean,
  env: NodeJS.ProcessEnv | undefined,
): Promise<void> {
  const deps = { config, db, vault, now: () => now };
  const by = await signedInStaff(deps, env, as);
  if (!(reviewerRoles as readonly string[]).includes(by.role)) {
    throw new AdminRefusal("Only a pharmacist, a lead or an admin can put a lot in quarantine or end it.");
  }
  const asked = { lot, ...(sku !== undefined && { sku }), ...(environment !== undefined && { environment }) };
  await quarantineLot(deps, by, asked, on, null);
}
