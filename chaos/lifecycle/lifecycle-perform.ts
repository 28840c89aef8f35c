import { randomUUID } from "node:crypto";
import type { Order } from "@pestle/contract";
import type { Deps } from "../../server/src/deps.ts";
import { Conflict, RequestProblems } from "../../server/src/domain/values/refusals.ts";
import { scriptFormat } from "../../server/src/formats/formats.ts";
import { receiveStock } from "../../server/src/usecases/catalogue/move-stock.ts";
import { addNote, claimOrder, releaseClaim } from "../../server/src/usecases/fulfillment/claim-order.ts";
import { shipOrder } from "../../server/src/usecases/fulfillment/ship-order.ts";
import {
  approveReview,
  cancelWithReason,
  completeFill,
  raiseException,
  refundOrder,
  rejectProduct,
  resolveException,
  verifyProduct,
  type Work,
} from "../../server/src/usecases/fulfillment/steps.ts";
import { trackByHand } from "../../server/src/usecases/fulfillment/track-shipments.ts";
import { WorkRefusal } from "../../server/src/usecases/fulfillment/work-refusal.ts";
import { changeOrderAddress } from "../../server/src/usecases/orders/change-order-address.ts";
import { fillBackOrders } from "../../server/src/usecases/orders/fill-back-orders.ts";
import { createOrder } from "../../server/src/usecases/orders/place-order.ts";
import { requestOrderAction } from "../../server/src/usecases/orders/request-order-action.ts";
import { updatePatient } from "../../server/src/usecases/patients/change-patient.ts";
import { patientIndex } from "../../server/src/usecases/patients/patient-rows.ts";
import { simulate } from "../../server/src/usecases/sandbox/simulate.ts";
import { isLicensed, people, type Wish } from "./lifecycle-commands.ts";
import type { Asked, Concrete } from "./lifecycle-concrete.ts";
import { type Address, itemsOf, type Model, productOf, type Token } from "./lifecycle-model.ts";
import { DONE, type Told } from "./lifecycle-orders.ts";
import type { Scene } from "./lifecycle-world.ts";

/** Executes the command on the service and returns the outcome in the model's terms. */
export async function perform(deps: Deps, scene: Scene, command: Concrete): Promise<{ outcome: string; told: Told }> {
  const told: Told = { order_numbers: [] };
  try {
    await performed(deps, scene, command, told);
    return { outcome: DONE, told };
  } catch (error) {
    return { outcome: refusalOf(error), told };
  }
}

/** Any error that is not a rejection is a fault. */
function refusalOf(error: unknown): string {
  if (error instanceof WorkRefusal) return error.key;
  if (error instanceof Conflict) return "409";
  if (error instanceof RequestProblems) return [...new Set(error.problems.map(({ code }) => code))].sort().join();
  throw error;
}

async function performed(deps: Deps, scene: Scene, command: Concrete, told: Told): Promise<unknown> {
  const { account_id, patient_id, model } = scene;
  const orderer = { account_id, environment: "sandbox" as const, clock_offset_s: model.ahead_ms / 1000 };
  const grant = { ...orderer, credential_id: "", scopes: [], created_at: deps.now(), expires_at: deps.now() };
  const as_granted = { ...grant, rate_per_second: null, rate_burst: null, allowed_networks: [] };
  const call = {
    grant: as_granted,
    key: undefined,
    now: deps.now(),
    by: { request_id: randomUUID(), address: "127.0.0.1" },
  };
  const run = async (simulation_type: string, simulation: object) =>
    JSON.parse((await simulate(deps, scriptFormat, call, { simulation_type, simulation })).body);
  switch (command.kind) {
    case "place": {
      const body = bodyOf(scene, command);
      const order = JSON.parse((await createOrder(deps, call, body)).body) as Order;
      return told.order_numbers.push(order.order_number);
    }
    case "act": {
      return requestOrderAction(deps, call, command.life.order_number, actionOf(command.asked));
    }
    case "work":
      return work(deps, scene, command);
    case "readdress": {
      const { order_number } = command.life;
      return changeOrderAddress(deps, call, order_number, addressOf(command.address));
    }
    case "restock":
      await receiveStock(deps.db, { account_id, sku: command.sku, units: command.units, note: null }, deps.now());
      return fillBackOrders(deps, account_id);
    case "prescribe": {
      const simulation = prescriptionOf(patient_id, command);
      const { prescription_id } = await run("prescription", simulation);
      told.prescription_id = prescription_id;
      const known = model.orders.map(({ order_number }) => order_number);
      const text =
        "select o.order_number from orders o join patient p using (account_id, patient_key) where o.account_id = $1 and p.id_index = $2 and o.order_number <> all($3)";
      const index = patientIndex(deps, account_id, patient_id);
      const { rows } = await deps.db.raw(text, [account_id, index, known]);
      return told.order_numbers.push(...rows.map(({ order_number }) => String(order_number)));
    }
    case "tell_allergies": {
      const sent = { patient_safety: { allergies: command.allergies } };
      return updatePatient(deps, call, { account_id, patient_id }, sent);
    }
    case "clock":
      return run("clock", { advance_seconds: command.days * 86_400 });
    case "wait":
      return undefined;
    case "simulate": {
      const { life, to, id } = command;
      const { order_number } = life;
      const simulation = to === null ? { order_number, exception_id: id } : { order_number, to };
      return run("order", simulation);
    }
  }
}

