import { createHash } from "node:crypto";
import type { Tx } from "../../db/db.ts";
import { listDuePrescriptions } from "../../db/intake/due-prescriptions.ts";
import { messagePlace, storeMessage } from "../../db/intake/messages.ts";
import { loadPatient } from "../../db/patients/patients.ts";
import {
  endSimulated,
  findKnown,
  lastMessageOf,
  lockSimulated,
  type SimulatedAccount,
} from "../../db/sandbox/simulations.ts";
import { insertEvent } from "../../db/webhooks/new-event.ts";
import type { Deps } from "../../deps.ts";
import type { IncomingMessage, IntakeRefusal } from "../../domain/intake/incoming-message.ts";
import type { IntakeFormat } from "../../domain/intake/intake-format.ts";
import { intakeRefusals, refusalFor } from "../../domain/intake/intake-refusals.ts";
import { type InventedWorld, inventedMessage, inventPrescription } from "../../domain/sandbox/invent-prescription.ts";
import { readSimulatedPrescription, type SimulatedPrescription } from "../../domain/sandbox/simulated-prescription.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { type Problem, RequestProblems, refuse, refuseAll } from "../../domain/values/refusals.ts";
import { type SentFields, unknownFields } from "../../domain/values/unknown-fields.ts";
import { readCatalogue } from "../catalogue/read-catalogue.ts";
import { openAnswer } from "../intake/message-answer.ts";
import { fillDue } from "../intake/order-due-prescriptions.ts";
import { statusEvent } from "../intake/status-event.ts";
import { type Received, recheckAfter, takeFor } from "../intake/take-message.ts";
import { readPrescription } from "../intake/written.ts";
import { openAnyPatientId, openRecord, patientIndex } from "../patients/patient-rows.ts";
import { transact } from "../write.ts";
import type { SimulatedAnswer, SimulatedWrite, Simulator } from "./simulation.ts";

/**
 * Receives a prescription as if a prescriber had sent it. The caller gives any fields of a medication request and the
 * sandbox invents the rest, or the caller gives a whole SCRIPT message. Both go through the regular intake, for this
 * account only. With Automatic Processing the order exists before the caller receives the answer.
 */
export async function simulatePrescription(
  deps: Deps,
  script: IntakeFormat,
  simulator: Simulator,
  sent: SentFields,
  problems: Problem[],
): Promise<SimulatedWrite> {
  const { script: text, ...simulation } = sent;
  if ((text ?? null) !== null) return simulateScript(deps, script, simulator, sent, problems);
  const { time_zone, today } = daysOf(deps, simulator);
  const { simulated, problems: wrong } = readSimulatedPrescription(simulation, { time_zone, today });
  problems.push(...wrong);
  refuseAll(problems);
  const world = await worldOf(deps, simulator.account_id);
  let due: Due | null = null;
  return {
    attempt: async (tx) => {
      const account = await lockSimulated(tx, simulator.account_id);
      const taken = await takeInvented(deps, tx, account, simulated, simulation, world);
      if (simulated.active === false) await endAtOnce(deps, tx, account, taken.received.prescription_id!);
      due = dueOf(account, taken);
      return answerOf(taken);
    },
    settle: (done) => orderNow(deps, due, done),
  };
}

/** As if the prescriber had canceled it right after it arrived. */
async function endAtOnce(
  deps: Deps,
  tx: Tx,
  { account_id, workflow, clock_offset_s }: SimulatedAccount,
  prescription_id: number,
): Promise<void> {
  const now = accountNow(deps.now(), clock_offset_s);
  const fact = (await readPrescription({ db: tx, vault: deps.vault }, account_id, prescription_id))!;
  const ended = { ...fact, active: false };
  const event = await statusEvent(deps, tx, "canceled", ended, { account_id, workflow, now });
  await endSimulated(tx, account_id, prescription_id);
  await insertEvent(tx, { account_id, order_number: null, ...event, created_at: now });
}

type Taken = { received: Received; order_due_at: Date | null };

