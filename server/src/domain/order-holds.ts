import type { ExceptionId } from "@pestle/contract";
import { addressHolds } from "./address/address-holds.ts";
import type { FormularyProduct } from "./formulary.ts";
import { isLicensed, isShort, type Judged, namesPrescriber } from "./order-checks.ts";
import { exact } from "./resolve-items.ts";

const LONGEST_SIG = 1_000;

/** Every reason to hold an order that the order itself tells, a row an exception, in the order of their numbers. */
export const orderHolds: { id: ExceptionId; holds(order: Judged): boolean }[] = [
  { id: 65, holds: ({ draft, patient }) => (draft.patient.contact.email ?? patient?.record.email ?? null) === null },
  { id: 66, holds: (it) => addressHoldsOf(it).includes(66) },
  { id: 67, holds: isStateBarred },
  { id: 68, holds: ({ items, pending }) => items.some((one) => isDoubled(one, pending)) },
  {
    id: 69,
    holds: ({ items }) =>
      items.some(
        ({ prescription }) =>
          prescription !== null && (prescription.sig_text.trim() === "" || prescription.sig_text.length > LONGEST_SIG),
      ),
  },
  {
    id: 70,
    holds: ({ items }) =>
      items.some(
        ({ prescription, product }) =>
          prescription?.daw === true && product !== null && product.ndc !== prescription.ndc,
      ),
  },
  {
    id: 71,
    holds: ({ draft, patient }) =>
      draft.patient.dob !== null && patient !== null && draft.patient.dob !== patient.record.dob,
  },
  {
    id: 72,
    holds: ({ items }) =>
      items.some(
        ({ units, product }) => !Number.isInteger(units) || (product && unitsOf(product, items) > product.max_units),
      ),
  },
  {
    id: 73,
    holds: ({ items }) =>
      items.some(
        ({ needs_prescription, prescription, draft }) =>
          needs_prescription && prescription === null && namesPrescriber(draft),
      ),
  },
  { id: 76, holds: (it) => it.items.some((one) => one.product?.back_orders === true && isShort(one, it)) },
  { id: 77, holds: (it) => addressHoldsOf(it).includes(77) },
  { id: 78, holds: (it) => addressHoldsOf(it).includes(78) },
  { id: 79, holds: (it) => addressHoldsOf(it).includes(79) },
];

export const holdsOf = (judged: Judged): ExceptionId[] =>
  orderHolds.filter(({ holds }) => holds(judged)).map(({ id }) => id);

/** An address of the request was judged before (42230): what is taken all the same raises neither 77 nor 78. */
function addressHoldsOf({ ship_to, name_characters }: Judged) {
  return addressHolds(ship_to.address, ship_to.from === "request" ? null : ship_to.verdict, name_characters);
}

function isStateBarred(it: Judged): boolean {
  const state = it.ship_to.address?.state;
  if (state === undefined) return false;
  if (it.items.some(({ product }) => product?.blocked_states.includes(state))) return true;
  return it.account.workflow === "automatic" && !isLicensed(it, state);
}

/** What all items of the order together take of a product. */
const unitsOf = ({ sku }: FormularyProduct, items: Judged["items"]): number =>
  exact(items.filter(({ product }) => product?.sku === sku).reduce((sum, { units }) => sum + units, 0));

/** The prescription, or the same medication for the same patient, is on its way already. */
export function isDoubled({ prescription, product }: Judged["items"][number], pending: Judged["pending"]): boolean {
  return pending.some(
    (one) =>
      (prescription !== null && one.prescription_id === prescription.prescription_id) ||
      (product?.gcn != null && one.gcn === product.gcn),
  );
}
