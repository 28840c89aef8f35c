import { products } from "../server/src/seed/cast.ts";
import type { NewPatient } from "./add-patients.ts";

/** Orders that compete: few prescriptions with few units, few products with little stock. */
export type Scene = {
  patients: NewPatient[];
  /** Available units at the start of the scene, by product. */
  shelves: Record<string, number>;
  orders: RacedOrder[];
};
/** A body with its own reference, and the units it takes. */
export type RacedOrder = {
  reference: string;
  body: string;
  prescribed: ReadonlyMap<number, number>;
  shelved: ReadonlyMap<string, number>;
};

const FIRST_PRESCRIPTION = 5_000_000;
const PRESCRIPTIONS = 10;
const SIZE = 30;
const POUCH = "packaging-pouch";
/** Pairs of products that are prescribed in thirties. */
const PRODUCTS = [
  ["atorvastatin-20", "sertraline-50"],
  ["phenelzine-15", "finasteride-1"],
  ["amoxicillin-500", "sildenafil-50"],
] as const;

/** The scene with that number. It has its own patients and shares products and shelves with other scenes. */
export function raceScene(number: number): Scene {
  const [one, other] = PRODUCTS[number % PRODUCTS.length]!;
  let next = FIRST_PRESCRIPTION + number * PRESCRIPTIONS;
  const skus = new Map<number, string>();
  const patient = (name: string, ...prescriptions: [sku: string, fills: number][]) => ({
    patient_id: `race-${number}-${name}`,
    prescriptions: prescriptions.map(([sku, fills]) => {
      skus.set(next, sku);
      const product = products.find((one) => one.sku === sku)!;
      return { prescription_id: next++, product, written_qty: SIZE, refills: fills - 1 };
    }),
  });
  // The second and third patient were prescribed more of one product than the shelf holds.
  const patients = [
    patient("two", [one, 3], [other, 2]),
    patient("once", [one, 1]),
    patient("same", [other, 2], [other, 2]),
  ];
  const [two, once, same] = patients.map(({ patient_id, prescriptions }) => ({
    patient_id,
    ids: prescriptions.map(({ prescription_id }) => prescription_id),
  })) as [Whose, Whose, Whose];

  const orders: RacedOrder[] = [];
  type Whose = { patient_id: string; ids: number[] };
  type Wanted = { id?: number; quantity?: number };
  const add = ({ patient_id }: Whose, wanted: Wanted[], told: Record<string, unknown> = {}) => {
    const reference = `race-${number}-${orders.length}`;
    const items = wanted.map(({ id, quantity = 1 }) =>
      id === undefined ? { sku: POUCH, quantity } : { prescription_id: id, quantity, package_size: SIZE },
    );
    const body = { reference, shipping: { method_id: 1 }, patient: { patient_id, ...told }, items };
    const prescribed = new Map<number, number>();
    const shelved = new Map<string, number>();
    for (const { id, quantity = 1 } of wanted) {
      const units = id === undefined ? quantity : quantity * SIZE;
      const sku = id === undefined ? POUCH : skus.get(id)!;
      if (id !== undefined) prescribed.set(id, (prescribed.get(id) ?? 0) + units);
      shelved.set(sku, (shelved.get(sku) ?? 0) + units);
    }
    orders.push({ reference, body: JSON.stringify(body), prescribed, shelved });
  };
  const [first, second] = two.ids as [number, number];
  add(two, [{ id: first }]);
  add(two, [{ id: first }]);
  add(two, [{ id: first, quantity: 2 }]);
  // The same two prescriptions in both orders.
  add(two, [{ id: first }, { id: second }]);
  add(two, [{ id: second }, { id: first }]);
  add(two, [{ id: second }, {}]);
  add(once, [{ id: once.ids[0]! }]);
  add(once, [{}, { id: once.ids[0]! }]);
  // The service saves these patient details with the order.
  add(once, [{ id: once.ids[0]! }], { patient_safety: { medications: ["ibuprofen"] } });
  add(once, [{ quantity: 2 }], { email: `race.${number}@okonkwo.example` });
  const [third, fourth] = same.ids as [number, number];
  add(same, [{ id: third }]);
  add(same, [{ id: fourth }]);
  add(same, [{ id: third }, { id: fourth }]);
  add(same, [{ id: fourth, quantity: 2 }, {}]);
  // Only its body distinguishes it from another.
  add(same, [{}]);
  return { patients, shelves: { [one]: 4 * SIZE, [other]: 5 * SIZE, [POUCH]: 6 }, orders };
}