async function takeInvented(
  deps: Deps,
  tx: Tx,
  account: SimulatedAccount,
  simulated: SimulatedPrescription,
  sent: SentFields,
  world: InventedWorld,
): Promise<Taken> {
  const { account_id } = account;
  const sender = ownSender(account_id);
  const number = numberIn(await lastMessageOf(tx, account_id, sender)) + 1;
  const meant = simulated.patient.patient_id;
  const row =
    meant === undefined ? undefined : await loadPatient(tx, account_id, patientIndex(deps, account_id, meant));
  const known = row === undefined ? null : openRecord(deps, account_id, row.patient_key, row.record_sealed);
  const invented = inventPrescription(number, simulated, world, known, birthShift(account_id));
  const message = inventedMessage(number, invented, {
    sender,
    message_id: messageId(number),
    meant_patient_id: row === undefined ? null : meant!,
    time_zone: deps.config.TIME_ZONE,
    now: accountNow(deps.now(), account.clock_offset_s),
  });
  return take(deps, tx, account, message, Buffer.from(JSON.stringify(sent)));
}

/**
 * Moves invented birth dates by up to three years, differently in each account. The pharmacy checks one person's orders at
 * all partners together, so two partners' tests must not share people.
 */
const birthShift = (account_id: string) => createHash("sha256").update(account_id).digest().readUInt32BE(0) % 1_000;

/** The sender of invented messages. */
const ownSender = (account_id: string) => `account ${account_id}`;
/** Padded to one length, so that the latest id sorts last. */
const messageId = (number: number) => `simulation ${String(number).padStart(9, "0")}`;
const numberIn = (message_id: string | null) => Number(/\d+$/.exec(message_id ?? "0")?.[0] ?? 0);

function simulateScript(
  deps: Deps,
  script: IntakeFormat,
  { account_id }: Simulator,
  simulation: SentFields,
  problems: Problem[],
): SimulatedWrite {
  problems.push(...unknownFields(simulation, ["script"], "simulation."));
  const text = simulation["script"];
  const body = Buffer.from(typeof text === "string" ? text : "");
  const read = script.read(body);
  if (!read.ok) throw new RequestProblems([...problems, ...refusalProblems(read.refusal)]);
  const { message } = read;
  const { from, message_id } = message.envelope;
  if (from === ownSender(account_id)) problems.push(...refusalProblems(refusalFor("028")));
  refuseAll(problems);
  let due: Due | null = null;
  return {
    attempt: async (tx) => {
      const account = await lockSimulated(tx, account_id);
      const before = await findKnown(tx, account_id, from!, message_id!);
      if (before === undefined) {
        const taken = await take(deps, tx, account, message, body);
        due = dueOf(account, taken);
        return answerOf(taken);
      }
      due = null;
      // A repeated message returns its prescription, however it arrived. Different bytes under its id are refused.
      if (!before.body_hash.equals(hashOf(body)))
        refuse(42200, SCRIPT, { problem: "conflict", message: intakeRefusals["220"][1] });
      const patient_id = openAnyPatientId(deps, account_id, before);
      const { prescription_id } = before;
      const key = { account_id: before.kept_by, sender: from!, sender_message_id: message_id! };
      const answer = openAnswer(deps.vault, key, before);
      return answer === null ? { patient_id, prescription_id } : JSON.parse(answer);
    },
    settle: (done) => orderNow(deps, due, done),
  };
}

const SCRIPT = "simulation.script";

const refusalProblems = ({ description_code, also = [] }: IntakeRefusal): Problem[] =>
  [description_code, ...also].map((code) => ({
    code: 42200,
    field: SCRIPT,
    problem: "not_allowed",
    message: intakeRefusals[code][1],
  }));

const hashOf = (body: Buffer) => createHash("sha256").update(body).digest();

/** Takes a message of the sandbox's own prescriber, once. The caller has no request to refuse, so nothing is returned. */
export async function takeSimulated(
  deps: Deps,
  account_id: string,
  message: IncomingMessage,
  body: Buffer,
): Promise<void> {
  const { from, message_id } = message.envelope;
  const due = await transact(deps, async (tx) => {
    const account = await lockSimulated(tx, account_id);
    if ((await findKnown(tx, account_id, from!, message_id!)) !== undefined) return null;
    return dueOf(account, await take(deps, tx, account, message, body));
  });
  if (due !== null) await followUp(deps, due);
}

