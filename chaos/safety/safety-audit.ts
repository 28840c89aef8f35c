import { type ExceptionId, exceptionRow } from "@pestle/contract";
import type { Deps } from "../../server/src/deps.ts";
import type { SafetyData } from "../../server/src/domain/safety/data.ts";
import type { SafetyFinding } from "../../server/src/domain/safety/finding.ts";
import {
  type BookOrder,
  factOf,
  holdingFindings,
  isOpen,
  isPharmacist,
  isResolved,
  itemsOf,
  type Rx,
  resolve,
  rxOf,
  shipmentFaults,
  tell,
  todayOf,
  untell,
} from "./safety-book.ts";
import { productOf, type StaffName } from "./safety-cast.ts";
import type { Command, Fact, Todo } from "./safety-commands.ts";
import { DONE, NEW_SIG, type Performer, refusalOf } from "./safety-perform.ts";
import { type Scene, seeOrders } from "./safety-world.ts";

export type SafetyTally = {
  stories: number;
  orders: number;
  /** What the auditor saw: shipments, and those that were special. */
  seen: Record<string, number>;
  /** Number of outcomes, by command and kind. */
  outcomes: Record<string, Record<string, number>>;
  /** The smallest stories in which something shipped that must not, with each step. */
  faults: string[];
};

const COMMAND_MS = 1_000;
const DAY_MS = 24 * 3600 * 1000;
const HOUR_MS = 3600 * 1000;
/** Only a pharmacist ends these. */
const PHARMACISTS: readonly ExceptionId[] = [74, 75];

/** What a command may end besides its own effect. */
type Step = {
  name: string;
  /** The exception that a pharmacist resolves on this order. */
  resolves?: { order: BookOrder; id: ExceptionId };
  /** The prescriber's new data can remove the cause of a finding. */
  from_prescriber?: boolean;
  /** New facts about this patient: the patient's open orders with an unresolved finding must be on hold at once. */
  tells?: number;
  /** Only these kinds of finding. */
  kinds?: readonly SafetyFinding["kind"][];
};

/**
 * Follows the commands of a story: performs each on the service, writes its meaning in the book, and compares what the
 * service did with the book.
 */
