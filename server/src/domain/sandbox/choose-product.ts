import type { Product } from "@pestle/contract";
import { plainWords } from "../patients/patient-record.ts";
import type { SimulatedPrescription } from "./simulated-prescription.ts";

/** A product as the catalogue offers it. `blocked_states` is absent for callers that cannot see it. */
export type Offered = Pick<
  Product,
  | "sku"
  | "ndc"
  | "gcn"
  | "name"
  | "rx_only"
  | "drug_schedule"
  | "package_sizes"
  | "written_quantities"
  | "shipping_method_ids"
  | "in_stock"
> & { blocked_states?: readonly string[] };

/**
 * Chooses the product of a simulated prescription: the one it names, or one that can be ordered without a hold. Null:
 * the catalogue does not have the named one.
 */
export function chooseProduct(
  number: number,
  simulated: SimulatedPrescription,
  world: { products: readonly Offered[]; default_method_id: number | null },
  state: string | null,
): (Offered & { usual_quantity: number }) | null {
  const { ndc, gcn, drug_name, drug_schedule = "0", written_qty } = simulated;
  const all = world.products.filter(({ rx_only }) => rx_only).sort((a, b) => (a.sku < b.sku ? -1 : 1));
  const named =
    ndc !== undefined
      ? all.filter((product) => product.ndc !== null && product.ndc === ndc)
      : gcn != null
        ? all.filter((product) => product.gcn === gcn)
        : drug_name !== undefined
          ? byName(all, drug_name)
          : undefined;
  if (named !== undefined) return withQuantity(narrowed(named, [({ in_stock }) => in_stock])[0], written_qty);
  const scheduled = all.filter((product) => product.drug_schedule === drug_schedule);
  // If no product has that schedule, nothing stricter than requested is allowed.
  const fitting = narrowed(scheduled.length > 0 ? scheduled : all, [
    (product) => scheduled.length > 0 || product.drug_schedule === "0",
    ({ in_stock }) => in_stock,
    ({ written_quantities }) => written_qty === undefined || written_quantities.includes(written_qty),
    ({ shipping_method_ids }) => shipping_method_ids.some((id) => id === world.default_method_id),
    ({ blocked_states = [] }) => state === null || !blocked_states.includes(state),
  ]);
  return withQuantity(fitting[number % fitting.length], written_qty);
}

/** Skips a preference that no product fulfills. */
const narrowed = (products: readonly Offered[], wishes: readonly ((product: Offered) => boolean)[]) =>
  wishes.reduce((left, wish) => (left.some(wish) ? left.filter(wish) : left), products);

/** By full name, else by all given words, shortest name first, so that "atorvastatin" does not match the brand. */
function byName(products: readonly Offered[], drug_name: string): Offered[] {
  const wanted = plainWords(drug_name);
  const exact = products.filter(({ name }) => plainWords(name) === wanted);
  if (exact.length > 0) return exact;
  const words = wanted.split(" ");
  return products
    .filter(({ name }) => {
      const own = plainWords(name).split(" ");
      return words.every((word) => own.includes(word));
    })
    .sort((a, b) => a.name.length - b.name.length);
}

const A_MONTH = 30;

/** Chooses a quantity that is offered both as written and as one package, if possible for a month. */
function withQuantity(product: Offered | undefined, written_qty: number | undefined) {
  if (product === undefined) return null;
  const { written_quantities, package_sizes } = product;
  const offered = narrowedNumbers(written_quantities, package_sizes);
  const usual_quantity = written_qty ?? (offered.includes(A_MONTH) ? A_MONTH : Math.min(...offered));
  return { ...product, usual_quantity };
}

const narrowedNumbers = (numbers: readonly number[], others: readonly number[]) => {
  const both = numbers.filter((one) => others.includes(one));
  return both.length > 0 ? both : numbers;
};
