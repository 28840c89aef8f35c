import { type ExceptionId, type SafetyKind, type SafetySource, staffRoles } from "@pestle/contract";
import { assessSafety } from "../../server/src/domain/safety/assess-safety.ts";
import type { SafetyData } from "../../server/src/domain/safety/data.ts";
import type { SafetyFinding } from "../../server/src/domain/safety/finding.ts";
import { severities } from "../../server/src/domain/safety/rows.ts";
import type { SafetyFacts } from "../../server/src/domain/safety/safety-facts.ts";
import { addDays, addMonths, dateIn, startOfDay } from "../../server/src/domain/values/calendar.ts";
import { type persons, productOf, type StaffName, staff, type Written } from "./safety-cast.ts";

/**
 * The auditor's own book of one story: who stated what, what prescribers wrote and took back, and which findings a
 * pharmacist resolved. It learns from the commands, and from the service only what left the building.
 */
export type Book = {
  /** Real time at the start and now, and the lead of the account's clock. */
  begin_ms: number;
  real_ms: number;
  ahead_ms: number;
  patients: BookPatient[];
  prescriptions: Rx[];
  orders: BookOrder[];
};
export type BookPatient = {
  patient_id: string;
  patient_key: number;
  person: (typeof persons)[number];
  facts: BookFact[];
};
type BookFact = { kind: SafetyKind; text: string; source: SafetySource };

export type Rx = Omit<Written, "days_old"> & {
  prescription_id: number;
  patient: number;
  written_date: string;
  /** The prescriber or the pharmacy ended it. */
  ended: "canceled" | "replaced" | "rejected" | null;
  /** False until a pharmacist accepts it. */
  accepted: boolean;
  partial_requested: boolean;
  sender_message_id: string;
};

export type BookOrder = {
  order_number: string;
  patient: number;
  other_name: boolean;
  /** The holding findings that a pharmacist resolved: the worst severity by exception and key. */
  resolved: Map<string, number>;
  /** Exceptions that staff resolved, and those that a pharmacist did. */
  resolved_ids: Set<ExceptionId>;
  pharmacist_ids: Set<ExceptionId>;
  audited: boolean;
  seen: SeenOrder;
};

/** An order as the service stores it. */
export type SeenOrder = {
  order_number: string;
  patient_id: string;
  order_status: string;
  stage: string | null;
  filled_by: string | null;
  open: ExceptionId[];
  items: SeenItem[];
};
type SeenItem = {
  item_id: number;
  sku: string;
  units: number;
  prescription_id: number | null;
  removed: boolean;
  shipped_at: string | null;
};

export const TIME_ZONE = "America/New_York";
const DAY_MS = 24 * 3600 * 1000;
const HOUR_MS = 3600 * 1000;

const nowOf = ({ real_ms, ahead_ms }: Book): Date => new Date(real_ms + ahead_ms);
export const todayOf = (book: Book): string => dateIn(TIME_ZONE, nowOf(book));
export const isOpen = ({ order_status }: SeenOrder): boolean =>
  !["Shipped", "Delivered", "Canceled"].includes(order_status);
export const itemsOf = ({ items }: SeenOrder): SeenItem[] => items.filter(({ removed }) => !removed);
export const rxOf = ({ prescriptions }: Book, prescription_id: number | null): Rx | undefined =>
  prescriptions.find((one) => one.prescription_id === prescription_id);

/** Whether a person is a pharmacist with a current license. The license counts by the real date, in every account. */
export function isPharmacist({ begin_ms, real_ms }: Book, name: StaffName): boolean {
  const { role, license } = staff[name];
  const last_day = license && dateIn(TIME_ZONE, new Date(begin_ms + license.days_left * DAY_MS));
  const roles: readonly string[] = staffRoles[role];
  return (
    role !== "admin" &&
    roles.includes("pharmacist") &&
    last_day !== null &&
    dateIn(TIME_ZONE, new Date(real_ms)) <= last_day
  );
}

/** Adds a fact, unless the same text is on file. A prescriber or the pharmacy takes over a partner's fact. */
export function tell(
  patient: BookPatient,
  { kind, text }: Pick<BookFact, "kind" | "text">,
  source: SafetySource,
): void {
  const known = factOf(patient, kind, text);
  if (known === undefined) patient.facts.push({ kind, text, source });
  else if (known.source === "partner") known.source = source;
}