/** The regular intake with a fixed sender and receiver: store, decide, save. A refusal rolls everything back. */
async function take(
  deps: Deps,
  tx: Tx,
  account: SimulatedAccount,
  message: IncomingMessage,
  body: Buffer,
): Promise<Taken> {
  const { account_id } = account;
  const sender = message.envelope.from!;
  const sender_message_id = message.envelope.message_id!;
  const row = {
    account_id,
    format: answerFormat.format,
    sender,
    sender_message_id,
    body_hash: hashOf(body),
    received_at: deps.now(),
    kind: message.content.kind,
  };
  const body_sealed = deps.vault.seal(body, messagePlace(account_id, sender, sender_message_id));
  const { new_id } = await storeMessage(tx, { ...row, body_sealed }, null, null);
  if (new_id === null) throw new Error("a new simulated message already exists");
  const stored = { ...row, intake_message_id: new_id };
  const receiver = { ...account, environment: "sandbox" as const };
  const { decision, received } = await takeFor({ ...deps, db: tx }, answerFormat, message, stored, receiver);
  if (decision.reply.kind === "refused") throw new RequestProblems(refusalProblems(decision.reply.refusal));
  return { received, order_due_at: decision.prescription?.order_due_at ?? null };
}

/** The stored answer is what the partner receives: the prescription that the message created or ended. */
const answerFormat: IntakeFormat = {
  format: "simulation",
  read: () => {
    throw new Error("the intake job picked up a simulated message, which is processed when it is stored");
  },
  reply: (_reply, { patient_id = null, prescription_id, ended_prescription_id = null }) =>
    JSON.stringify({ patient_id, prescription_id: prescription_id ?? ended_prescription_id }),
};

const answerOf = ({ received }: Taken): SimulatedAnswer => JSON.parse(received.answer);

/** A prescription that Automatic Processing turns into an order, or that concerns open orders. */
type Due = { account: SimulatedAccount; received: Received };
const dueOf = (account: SimulatedAccount, { received, order_due_at }: Taken): Due | null =>
  order_due_at === null && received.rechecks === undefined ? null : { account, received };

const orderNow = (deps: Deps, due: Due | null, done: SimulatedAnswer): Promise<SimulatedAnswer> | undefined =>
  due === null ? undefined : followUp(deps, due).then(() => done);

/** Checks the patient's open orders first, so that a replaced prescription can end up on the order that waits for it. */
async function followUp(deps: Deps, { account, received }: Due): Promise<void> {
  await recheckAfter(deps, received);
  await fillNow(deps, account, received);
}

const MOST_ROUNDS = 5;

/** The job that runs every second may get there first; then nothing is left to do. */
async function fillNow(deps: Deps, account: SimulatedAccount, { prescription_id }: Received): Promise<void> {
  try {
    for (let round = 1; round <= MOST_ROUNDS; round++) {
      const now = accountNow(deps.now(), account.clock_offset_s);
      const due = await listDuePrescriptions(deps.db, account.account_id, now, MOST_LOOKED_AT);
      if (!due.some((one) => one.prescription_id === prescription_id)) return;
      await fillDue(deps, account.account_id);
    }
  } catch (error) {
    // The prescription stays saved, and the job creates its order.
    const { account_id } = account;
    deps.log.warn(
      { account_id, fault: (error as Error).name },
      "ordering a simulated prescription failed; the job retries it",
    );
  }
}
const MOST_LOOKED_AT = 1_000;

const daysOf = ({ config, now }: Deps, { clock_offset_s }: Simulator) => ({
  time_zone: config.TIME_ZONE,
  today: dateIn(config.TIME_ZONE, accountNow(now(), clock_offset_s)),
});

async function worldOf(deps: Deps, account_id: string): Promise<InventedWorld> {
  const { products, formulary } = await readCatalogue(deps, account_id);
  return {
    products: products.map((product) => ({
      ...product,
      blocked_states: formulary.by_sku.get(product.sku)?.blocked_states ?? [],
    })),
    default_method_id: formulary.default_method_id,
    zips: deps.zips,
  };
}
