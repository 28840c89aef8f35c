import type { PersonLicense } from "@pestle/contract";
import type { BrandRow, LicenceRow, ProductRow, ShippingMethodRow } from "../db/catalogue/catalogue-rows.ts";
import type { NewPartner } from "../usecases/accounts/create-partner.ts";

/** The fictional cast of the demo, the tests, the screenshots and the documentation. */

export const operator = { email: "night.lead@larkspur-pharmacy.example", name: "Noor Haddad", role: "admin" };

type CastPerson = { email: string; name: string; role: "technician" | "pharmacist" } & Partial<PersonLicense>;

/**
 * The people who work on orders. The operator is an admin and not a pharmacist. There are two pharmacists, because the
 * person who filled an order cannot check it.
 */
export const people = (today: Date): CastPerson[] => {
  // Long enough for every demo.
  const license_expires_on = `${today.getUTCFullYear() + 20}-12-31`;
  return [
    { email: "idris.vale@larkspur-pharmacy.example", name: "Idris Vale", role: "technician" },
    {
      email: "mina.torres@larkspur-pharmacy.example",
      name: "Mina Torres",
      role: "pharmacist",
      license_number: "RPH-40117",
      license_state: "CA",
      license_expires_on,
      npi: "1999000171",
    },
    {
      email: "owen.achter@larkspur-pharmacy.example",
      name: "Owen Achter",
      role: "pharmacist",
      license_number: "RPH-40125",
      license_state: "CA",
      license_expires_on,
      npi: "1999000254",
    },
  ];
};

export type CastPartner = NewPartner & { portal: { email: string; name: string } };

/** Two sandbox partners first, one for each workflow, then one in production. */
export const partners: CastPartner[] = [
  {
    name: "Willow Telehealth",
    environment: "sandbox",
    workflow: "api_driven",
    ncpdp_id: "9900017",
    custom_labels: true,
    portal: { email: "dev@willow-telehealth.example", name: "Sam Okafor" },
  },
  {
    name: "Juniper Care",
    environment: "sandbox",
    workflow: "automatic",
    ncpdp_id: "9900025",
    portal: { email: "dev@juniper-care.example", name: "Ines Duarte" },
  },
  {
    name: "Harbor Health",
    environment: "production",
    workflow: "api_driven",
    ncpdp_id: "9900033",
    portal: { email: "dev@harbor-health.example", name: "Pim Visser" },
  },
];

export const brands: BrandRow[] = [
  { id: 1, name: "Larkspur", default: true },
  { id: 2, name: "Larkspur Calm", default: false },
];

const method = (
  id: number,
  name: string,
  carrier: string,
  service: string,
  [transit_days_min, transit_days_max]: [number, number],
  price_cents: number,
  can: { signature?: true; po_box?: true; cold_chain?: true; default?: true },
): ShippingMethodRow => ({
  id,
  name,
  carrier,
  service,
  signature_confirmation: can.signature ?? false,
  po_box: can.po_box ?? false,
  cold_chain: can.cold_chain ?? false,
  price_cents,
  transit_days_min,
  transit_days_max,
  default: can.default ?? false,
});

export const shippingMethods: ShippingMethodRow[] = [
  method(1, "Standard Mail", "USPS", "Ground Advantage", [3, 5], 495, { signature: true, po_box: true, default: true }),
  // Supports neither PO boxes nor signatures, so that partners can test both refusals.
  method(2, "Economy Parcel", "UPS", "Ground Saver", [4, 7], 395, {}),
  method(3, "Two Day", "FedEx", "2Day", [2, 2], 1295, { signature: true }),
  method(4, "Cold Overnight", "FedEx", "Priority Overnight", [1, 1], 3495, { signature: true, cold_chain: true }),
];

const ALL_METHODS = [1, 2, 3, 4];
const COLD_ONLY = [4];
const SIGNED = [1, 3, 4];

type CastProduct = ProductRow & { on_hand_units: number };

const product = (row: Partial<CastProduct> & Pick<CastProduct, "sku" | "name">): CastProduct => ({
  ndc: null,
  gcn: null,
  ingredients: [],
  rx_only: row.ndc !== undefined,
  drug_schedule: "0",
  package_sizes: [30, 60, 90],
  quantities: [1, 2, 3],
  written_quantities: [30, 60, 90],
  max_units: 360,
  shipping_method_ids: ALL_METHODS,
  blocked_states: [],
  cold_chain: false,
  price_cents: 1200,
  back_orders: false,
  is_drug: true,
  on_hand_units: 100_000,
  ...row,
});