export const factOf = ({ facts }: BookPatient, kind: SafetyKind, text: string): BookFact | undefined =>
  facts.find((fact) => fact.kind === kind && fact.text.toLowerCase() === text.toLowerCase());

export function untell(patient: BookPatient, kind: SafetyKind, text: string): void {
  const known = factOf(patient, kind, text);
  patient.facts = patient.facts.filter((fact) => fact !== known);
}

const HOLDING: readonly string[] = ["contraindicated", "major"];

/** The contraindicated and major findings on the facts of this moment. */
export function holdingFindings(book: Book, data: SafetyData, order: BookOrder): SafetyFinding[] {
  return assessSafety(data, factsOf(book, order)).filter(
    ({ severity, kind, item_id }) =>
      HOLDING.includes(severity) && !(kind === "refill_too_soon" && isRest(book, order, item_id)),
  );
}

/**
 * Whether an item is the rest of a partial fill, which is no refill (21 CFR 1306.23): the last package had a part of a
 * fill and nothing else, and this order does not go beyond that fill.
 */
function isRest(book: Book, order: BookOrder, item_id: number | null): boolean {
  const rx = rxOf(book, itemsOf(order.seen).find((item) => item.item_id === item_id)?.prescription_id ?? null);
  if (rx === undefined) return false;
  const shipped = book.orders
    .filter((other) => other !== order && shippedMs(other.seen) < Number.POSITIVE_INFINITY && unitsOf(other, rx) > 0)
    .sort((a, b) => shippedMs(a.seen) - shippedMs(b.seen));
  const begun = shipped.reduce((sum, one) => sum + unitsOf(one, rx), 0) % rx.written_qty;
  const last = shipped.at(-1);
  return last !== undefined && unitsOf(last, rx) <= begun && begun + unitsOf(order, rx) <= rx.written_qty;
}

const unitsOf = ({ seen }: BookOrder, { prescription_id }: Rx): number =>
  itemsOf(seen)
    .filter((item) => item.prescription_id === prescription_id)
    .reduce((sum, { units }) => sum + units, 0);

export const isResolved = ({ resolved }: BookOrder, finding: SafetyFinding): boolean => {
  const known = resolved.get(keyOf(finding));
  return known !== undefined && known <= severities.indexOf(finding.severity);
};

/** A pharmacist looked at the findings of an exception, as they are now. */
export function resolve(order: BookOrder, id: ExceptionId, findings: readonly SafetyFinding[]): void {
  for (const finding of findings.filter((one) => (one.exception_id ?? 75) === id)) {
    const rank = severities.indexOf(finding.severity);
    order.resolved.set(keyOf(finding), Math.min(rank, order.resolved.get(keyOf(finding)) ?? rank));
  }
}

const keyOf = ({ exception_id, key }: SafetyFinding) => `${exception_id ?? 75} ${key}`;

function factsOf(book: Book, order: BookOrder): SafetyFacts {
  const { facts, person } = book.patients[order.patient]!;
  const list = (kind: SafetyKind) => facts.filter((fact) => fact.kind === kind).map(({ text }) => text);
  return {
    items: itemsOf(order.seen).map(({ item_id, sku, units, prescription_id }) => {
      const rx = rxOf(book, prescription_id);
      const { ingredients, name, gcn, drug_schedule } = productOf(sku);
      return {
        item_id,
        ingredients,
        drug: name,
        is_drug: true,
        gcn,
        sig_text: rx?.sig_text ?? null,
        units: rx?.written_qty ?? units,
        days_supply: rx?.days_supply ?? null,
        drug_schedule,
        prescription_id,
      };
    }),
    fills: book.orders
      .filter((other) => other !== order && other.patient === order.patient && other.seen.order_status !== "Canceled")
      .flatMap(({ seen }) =>
        itemsOf(seen).map(({ sku, units, prescription_id, shipped_at }) => {
          const rx = rxOf(book, prescription_id);
          const { ingredients, gcn } = productOf(sku);
          return {
            order_number: seen.order_number,
            prescription_id,
            ingredients,
            gcn,
            shipped_at: shipped_at === null ? null : new Date(shipped_at),
            // The parts of one fill count together. Without the units of the order itself, each item counts as a refill.
            units,
            written_qty: rx?.written_qty ?? null,
            days_supply: rx === undefined ? null : Math.round((rx.days_supply * units * 10) / rx.written_qty) / 10,
          };
        }),
      ),
    allergies: list("allergy"),
    medications: list("medication"),
    conditions: list("condition"),
    patient: { ...person, weight_kg: null },
    now: nowOf(book),
  };
}

