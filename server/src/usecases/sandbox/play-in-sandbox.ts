import type { PortalSandbox, PortalSimulatedPrescription } from "@pestle/contract";
import type { AccountRow } from "../../db/accounts/accounts.ts";
import type { Tx } from "../../db/db.ts";
import { loadPrescriptionFact } from "../../db/intake/prescriptions.ts";
import { findOrderOf, listNewestPrescriptions } from "../../db/sandbox/sandbox.ts";
import type { Deps } from "../../deps.ts";
import { sandboxOrder } from "../../domain/sandbox/sandbox-order.ts";
import { isSandboxPreset, presetsFor, sandboxPresets } from "../../domain/sandbox/sandbox-presets.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { refuse, refuseAll, StatusRefusal } from "../../domain/values/refusals.ts";
import { isSentObject, type SentFields, unknownFields } from "../../domain/values/unknown-fields.ts";
import { readCatalogue } from "../catalogue/read-catalogue.ts";
import type { FinishedAnswer } from "../idempotently.ts";
import { auditPortal, type PortalActor } from "../operations/audit-portal.ts";
import { placeOrder } from "../orders/place-order.ts";
import { prepareOrder } from "../orders/prepare-order.ts";

const MOST_PRESCRIPTIONS = 20;

/** What there is to play with. */
export async function readSandbox(deps: Deps, account: AccountRow): Promise<PortalSandbox> {
  const [{ products }, prescriptions] = await Promise.all([
    readCatalogue(deps, account.account_id),
    listNewestPrescriptions(deps.db, account.account_id, MOST_PRESCRIPTIONS),
  ]);
  return {
    now: accountNow(deps.now(), account.clock_offset_s).toISOString(),
    clock_offset_s: account.clock_offset_s,
    presets: presetsFor(products.map(({ name }) => name)),
    prescriptions: prescriptions.map(({ received_at, ...row }) => ({ ...row, received_at: received_at.toISOString() })),
  };
}

/** What `POST /simulate` is sent for a preset, and for what was said beside it. */
export function simulatedPreset(sent: SentFields): SentFields {
  const { preset, simulation = {} } = sent;
  refuseAll(unknownFields(sent, ["preset", "simulation"]));
  if (preset !== undefined && !isSandboxPreset(preset)) refuse(42200, "preset");
  if (!isSentObject(simulation)) return refuse(42200, "simulation");
  const { patient: told, ...begun }: SentFields = isSandboxPreset(preset) ? sandboxPresets[preset].simulation : {};
  const { patient: said = {}, ...rest } = simulation;
  const patient = isSentObject(said) ? { ...(told as SentFields | undefined), ...said } : said;
  return { simulation_type: "prescription", simulation: { ...begun, ...rest, patient } };
}

/** A prescription that was simulated, with the order that Automatic Processing made of it. */
export async function withItsOrder(deps: Deps, account_id: string, told: string): Promise<PortalSimulatedPrescription> {
  const made = JSON.parse(told) as Omit<PortalSimulatedPrescription, "order_number">;
  const { prescription_id } = made;
  const order_number = prescription_id === null ? null : await findOrderOf(deps.db, account_id, prescription_id);
  return { ...made, order_number };
}

/** An order for a prescription, as a partner's program would place it. */
export async function orderInSandbox(
  deps: Deps,
  account: AccountRow,
  by: PortalActor,
  sent: SentFields,
  canonical: (body: SentFields) => string,
): Promise<(tx: Tx, after_conflict: boolean) => Promise<FinishedAnswer>> {
  refuseAll(unknownFields(sent, ["prescription_id"]));
  const { prescription_id } = sent;
  if (!Number.isInteger(prescription_id) || Number(prescription_id) < 1) return refuse(42200, "prescription_id");
  const fact = await loadPrescriptionFact(deps.db, account.account_id, prescription_id as number);
  if (fact === undefined) throw new StatusRefusal(404);
  const now = deps.now();
  const today = dateIn(deps.config.TIME_ZONE, accountNow(now, account.clock_offset_s));
  const { formulary } = await readCatalogue(deps, account.account_id);
  const body = sandboxOrder(fact, formulary, today);
  const prepared = await prepareOrder(deps, account, body, canonical(body), now);
  return async (tx, after_conflict) => {
    const { order, settle } = await placeOrder(deps, tx, prepared, now, after_conflict);
    await auditPortal(tx, now, by, "sandbox_used", order.order_number);
    return {
      status: 201,
      body: JSON.stringify(order),
      ...(settle && { settle: async () => JSON.stringify(await settle()) }),
    };
  };
}