/** One product for every case to try. The labeler 70999 and all GCNs are fictional. */
export const products: CastProduct[] = [
  product({
    sku: "atorvastatin-20",
    ndc: "70999010130",
    gcn: "90101",
    name: "Atorvastatin 20 mg tablet",
    ingredients: ["atorvastatin"],
  }),
  product({
    sku: "lipora-20",
    ndc: "70999010230",
    gcn: "90101",
    name: "Lipora (atorvastatin) 20 mg tablet",
    ingredients: ["atorvastatin"],
    price_cents: 18900,
  }),
  product({
    sku: "sertraline-50",
    ndc: "70999020130",
    gcn: "90201",
    name: "Sertraline 50 mg tablet",
    ingredients: ["sertraline"],
  }),
  product({
    sku: "phenelzine-15",
    ndc: "70999020260",
    gcn: "90202",
    name: "Phenelzine 15 mg tablet",
    ingredients: ["phenelzine"],
    price_cents: 5400,
  }),
  product({
    sku: "amoxicillin-500",
    ndc: "70999030121",
    gcn: "90301",
    name: "Amoxicillin 500 mg capsule",
    ingredients: ["amoxicillin"],
    package_sizes: [20, 21, 30],
    written_quantities: [20, 21, 30],
    max_units: 90,
  }),
  product({
    sku: "finasteride-1",
    ndc: "70999040130",
    gcn: "90401",
    name: "Finasteride 1 mg tablet",
    ingredients: ["finasteride"],
  }),
  product({
    sku: "sildenafil-50",
    ndc: "70999050110",
    gcn: "90501",
    name: "Sildenafil 50 mg tablet",
    ingredients: ["sildenafil"],
    package_sizes: [6, 10, 30],
    written_quantities: [6, 10, 30],
    max_units: 90,
    blocked_states: ["AR"],
  }),
  product({
    sku: "semaglutide-pen",
    ndc: "70999060101",
    gcn: "90601",
    name: "Semaglutide 2 mg/3 mL pen",
    ingredients: ["semaglutide"],
    package_sizes: [3],
    quantities: [1, 2, 3],
    written_quantities: [3, 9],
    max_units: 9,
    shipping_method_ids: COLD_ONLY,
    cold_chain: true,
    price_cents: 89900,
  }),
  product({
    sku: "dextroamphetamine-10",
    ndc: "70999070130",
    gcn: "90701",
    name: "Dextroamphetamine 10 mg tablet",
    ingredients: ["dextroamphetamine"],
    drug_schedule: "2",
    package_sizes: [30, 60],
    written_quantities: [30, 60],
    max_units: 60,
    shipping_method_ids: SIGNED,
  }),
  product({
    sku: "zolpidem-5",
    ndc: "70999080130",
    gcn: "90801",
    name: "Zolpidem 5 mg tablet",
    ingredients: ["zolpidem"],
    drug_schedule: "4",
    package_sizes: [30],
    written_quantities: [30],
    max_units: 30,
    shipping_method_ids: SIGNED,
  }),
  product({
    sku: "tretinoin-025",
    ndc: "70999090145",
    gcn: "90901",
    name: "Tretinoin 0.025 % cream",
    ingredients: ["tretinoin"],
    package_sizes: [45],
    written_quantities: [45],
    on_hand_units: 0,
  }),
  product({
    sku: "minoxidil-2-5",
    ndc: "70999100130",
    gcn: "91001",
    name: "Minoxidil 2.5 mg tablet",
    ingredients: ["minoxidil"],
    on_hand_units: 0,
    back_orders: true,
  }),
  product({
    sku: "packaging-pouch",
    name: "Discreet packaging pouch",
    package_sizes: [1],
    quantities: [1, 2],
    written_quantities: [1],
    max_units: 2,
    price_cents: 150,
    is_drug: false,
  }),
  product({
    sku: "pill-organizer",
    name: "Weekly pill organizer",
    package_sizes: [1],
    quantities: [1, 2, 3],
    written_quantities: [1],
    max_units: 3,
    price_cents: 899,
    is_drug: false,
  }),
];

const LICENSED =
  "AL AR AZ CA CO CT DC DE FL GA IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV NY OH OK OR PA RI SC SD TN TX UT VA VT WA WI WV WY";

/** Omits Alaska, Hawaii and the territories, so that partners can test a state without a license. */
export function licences(today: Date): LicenceRow[] {
  const year = today.getUTCFullYear();
  return LICENSED.split(" ").map((state, index) => ({
    state,
    number: `NR-${state}-${String(4100 + index)}`,
    status: "active",
    valid_from: `${year - 2}-01-01`,
    // Long enough for a sandbox clock that simulates years of refills.
    valid_to: `${year + 120}-12-31`,
  }));
}