/** Every rule that a shipment breaks. It reads the book, never the order's own exceptions or its prescription's row. */
export function shipmentFaults(book: Book, data: SafetyData, order: BookOrder): string[] {
  const faults: string[] = [];
  for (const finding of holdingFindings(book, data, order)) {
    if (!isResolved(order, finding)) faults.push(`shipped with ${finding.severity} finding "${finding.message}"`);
  }
  if (order.other_name && !order.resolved_ids.has(71)) faults.push("shipped under another name than the patient's");
  for (const { sku, prescription_id } of itemsOf(order.seen)) {
    const rx = rxOf(book, prescription_id);
    if (rx === undefined) {
      if (productOf(sku).rx_only) faults.push(`shipped ${sku} without a prescription`);
    } else if (rx.patient !== order.patient) faults.push(`shipped ${sku} on another patient's prescription`);
    else if (rx.sku !== sku) faults.push(`shipped ${sku} on a prescription for ${rx.sku}`);
  }
  const ids = new Set(itemsOf(order.seen).flatMap(({ prescription_id }) => prescription_id ?? []));
  for (const id of ids) {
    const rx = rxOf(book, id);
    if (rx !== undefined) faults.push(...prescriptionFaults(book, order, rx).map((fault) => `${fault}: ${rx.sku}`));
  }
  return faults;
}

/** 21 CFR 1306, and what the prescriber wrote. */
function prescriptionFaults(book: Book, order: BookOrder, rx: Rx): string[] {
  const faults: string[] = [];
  const { drug_schedule } = productOf(rx.sku);
  const refills = Math.min(rx.refills, drug_schedule === "2" ? 0 : drug_schedule === "0" ? 99 : 5);
  const shipped = book.orders.filter(({ seen }) => ["Shipped", "Delivered"].includes(seen.order_status));
  const unitsIn = (one: BookOrder) => unitsOf(one, rx);
  const units = shipped.reduce((sum, one) => sum + unitsIn(one), 0);
  if (units > rx.written_qty * (1 + refills)) {
    faults.push(`shipped ${units} units of ${rx.written_qty} with ${refills} refills`);
  }
  if (rx.ended !== null) faults.push(`shipped on a ${rx.ended} prescription`);
  if (!rx.accepted) faults.push("shipped on a prescription that no pharmacist accepted");
  if (nowOf(book) >= endOf(rx)) faults.push("shipped on an expired prescription");
  if ((drug_schedule === "3" || drug_schedule === "4") && todayOf(book) > addMonths(rx.written_date, 6)) {
    faults.push("shipped more than six months after the date of issue");
  }
  if (drug_schedule === "2") {
    const earlier = shipped.filter((one) => one !== order && unitsIn(one) > 0).map(({ seen }) => shippedMs(seen));
    const late = earlier.length > 0 && nowOf(book).getTime() > Math.min(...earlier) + 72 * HOUR_MS;
    const requested = rx.partial_requested && todayOf(book) <= addDays(rx.written_date, 30);
    if (late && !requested) faults.push("shipped the rest of a partial fill too late");
  }
  if (drug_schedule !== "0" && unitsIn(order) > rx.written_qty && !order.pharmacist_ids.has(72)) {
    faults.push("shipped several fills of a controlled drug at once without a pharmacist");
  }
  return faults;
}

const shippedMs = (seen: SeenOrder) =>
  Math.min(...itemsOf(seen).flatMap(({ shipped_at }) => (shipped_at === null ? [] : [Date.parse(shipped_at)])));

/** A year, six months for a controlled drug, and 90 days for schedule 2. */
function endOf({ written_date, sku }: Rx): Date {
  const { drug_schedule } = productOf(sku);
  const months = addMonths(written_date, drug_schedule === "0" ? 12 : 6);
  const days = drug_schedule === "2" ? addDays(written_date, 90) : months;
  return startOfDay(TIME_ZONE, addDays(days < months ? days : months, 1));
}