function work(deps: Deps, scene: Scene, command: Extract<Concrete, { kind: "work" }>): Promise<unknown> {
  const { life, todo, by, revision } = command;
  const work: Work = {
    account_id: scene.account_id,
    order_number: life.order_number,
    by: { person_id: by, role: people[by], license: isLicensed(by) ? `RPH-${by}` : null },
    ...(revision !== null && { revision }),
  };
  const items = itemsOf(life).map(({ item_id, sku }) => ({ item_id, product: productOf(sku) }));
  const lots = items.map(({ item_id }) => ({ item_id, lot: "L1", lot_expires_on: "2199-01-01" }));
  const scans = items.map(({ item_id, product }) => ({ item_id, code: product.ndc ?? product.sku }));
  const all = { reason_id: 105, amount_cents: null };
  switch (todo) {
    case "approve":
      return approveReview(deps, work);
    case "fill":
      return completeFill(deps, work, lots);
    case "verify":
      return verifyProduct(deps, work, scans);
    case "reject":
      return rejectProduct(deps, work, "Wrong count.");
    case "ship":
      return shipOrder(deps, work);
    case "cancel":
      return cancelWithReason(deps, work, "The patient moved.");
    case "refund":
      return refundOrder(deps, work, all);
    case "claim":
      return claimOrder(deps, work);
    case "let_go":
      return releaseClaim(deps, work);
    case "note":
      return addNote(deps, work, "Called the patient.");
  }
  if ("refund_cents" in todo) return refundOrder(deps, work, { reason_id: 101, amount_cents: todo.refund_cents });
  if ("track" in todo) return trackByHand(deps, work, todo.track, "Heard by telephone.");
  if ("raise" in todo) return raiseException(deps, work, todo.raise, "It looks odd.");
  return resolveException(deps, work, todo.resolve, "Looked into it.", "prescriber_consulted");
}

const tokens: Record<Token, string> = {
  good: "tok_visa",
  declined: "tok_declined",
  declined_at_capture: "tok_declined_at_capture",
};
/** The birth date of the sample prescription. */
const DOB = "1987-02-28";

let reference = 0;

function bodyOf({ patient_id, model }: Scene, command: Extract<Concrete, { kind: "place" }>) {
  const ids = [...model.prescriptions.keys()];
  return {
    // No client sends the same order twice within a minute.
    reference: `life ${reference++}`,
    shipping: { method_id: 1 },
    patient: { patient_id, ...(command.other_dob && { dob: "1950-01-01" }) },
    address: addressOf(command.address),
    items: command.wishes.map((wish) => itemOf(model, ids, wish)),
    ...(command.token && { payment: { payer: "patient", token: tokens[command.token] } }),
  };
}

function itemOf(model: Model, ids: readonly number[], { prescription, sku, package_size, quantity }: Wish) {
  const size = { package_size, quantity };
  if (prescription === null) {
    const prescriber = { prescriber_name: "Fenwick Marlowe", prescriber_phone: "9165550160" };
    return { sku, ...size, ...(productOf(sku).rx_only && prescriber) };
  }
  const prescription_id = ids[prescription]!;
  const as_written = model.prescriptions.get(prescription_id)!.sku === sku;
  return { prescription_id, ...size, ...(!as_written && { sku }) };
}

const places = {
  CA: { city: "San Francisco", state: "CA", zip: "94110" },
  AR: { city: "Little Rock", state: "AR", zip: "72201" },
  HI: { city: "Honolulu", state: "HI", zip: "96814" },
};
const numbers: Record<Address["end"], string> = { delivered: "2210", lost: "102", returned: "106" };

/** Address validation is outside this campaign. */
const addressOf = ({ state, long, end }: Address) => ({
  first_name: long ? "Maximiliana-Theodora-Eulalia" : "Marisol",
  last_name: "Okonkwo-Reyes",
  street1: `${numbers[end]} Mission St`,
  street2: null,
  ...places[state],
  ignore_warnings: true,
});

function actionOf({ address, email, dob, token, ...asked }: Asked) {
  return {
    ...asked,
    ...(address && { address: addressOf(address) }),
    ...(email && { email: "marisol@okonkwo.example" }),
    ...(dob && { dob: dob === "right" ? DOB : "1950-01-01" }),
    ...(token && { token: tokens[token] }),
  };
}

const prescriptionOf = (patient_id: string, { sku, written_qty }: Extract<Concrete, { kind: "prescribe" }>) => {
  const { name, ndc, gcn } = productOf(sku);
  return {
    drug_name: name,
    ndc,
    gcn,
    written_qty,
    days_supply: written_qty,
    refills_left: 0,
    daw: false,
    sig_text: "Take one tablet by mouth daily.",
    patient: { patient_id, address: { street1: "2210 Mission St", street2: null, ...places.CA } },
  };
};