export function auditorOf(deps: Deps, service: Performer, scene: Scene, data: SafetyData, tally: SafetyTally) {
  const { book } = scene;
  const trace: string[] = [];
  const count = (what: string) => {
    tally.seen[what] = (tally.seen[what] ?? 0) + 1;
  };

  /** Performs a step, writes it in the book if the service did it, and looks at every order. */
  async function take<Answer>(
    step: Step,
    perform: () => Promise<Answer>,
    note?: (answer: Answer) => void,
  ): Promise<string> {
    book.real_ms += COMMAND_MS;
    const known = step.tells === undefined ? 0 : book.patients[step.tells]!.facts.length;
    let answer: { value: Answer } | undefined;
    let outcome = DONE;
    try {
      answer = { value: await perform() };
    } catch (error) {
      outcome = refusalOf(error);
    }
    const counts = tally.outcomes[step.name] ?? {};
    tally.outcomes[step.name] = { ...counts, [outcome]: (counts[outcome] ?? 0) + 1 };
    if (answer !== undefined) note?.(answer.value);
    const told = step.tells !== undefined && book.patients[step.tells]!.facts.length !== known;
    await look(step, outcome, told);
    return outcome;
  }

  async function look(step: Step, outcome: string, told: boolean): Promise<void> {
    const faults: string[] = [];
    for (const seen of await seeOrders(deps.db, scene)) {
      const known = book.orders.find(({ order_number }) => order_number === seen.order_number);
      const order = known ?? newOrder(seen);
      if (known === undefined) book.orders.push(order);
      const gone = order.seen.open.filter((id) => PHARMACISTS.includes(id) && !seen.open.includes(id));
      order.seen = seen;
      if (seen.order_status === "Canceled" || step.from_prescriber) continue;
      for (const id of gone) {
        if (step.resolves?.order === order && step.resolves.id === id) continue;
        faults.push(`${step.name} ended exception ${id} without a pharmacist`);
      }
    }
    const states = book.orders.map(({ seen }) =>
      [seen.order_status, seen.stage, ...seen.open].filter(Boolean).join("/"),
    );
    trace.push(`${step.name}: ${outcome} [${states.join(", ")}]`);
    for (const order of book.orders) {
      if (["Shipped", "Delivered"].includes(order.seen.order_status) && !order.audited) {
        order.audited = true;
        faults.push(...shipmentFaults(book, data, order));
        countShipment(order);
      }
    }
    faults.push(...unstopped(), ...(told ? unheld(step) : []));
    if (faults.length > 0) throw new Error(faults.join("\n"));
  }

  /** Open orders that must be on hold, because they have a finding that no pharmacist resolved. */
  function unheld({ tells, kinds }: Step): string[] {
    return book.orders
      .filter(({ seen, patient }) => patient === tells && isOpen(seen) && seen.order_status !== "On Hold")
      .flatMap((order) => holdingFindings(book, data, order).filter((finding) => !isResolved(order, finding)))
      .filter(({ kind }) => kinds === undefined || kinds.includes(kind))
      .map(({ message }) => `not on hold although "${message}"`);
  }

  /** Open orders that go on although the prescriber or the pharmacy ended their prescription. */
  const unstopped = (): string[] =>
    book.orders
      .filter(({ seen }) => isOpen(seen) && seen.order_status !== "On Hold")
      .flatMap(({ seen }) => itemsOf(seen).flatMap(({ prescription_id }) => rxOf(book, prescription_id)?.ended ?? []))
      .map((ended) => `not on hold although its prescription is ${ended}`);

  function countShipment(order: BookOrder): void {
    count("shipments");
    if (order.resolved.size > 0) count("shipped after a pharmacist resolved a finding");
    if (order.other_name) count("shipped after a person compared the names");
    for (const { sku, units, prescription_id } of itemsOf(order.seen)) {
      const { drug_schedule } = productOf(sku);
      if (drug_schedule !== "0") count(`shipped items of schedule ${drug_schedule}`);
      const before = book.orders.filter((one) => one !== order && one.audited).flatMap(({ seen }) => itemsOf(seen));
      if (before.some((item) => item.prescription_id === prescription_id))
        count("shipped items that are refills or parts");
      if (drug_schedule === "2" && units < (rxOf(book, prescription_id)?.written_qty ?? 0))
        count("partial fills of schedule 2");
    }
  }

  const newOrder = (seen: BookOrder["seen"]): BookOrder => ({
    order_number: seen.order_number,
    patient: book.patients.findIndex(({ patient_id }) => patient_id === seen.patient_id),
    other_name: false,
    resolved: new Map(),
    resolved_ids: new Set(),
    pharmacist_ids: new Set(),
    audited: false,
    seen,
  });

  const tellAll = (patient: number, facts: readonly Fact[], source: "partner" | "prescriber" | "pharmacy") => {
    for (const fact of facts) tell(book.patients[patient]!, fact, source);
  };

  /** An open order if there is one. */
  const orderAt = (place: number): BookOrder | undefined => {
    const open = book.orders.filter(({ seen }) => isOpen(seen));
    const orders = open.length > 0 ? open : book.orders;
    return orders[place % orders.length];
  };
  /** One that the command can apply to if there is one. */
  const rxAt = (place: number, fits: (rx: Rx) => boolean = () => true): Rx => {
    const fitting = book.prescriptions.filter(fits);
    const choice = fitting.length > 0 ? fitting : book.prescriptions;
    return choice[place % choice.length]!;
  };

  async function resolveOne(order: BookOrder, id: ExceptionId, by: StaffName): Promise<string> {
    const licensed = isPharmacist({ ...book, real_ms: book.real_ms + COMMAND_MS }, by);
    const step = { name: `resolve ${id}`, ...(licensed && { resolves: { order, id } }) };
    return take(
      step,
      () => service.resolve(order, id, by),
      () => {
        order.resolved_ids.add(id);
        if (!licensed) return;
        order.pharmacist_ids.add(id);
        resolve(order, id, holdingFindings(book, data, order));
      },
    );
  }

  async function workOne(order: BookOrder, todo: Todo, by: StaffName): Promise<string> {
    const before = order.seen;
    const outcome = await take({ name: `work ${todo}` }, () => service.work(order, todo, by));
    const moved = outcome === DONE && order.seen.stage !== before.stage && order.seen.order_status !== "On Hold";
    if (!moved || (todo !== "approve" && todo !== "verify")) return outcome;
    if (!isPharmacist(book, by)) throw new Error(`${by} took the step ${todo} without a current license`);
    if (todo === "verify" && before.filled_by === by) throw new Error(`${by} checked the own fill`);
    return outcome;
  }

  const NEXT: Record<string, Todo> = {
    clinical_review: "approve",
    fill: "fill",
    product_check: "verify",
    pack: "ship",
  };

  /** The next step of the pharmacy: resolve what holds the order, or take it to the next stage. */
  async function goOn(order: BookOrder, by: StaffName, checked_by: StaffName): Promise<string> {
    const { open, stage } = order.seen;
    if (open.length > 0) return resolveOne(order, open[0]!, by);
    const todo = stage === null ? undefined : NEXT[stage];
    if (todo === undefined) return "nothing to do";
    return workOne(order, todo, todo === "verify" ? checked_by : todo === "fill" ? "tess" : by);
  }

  async function follow(command: Command): Promise<void> {
    switch (command.kind) {
      case "place": {
        const { patient, facts, other_name } = command;
        const known = new Set(book.orders);
        await take(
          { name: "place", tells: patient },
          () => service.place(command),
          () => tellAll(patient, facts, "partner"),
        );
        for (const order of book.orders) if (!known.has(order)) order.other_name = other_name;
        return;
      }
      case "tell": {
        const { patient, facts } = command;
        await take(
          { name: "tell", tells: patient },
          () => service.tell(patient, facts),
          () => tellAll(patient, facts, "partner"),
        );
        return;
      }
      case "untell": {
        const patient = book.patients[command.patient]!;
        const entries = await service.entries(command.patient);
        const entry = entries[command.pick % entries.length];
        if (entry === undefined) return;
        await take(
          { name: "untell" },
          () => service.untell(command.patient, entry.entry_id),
          () => {
            const { source } = factOf(patient, entry.kind, entry.text) ?? fail("an entry without a statement");
            if (source !== "partner") fail(`the partner removed a fact of the ${source}`);
            untell(patient, entry.kind, entry.text);
          },
        );
        return;
      }
      case "staff_tell": {
        const order = orderAt(command.order);
        if (order === undefined) return;
        const { fact, by } = command;
        await take(
          { name: "staff_tell", tells: order.patient },
          () => service.staffTell(order, fact, by),
          () => tellAll(order.patient, [fact], "pharmacy"),
        );
        return;
      }
      case "staff_untell": {
        const order = orderAt(command.order);
        if (order === undefined) return;
        const entries = await service.entries(order.patient);
        const entry = entries[command.pick % entries.length];
        if (entry === undefined) return;
        const { by } = command;
        await take(
          { name: "staff_untell" },
          () => service.staffUntell(order, entry.entry_id, by),
          () => {
            if (!isPharmacist(book, by)) fail(`${by} removed a fact without a current license`);
            untell(book.patients[order.patient]!, entry.kind, entry.text);
          },
        );
        return;
      }
      case "act": {
        const order = orderAt(command.order);
        if (order === undefined) return;
        const { named, pick, rx } = command;
        const { open } = order.seen;
        const offered = open.flatMap((id) => exceptionRow(id).actions).filter((one) => one !== "cancel");
        const event = command.event ?? offered[pick % offered.length] ?? "hold";
        const exception_id = named && open.length > 0 ? open[pick % open.length]! : null;
        const step = { name: `act ${event}` };
        await take(step, () => service.act(order, { event, exception_id, rx, pick }));
        return;
      }
      case "readdress": {
        const order = orderAt(command.order);
        if (order !== undefined) await take({ name: "readdress" }, () => service.readdress(order));
        return;
      }
      case "go_on": {
        const order = orderAt(command.order);
        for (let time = 0; order !== undefined && time < command.times; time++) {
          const outcome = await goOn(order, command.by, command.checked_by);
          if (outcome !== DONE) return;
        }
        return;
      }
      case "work": {
        const order = orderAt(command.order);
        if (order !== undefined) await workOne(order, command.todo, command.by);
        return;
      }
      case "resolve": {
        const order = orderAt(command.order);
        if (order === undefined) return;
        const { open } = order.seen;
        const id = command.id ?? open[command.pick % open.length];
        if (id !== undefined) await resolveOne(order, id, command.by);
        return;
      }
      case "prescribe": {
        const { patient, facts } = command;
        const asked = { ...command, sku: command.sku ?? rxAt(command.rx).sku };
        // Automatic Processing can make an order of it, and the next step of the others takes that into account.
        const kinds = ["allergy", "unknown_drug"] as const;
        const step: Step = { name: "prescribe", from_prescriber: true, tells: patient, kinds };
        await take(
          step,
          () => service.prescribe(asked),
          (answer) => {
            tellAll(patient, facts, "prescriber");
            addRx(asked, patient, answer);
          },
        );
        return;
      }
      case "cancel_rx": {
        const rx = rxAt(command.rx, isInForce);
        await take(
          { name: "cancel_rx" },
          () => service.cancelRx(rx.sender_message_id),
          () => {
            rx.ended ??= "canceled";
          },
        );
        return;
      }
      case "change_rx": {
        const rx = rxAt(command.rx, isInForce);
        const { response, written_qty, signed } = command;
        const asked = { sku: rx.sku, written_qty, refills: rx.refills, signed, patient: rx.patient };
        const step = { name: `change_rx ${response}`, from_prescriber: true };
        await take(
          step,
          () => service.changeRx(rx.sender_message_id, response, asked),
          (answer) => {
            if (response === "denied") return;
            rx.ended ??= "replaced";
            addRx(asked, rx.patient, answer);
          },
        );
        return;
      }
      case "verdict": {
        const rx = rxAt(command.rx, ({ accepted, ended }) => !accepted && ended === null);
        const { accept, by } = command;
        await take(
          { name: "verdict" },
          () => service.verdict(rx.prescription_id, accept, by),
          () => {
            if (!isPharmacist(book, by)) fail(`${by} judged a prescription without a current license`);
            if (accept) rx.accepted = true;
            else rx.ended ??= "rejected";
          },
        );
        return;
      }
      case "request_partial": {
        const rx = rxAt(command.rx, ({ sku }) => productOf(sku).drug_schedule === "2");
        await take(
          { name: "request_partial" },
          () => service.requestPartial(rx.prescription_id, command.by),
          () => {
            if (!isPharmacist(book, command.by)) fail(`${command.by} recorded a request without a current license`);
            rx.partial_requested = true;
          },
        );
        return;
      }
      case "clock":
        await take(
          { name: "clock" },
          () => service.clock(command.hours),
          () => {
            book.ahead_ms += command.hours * HOUR_MS;
          },
        );
        return;
      case "wait":
        book.real_ms += command.days * DAY_MS;
        return;
      case "simulate": {
        const order = orderAt(command.order);
        if (order !== undefined)
          await take({ name: `simulate ${command.to}` }, () => service.simulate(order, command.to));
        return;
      }
    }
  }

  function addRx(
    { sku, written_qty, refills, signed }: { sku: string; written_qty: number; refills: number; signed: boolean },
    patient: number,
    { prescription_id, message_id }: { prescription_id: number | null; message_id: string },
  ): void {
    if (prescription_id === null) throw new Error("a prescription without a number");
    book.prescriptions.push({
      sku,
      written_qty,
      refills,
      days_supply: written_qty,
      sig_text: NEW_SIG,
      prescription_id,
      patient,
      written_date: todayOf(book),
      ended: null,
      accepted: signed || productOf(sku).drug_schedule === "0",
      partial_requested: false,
      sender_message_id: message_id,
    });
  }

  return {
    trace,
    follow,
    /** Open orders would concern the jobs of the next story. */
    async cancelOpen(): Promise<void> {
      for (const order of book.orders.filter(({ seen }) => isOpen(seen))) await workOne(order, "cancel", "amos");
    },
  };
}

const isInForce = ({ ended }: Rx): boolean => ended === null;

function fail(why: string): never {
  throw new Error(why);
}
