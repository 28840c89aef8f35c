import { randomUUID } from "node:crypto";
import type { ActionKey, ExceptionId, SafetyLists } from "@pestle/contract";
import { safetyKinds } from "@pestle/contract";
import type { Deps } from "../../server/src/deps.ts";
import { currentLicense } from "../../server/src/domain/accounts/license.ts";
import type { Content, IncomingPrescription } from "../../server/src/domain/intake/incoming-message.ts";
import { dateIn } from "../../server/src/domain/values/calendar.ts";
import { Conflict, RequestProblems, StatusRefusal } from "../../server/src/domain/values/refusals.ts";
import { scriptFormat } from "../../server/src/formats/formats.ts";
import { writeScript } from "../../server/src/formats/script/write.ts";
import { AdminRefusal } from "../../server/src/usecases/accounts/admin-refusal.ts";
import { requestPartialFill } from "../../server/src/usecases/fulfillment/request-partial-fill.ts";
import {
  addSafetyEntry,
  removeSafetyEntry as removeAtPharmacy,
} from "../../server/src/usecases/fulfillment/safety-entries.ts";
import { shipOrder } from "../../server/src/usecases/fulfillment/ship-order.ts";
import {
  approveReview,
  cancelWithReason,
  completeFill,
  raiseException,
  rejectProduct,
  resolveException,
  verifyProduct,
  type Work,
} from "../../server/src/usecases/fulfillment/steps.ts";
import { WorkRefusal } from "../../server/src/usecases/fulfillment/work-refusal.ts";
import { acceptPrescription } from "../../server/src/usecases/intake/accept-prescription.ts";
import { changeOrderAddress } from "../../server/src/usecases/orders/change-order-address.ts";
import { createOrder } from "../../server/src/usecases/orders/place-order.ts";
import { requestOrderAction } from "../../server/src/usecases/orders/request-order-action.ts";
import { removeSafetyEntry, updatePatient } from "../../server/src/usecases/patients/change-patient.ts";
import { readPatient } from "../../server/src/usecases/patients/read-patient.ts";
import { simulate } from "../../server/src/usecases/sandbox/simulate.ts";
import { envelope, prescription as sample } from "../../server/test/support/samples/script-samples.ts";
import { type BookOrder, itemsOf, TIME_ZONE, todayOf } from "./safety-book.ts";
import { emailOf, productOf, type StaffName } from "./safety-cast.ts";
import type { Command, Fact, Todo, Wish } from "./safety-commands.ts";
import type { Employees, Scene } from "./safety-world.ts";

export const DONE = "done";

