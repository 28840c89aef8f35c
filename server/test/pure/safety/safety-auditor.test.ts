import { expect, test } from "vitest";
import {
  type Book,
  type BookOrder,
  holdingFindings,
  type Rx,
  resolve,
  shipmentFaults,
  TIME_ZONE,
} from "../../../../chaos/safety/safety-book.ts";
import { persons, written } from "../../../../chaos/safety/safety-cast.ts";
import { addDays, dateIn } from "../../../src/domain/values/calendar.ts";
import { loadSafetyFile } from "../../../src/usecases/safety/load-safety-data.ts";

/** The auditor of `npm run campaign -- safety` must object to every shipment that a rule forbids. */

const data = loadSafetyFile({ SAFETY_DATA_FILE: "" }).data!;
const NOW_MS = Date.parse("2026-11-10T15:00:00Z");
const HOUR_MS = 3600 * 1000;
const today = dateIn(TIME_ZONE, new Date(NOW_MS));

const rx = (sku: string, more: Partial<Rx> = {}): Rx => {
  const { days_old: _, ...row } = written.find((one) => one.sku === sku)!;
  return {
    ...row,
    prescription_id: 1,
    patient: 0,
    written_date: today,
    ended: null,
    accepted: true,
    partial_requested: false,
    sender_message_id: "",
    ...more,
  };
};
const shipped = (rx: Rx, units: number, hours_ago = 0, more: Partial<BookOrder> = {}): BookOrder => ({
  order_number: `A${hours_ago}`,
  patient: 0,
  other_name: false,
  resolved: new Map(),
  resolved_ids: new Set(),
  pharmacist_ids: new Set(),
  audited: false,
  seen: {
    order_number: `A${hours_ago}`,
    patient_id: "p",
    order_status: "Shipped",
    stage: null,
    filled_by: null,
    open: [],
    items: [
      {
        item_id: 1,
        sku: rx.sku,
        units,
        prescription_id: rx.prescription_id,
        removed: false,
        shipped_at: new Date(NOW_MS - hours_ago * HOUR_MS).toISOString(),
      },
    ],
  },
  ...more,
});
const faultsOf = (prescriptions: Rx[], orders: BookOrder[], facts: Book["patients"][number]["facts"] = []) => {
  const patients = [{ patient_id: "p", patient_key: 1, person: persons[0], facts }];
  const book: Book = { begin_ms: NOW_MS, real_ms: NOW_MS, ahead_ms: 0, patients, prescriptions, orders };
  return shipmentFaults(book, data, orders.at(-1)!);
};

const allergy = { kind: "allergy", text: "penicillin", source: "partner" } as const;
const amoxicillin = rx("amoxicillin-500");
const stimulant = rx("dextroamphetamine-10");
const cases: [name: string, faults: () => string[], expected: RegExp | null][] = [
  ["an ordinary order", () => faultsOf([amoxicillin], [shipped(amoxicillin, 21)]), null],
  ["an allergy", () => faultsOf([amoxicillin], [shipped(amoxicillin, 21)], [allergy]), /major|contraindicated/],
  ["too many units", () => faultsOf([amoxicillin], [shipped(amoxicillin, 63)]), /63 units of 21/],
  [
    "an ended prescription",
    () => faultsOf([rx("amoxicillin-500", { ended: "replaced" })], [shipped(amoxicillin, 21)]),
    /replaced/,
  ],
  [
    "an unaccepted prescription",
    () => faultsOf([rx("zolpidem-5", { accepted: false })], [shipped(rx("zolpidem-5"), 30)]),
    /accepted/,
  ],
  [
    "an expired prescription",
    () => faultsOf([rx("warfarin-5", { written_date: addDays(today, -366) })], [shipped(rx("warfarin-5"), 30)]),
    /expired/,
  ],
  [
    "six months of schedule 4",
    () => faultsOf([rx("zolpidem-5", { written_date: addDays(today, -190) })], [shipped(rx("zolpidem-5"), 30)]),
    /six months/,
  ],
  [
    "two fills of schedule 4 at once",
    () => faultsOf([rx("zolpidem-5")], [shipped(rx("zolpidem-5"), 60)]),
    /several fills/,
  ],
  ["a part of schedule 2", () => faultsOf([stimulant], [shipped(stimulant, 30)]), null],
  [
    "the rest of schedule 2 in time",
    () => faultsOf([stimulant], [shipped(stimulant, 30, 71), shipped(stimulant, 30)]),
    null,
  ],
  [
    "the rest of schedule 2 too late",
    () => faultsOf([stimulant], [shipped(stimulant, 30, 73), shipped(stimulant, 30)]),
    /too late/,
  ],
  [
    "the rest of schedule 2 as requested",
    () => {
      const requested = rx("dextroamphetamine-10", { partial_requested: true, written_date: addDays(today, -29) });
      return faultsOf([requested], [shipped(requested, 30, 73), shipped(requested, 30)]);
    },
    null,
  ],
  [
    "the rest of schedule 2 after the 30 days",
    () => {
      const requested = rx("dextroamphetamine-10", { partial_requested: true, written_date: addDays(today, -31) });
      return faultsOf([requested], [shipped(requested, 30, 73), shipped(requested, 30)]);
    },
    /too late/,
  ],
  ["another name", () => faultsOf([amoxicillin], [shipped(amoxicillin, 21, 0, { other_name: true })]), /another name/],
  [
    "another patient's prescription",
    () => faultsOf([rx("amoxicillin-500", { patient: 1 })], [shipped(amoxicillin, 21)]),
    /another patient/,
  ],
  ["no prescription", () => faultsOf([], [shipped(amoxicillin, 21)]), /without a prescription/],
];
test.each(cases)("the auditor judges %s", (_, faults, expected) => {
  if (expected === null) expect(faults()).toEqual([]);
  else expect(faults().join("\n")).toMatch(expected);
});

test("a pharmacist's decision covers the findings of its exception as they were", () => {
  const order = shipped(amoxicillin, 21);
  const book = (facts: Book["patients"][number]["facts"]) => ({
    begin_ms: NOW_MS,
    real_ms: NOW_MS,
    ahead_ms: 0,
    patients: [{ patient_id: "p", patient_key: 1, person: persons[0], facts }],
    prescriptions: [amoxicillin],
    orders: [order],
  });
  const unknown = { kind: "medication", text: "blorvitane", source: "partner" } as const;
  const before = shipmentFaults(book([allergy]), data, order);
  expect(before).toHaveLength(1);
  resolve(order, 75, holdingFindings(book([allergy]), data, order));
  expect(shipmentFaults(book([allergy]), data, order)).toEqual(before);
  resolve(order, 74, holdingFindings(book([allergy]), data, order));
  expect(shipmentFaults(book([allergy]), data, order)).toEqual([]);
  expect(shipmentFaults(book([allergy, unknown]), data, order)).toHaveLength(1);
});
