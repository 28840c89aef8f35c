import { plural } from "../values/quantity-units.ts";
import { federalCaution } from "./auxiliary-labels.ts";
import {
  americanDate,
  type DispensedItem,
  dashedNdc,
  dialled,
  discardAfter,
  type PharmacyFacts,
  unitsOf,
} from "./documents.ts";
import { genericFor, inUseLimit, lookOf, manufacturerOf } from "./product-facts.ts";
import { type LabelElement, labelRuleOf } from "./state-labels.ts";

/** What a label can say. Each gives the words as they are printed, or null if there is nothing to say. */
export const labelElements: Record<LabelElement, (pharmacy: PharmacyFacts, item: DispensedItem) => string | null> = {
  pharmacy_name: ({ name }) => name,
  pharmacy_address: ({ street, city, state, zip }) => `${street}, ${city}, ${state} ${zip}`,
  pharmacy_phone: ({ phone }) => `Tel ${dialled(phone)}`,
  pharmacy_license: ({ license }) => (license === "" ? null : `Lic. ${license}`),
  pharmacy_dea: ({ dea }, { drug_schedule }) => (drug_schedule === "0" ? null : `DEA ${dea}`),
  patient: (_, { patient }) => `${patient.first_name} ${patient.last_name}`,
  drug: (_, { drug_name }) => drug_name,
  directions: (_, { sig_text }) => sig_text,
  // A reason for treatment is private, so it is printed only where a state asks for it.
  purpose: (pharmacy, { purpose, state }) =>
    purpose !== null && [pharmacy.state, state].some((code) => labelRuleOf(code).elements.includes("purpose"))
      ? `For: ${purpose}`
      : null,
  rx_number: (_, { prescription_id }) => `Rx ${prescription_id}`,
  fill_date: (_, { filled_date }) => `Filled ${americanDate(filled_date)}`,
  first_fill_date: (_, { first_filled_date: first }) => (first === null ? null : `First filled ${americanDate(first)}`),
  quantity: (_, item) => `Qty ${amount(item)}`,
  days_supply: (_, { days_supply }) => (days_supply === null ? null : `${days_supply} days' supply`),
  refills: (_, { refills_left }) => `Refills left ${refills_left}`,
  prescriber: (_, { prescriber_name }) => `Prescriber ${prescriber_name}`,
  pharmacist: (_, { pharmacist_name }) => (pharmacist_name === null ? null : `RPh ${initials(pharmacist_name)}`),
  discard_after: (_, item) => `Discard after ${americanDate(discardAfter(item))}`,
  in_use_limit: (_, item) => inUseLimit(item),
  generic_for: (_, item) => genericFor(item),
  manufacturer: (_, item) => {
    const maker = manufacturerOf(item);
    return maker === null ? null : `Mfr ${maker}`;
  },
  description: (_, item) => lookOf(item),
  ndc: (_, { ndc }) => `NDC ${dashedNdc(ndc)}`,
  lot: (_, { lot }) => `Lot ${lot}`,
  lot_expiry: (_, { lot_expires_on }) => `Lot expires ${americanDate(lot_expires_on)}`,
  fill_number: (_, { dispense_id }) => `Fill ${dispense_id}`,
  prescribed_as: (_, { prescribed_as }) => (prescribed_as === null ? null : `Prescribed: ${prescribed_as}`),
  transfer_caution: (_, item) => federalCaution(item),
};

/** The words of some elements, without those that have nothing to say. */
export const elementTexts = (
  pharmacy: PharmacyFacts,
  item: DispensedItem,
  elements: readonly LabelElement[],
): string[] => elements.flatMap((element) => labelElements[element](pharmacy, item) ?? []);

/** "90 tablets (3 x 30)": with the packages if there are several. */
export function amount(item: DispensedItem): string {
  const units = unitsOf(item);
  const named = item.unit === null ? [] : [units === 1 ? item.unit : plural(item.unit)];
  const packages = item.quantity === 1 ? [] : [`(${item.quantity} x ${item.package_size})`];
  return [units, ...named, ...packages].join(" ");
}

/** "MT" for Mina Torres. */
const initials = (name: string) =>
  name
    .split(/[\s-]+/)
    .map((word) => Array.from(word)[0] ?? "")
    .join("");
