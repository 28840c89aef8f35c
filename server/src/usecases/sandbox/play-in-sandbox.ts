import type { Order, PortalSandbox, PortalSimulatedPrescription } from "@pestle/contract";
import type { AccountRow } from "../../db/accounts/accounts.ts";
import { findOrderOf, listNewestPrescriptions } from "../../db/sandbox/sandbox.ts";
import type { Deps } from "../../deps.ts";
import { sandboxOrder } from "../../domain/sandbox/sandbox-order.ts";
import { isSandboxPreset, presetsFor, sandboxPresets } from "../../domain/sandbox/sandbox-presets.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { canonicalJson } from "../../domain/values/canonical-json.ts";
import { refuse, refuseAll, StatusRefusal } from "../../domain/values/refusals.ts";
import { isSentObject, type SentFields, unknownFields } from "../../domain/values/unknown-fields.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { readCatalogue } from "../catalogue/read-catalogue.ts";
import { readPrescription } from "../intake/written.ts";
import { auditPortal, type PortalActor } from "../operations/audit-portal.ts";
import { placeOrder, settleNew } from "../orders/place-order.ts";
import { type PreparedOrder, prepareOrder } from "../orders/prepare-order.ts";
import { openPatientId } from "../patients/patient-rows.ts";
import { write } from "../write.ts";
import type { SimulatedAnswer } from "./simulation.ts";

const MOST_PRESCRIPTIONS = 20;

export async function readSandbox(deps: Deps, account: AccountRow): Promise<PortalSandbox> {
  const [{ products }, prescriptions] = await Promise.all([
    readCatalogue(deps, account.account_id),
    listNewestPrescriptions(deps.db, account.account_id, MOST_PRESCRIPTIONS),
  ]);
  return {
    now: accountNow(deps.now(), account.clock_offset_s).toISOString(),
    clock_offset_s: account.clock_offset_s,
    presets: presetsFor(products.map(({ name }) => name)),
    prescriptions: await withKeysOfNow(deps, async () =>
      prescriptions.map(({ received_at, patient_key, id_sealed, ...row }) => ({
        ...row,
        patient_id: openPatientId(deps, account.account_id, { patient_key, id_sealed }),
        received_at: received_at.toISOString(),
      })),
    ),
  };
}

/** The `POST /simulate` body for a preset, with the fields that the person changed. */
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

/** Adds the order that Automatic Processing made of a simulated prescription. */
export async function withItsOrder(
  deps: Deps,
  account_id: string,
  simulated: SimulatedAnswer,
): Promise<PortalSimulatedPrescription> {
  const made = simulated as Omit<PortalSimulatedPrescription, "order_number">;
  const { prescription_id } = made;
  const order_number = prescription_id === null ? null : await findOrderOf(deps.db, account_id, prescription_id);
  return { ...made, order_number };
}

/** Orders a prescription the way a partner's program would. */
export async function orderInSandbox(
  deps: Deps,
  account: AccountRow,
  by: PortalActor,
  sent: SentFields,
): Promise<Order> {
  const now = deps.now();
  const { order } = await write(deps, {
    prepare: () => prepareInSandbox(deps, account, sent, now),
    attempt: async (tx, prepared, retried) => {
      const placed = await placeOrder(deps, tx, prepared, now, retried);
      await auditPortal(tx, now, by, "sandbox_used", placed.order.order_number);
      return placed;
    },
    settle: (placed) => settleNew(deps, account.account_id, placed),
  });
  return order;
}

async function prepareInSandbox(deps: Deps, account: AccountRow, sent: SentFields, now: Date): Promise<PreparedOrder> {
  refuseAll(unknownFields(sent, ["prescription_id"]));
  const { prescription_id } = sent;
  if (!Number.isInteger(prescription_id) || Number(prescription_id) < 1) return refuse(42200, "prescription_id");
  const fact = await readPrescription(deps, account.account_id, prescription_id as number);
  if (fact === undefined) throw new StatusRefusal(404);
  const today = dateIn(deps.config.TIME_ZONE, accountNow(now, account.clock_offset_s));
  const { formulary } = await readCatalogue(deps, account.account_id);
  const body = sandboxOrder(fact, formulary, today);
  return prepareOrder(deps, account, body, () => canonicalJson(body), now);
}