/** Plays commands on the service. Each returns what the service answered, or throws a refusal. */
export function performer(deps: Deps, employees: Employees, scene: Scene) {
  const { account_id, book } = scene;
  const call = () => {
    const orderer = { account_id, environment: "sandbox" as const, clock_offset_s: book.ahead_ms / 1000 };
    const times = { created_at: deps.now(), expires_at: deps.now() };
    const limits = { rate_per_second: null, rate_burst: null, allowed_networks: [] };
    const grant = { ...orderer, ...times, ...limits, credential_id: "", scopes: [] };
    return { grant, key: undefined, now: deps.now(), by: { request_id: randomUUID(), address: "127.0.0.1" } };
  };
  const patientKey = (patient: number) => ({ account_id, patient_id: book.patients[patient]!.patient_id });
  const run = async (simulation_type: string, simulation: object) =>
    JSON.parse((await simulate(deps, scriptFormat, call(), { simulation_type, simulation })).body) as {
      prescription_id: number | null;
    };
  /** As a session does it: the license counts if it is current on the real date. */
  const workBy = (order: BookOrder, by: StaffName): Work => {
    const person = employees.get(by)!;
    const license = currentLicense(person, dateIn(TIME_ZONE, deps.now()));
    return { account_id, order_number: order.order_number, by: { person_id: by, role: person.role as never, license } };
  };
  const send = (content: Content, relates_to_message_id: string | null) => {
    const message_id = `SAFE-${next_message++}`;
    const own = { message_id, relates_to_message_id, prescriber_order_number: null };
    const script = writeScript({ ...envelope("2017071"), ...own }, content, "2017071");
    return run("prescription", { script }).then(({ prescription_id }) => ({ prescription_id, message_id }));
  };
  return {
    place({ patient, wishes, facts, other_name }: Extract<Command, { kind: "place" }>) {
      const lists = listsOf(facts);
      return createOrder(deps, call(), {
        // No client sends the same order twice within a minute.
        reference: `safety ${next_message++}`,
        shipping: { method_id: 1 },
        patient: {
          patient_id: book.patients[patient]!.patient_id,
          ...(Object.keys(lists).length > 0 && { patient_safety: lists }),
          ...(other_name && { first_name: "Somebody", last_name: "Else" }),
        },
        address: ADDRESS,
        items: wishes.map((wish) => itemOf(scene, patient, wish)),
      });
    },
    tell: (patient: number, facts: Fact[]) =>
      updatePatient(deps, call(), patientKey(patient), { patient_safety: listsOf(facts) }),
    entries: async (patient: number) => (await readPatient(deps, patientKey(patient)))!.patient_safety.entries,
    untell: (patient: number, entry_id: number) =>
      removeSafetyEntry(deps, call(), patientKey(patient), entry_id, { reason: "The patient says so." }),
    staffTell: (order: BookOrder, { kind, text }: Fact, by: StaffName) =>
      addSafetyEntry(deps, workBy(order, by), kind, text),
    staffUntell: (order: BookOrder, entry_id: number, by: StaffName) =>
      removeAtPharmacy(deps, workBy(order, by), entry_id, "The patient says so."),
    act: (order: BookOrder, asked: { event: ActionKey; exception_id: ExceptionId | null; rx: number; pick: number }) =>
      requestOrderAction(deps, call(), order.order_number, actionOf(scene, order, asked)),
    readdress: (order: BookOrder) => changeOrderAddress(deps, call(), order.order_number, OTHER_ADDRESS),
    work(order: BookOrder, todo: Todo, by: StaffName): Promise<unknown> {
      const work = workBy(order, by);
      const items = itemsOf(order.seen);
      switch (todo) {
        case "approve":
          return approveReview(deps, work);
        case "fill":
          return completeFill(
            deps,
            work,
            items.map(({ item_id }) => ({ item_id, lot: "L1", lot_expires_on: "2199-01-01" })),
          );
        case "verify":
          return verifyProduct(
            deps,
            work,
            items.map(({ item_id, sku }) => ({ item_id, code: productOf(sku).ndc! })),
          );
        case "reject":
          return rejectProduct(deps, work, "Wrong count.");
        case "ship":
          return shipOrder(deps, work);
        case "raise":
          return raiseException(deps, work, 69, "It looks odd.");
        case "cancel":
          return cancelWithReason(deps, work, "The patient moved.");
      }
    },
    resolve: (order: BookOrder, id: ExceptionId, by: StaffName) =>
      resolveException(deps, workBy(order, by), id, "Called the prescriber.", "prescriber_consulted"),
    prescribe: (asked: Prescribed & { patient: number; facts: Fact[] }) =>
      send({ kind: "new", prescription: prescriptionOf(scene, asked) }, null),
    cancelRx: (sender_message_id: string) =>
      send(
        {
          kind: "cancel",
          discontinue: false,
          target: { patient: null, prescriber_npi: null, drug_description: null, drug_codes: [], written_date: null },
        },
        sender_message_id,
      ),
    changeRx: (
      sender_message_id: string,
      response: "approved" | "replace" | "denied",
      asked: Prescribed & { patient: number },
    ) =>
      send(
        {
          kind: response === "replace" ? "renewal" : "change",
          response,
          reason_codes: [],
          note: null,
          prescription: response === "denied" ? null : prescriptionOf(scene, { ...asked, facts: [] }),
        },
        sender_message_id,
      ),
    verdict: (prescription_id: number, accept: boolean, by: StaffName) =>
      acceptPrescription(
        deps,
        {
          account_id,
          prescription_id,
          verdict: accept ? "accepted" : "rejected",
          email: emailOf(by),
          note: "Called the prescriber.",
        },
        deps.now(),
      ),
    requestPartial: (prescription_id: number, by: StaffName) =>
      requestPartialFill(
        deps,
        { account_id, prescription_id, requested_by: "patient", note: "Asked by telephone.", email: emailOf(by) },
        deps.now(),
      ),
    clock: (hours: number) => run("clock", { advance_seconds: hours * 3600 }),
    simulate: (order: BookOrder, to: string) => run("order", { order_number: order.order_number, to }),
  };
}
export type Performer = ReturnType<typeof performer>;

/** Any error that is not a rejection is a fault. */
export function refusalOf(error: unknown): string {
  if (error instanceof WorkRefusal) return error.key;
  if (error instanceof Conflict) return "409";
  if (error instanceof AdminRefusal) return "refused";
  if (error instanceof StatusRefusal) return String(error.status);
  if (error instanceof RequestProblems) return [...new Set(error.problems.map(({ code }) => code))].sort().join();
  throw error;
}

let next_message = 0;

const ADDRESS = {
  first_name: "Marisol",
  last_name: "Quill",
  street1: "2210 Mission St",
  street2: null,
  city: "San Francisco",
  state: "CA",
  zip: "94110",
  ignore_warnings: true,
};
const OTHER_ADDRESS = { ...ADDRESS, street1: "2212 Mission St" };

function listsOf(facts: readonly Fact[]): Partial<SafetyLists> {
  const lists: Partial<SafetyLists> = {};
  for (const { kind, text } of facts) lists[safetyKinds[kind].list] = [...(lists[safetyKinds[kind].list] ?? []), text];
  return lists;
}

/** A prescription of the patient, or by mistake of the other one. */
function itemOf({ book }: Scene, patient: number, { rx, whole, package_size, quantity, stranger }: Wish) {
  const own = book.prescriptions.filter((one) => (one.patient === patient) !== stranger);
  const { prescription_id, written_qty } = own[rx % own.length]!;
  return { prescription_id, package_size: whole ? written_qty : package_size, quantity };
}

function actionOf(
  { book }: Scene,
  order: BookOrder,
  { event, exception_id, rx, pick }: { event: ActionKey; exception_id: ExceptionId | null; rx: number; pick: number },
) {
  const own = book.prescriptions.filter(({ patient }) => patient === order.patient);
  const items = order.seen.items;
  const fields: Partial<Record<ActionKey, object>> = {
    update_email: { email: "quill@campaign.example" },
    update_address: { address: OTHER_ADDRESS },
    replace_prescription: { prescription_id: own[rx % own.length]!.prescription_id },
    verify: exception_id === 71 ? { dob: book.patients[order.patient]!.person.dob } : {},
    remove_item: { item_id: items[pick % items.length]!.item_id },
    retry_payment: { token: "tok_visa" },
    refund: { reason_id: 101 },
    partial_refund: { reason_id: 101, amount_cents: 100 },
  };
  return { event, ...(exception_id !== null && { exception_id }), ...fields[event] };
}

type Prescribed = { sku: string; written_qty: number; refills: number; signed: boolean };

/** As the prescriber's system writes it. The patient is certain by name, birth date and telephone. */
function prescriptionOf(
  { book, names }: Scene,
  { sku, written_qty, refills, signed, patient, facts }: Prescribed & { patient: number; facts: readonly Fact[] },
): IncomingPrescription {
  const { name, ndc, drug_schedule } = productOf(sku);
  const { person } = book.patients[patient]!;
  return {
    ...sample,
    patient: { ...sample.patient, ids: [], ...names[patient]!, ...person },
    drug: { description: name, codes: [{ system: "ndc", code: ndc! }], strength: null, schedule: drug_schedule },
    quantity: { value: written_qty, unit: "tablet" },
    days_supply: written_qty,
    refills,
    sig_text: NEW_SIG,
    allergies:
      facts.length === 0 ? "unknown" : facts.map(({ text }) => ({ text, codes: [], reaction: null, severity: null })),
    written_date: todayOf(book),
    effective_date: null,
    expiration_date: null,
    signature_evidence: signed,
    order_group: null,
  };
}
export const NEW_SIG = "Take 1 tablet by mouth once daily";
