import type {
  IdentityDocument,
  MedicationRequest,
  Order,
  Patient,
  PatientAddress,
  Quote,
  TriedOrder,
} from "../resources.ts";

/** The shipping address of the example records. */
export const shipTo = {
  first_name: "Rosa",
  last_name: "Quill",
  street1: "2210 Mission St",
  street2: "Apt 5",
  city: "San Francisco",
  state: "CA",
  zip: "94110",
  phone: "4155550134",
};

export const patientAddress: PatientAddress = { address_id: 1, ...shipTo, default: true };

export const identityDocument: IdentityDocument = {
  id: 1,
  type: "DL",
  issuing_country: "US",
  issuing_state: "CA",
  number: "****4821",
  expiration_date: "2029-03-31",
};

export const patient: Patient = {
  patient_id: "ay87nt",
  email: "rosa.quill@mail.example",
  first_name: "Rosa",
  last_name: "Quill",
  dob: "1984-06-02",
  gender: "F",
  phone: "4155550134",
  patient_safety: {
    medications: ["lisinopril"],
    health_conditions: [],
    allergies: ["penicillin"],
    allergies_status: "listed",
    medications_status: "listed",
    conditions_status: "not_asked",
    entries: [
      {
        entry_id: 1,
        kind: "allergy",
        text: "penicillin",
        source: "prescriber",
        recorded_at: "2026-11-15T08:30:00.000Z",
      },
      {
        entry_id: 2,
        kind: "medication",
        text: "lisinopril",
        source: "partner",
        recorded_at: "2026-11-15T09:02:11.000Z",
      },
    ],
  },
  addresses: [patientAddress],
  identity_documents: [identityDocument],
  messaging: { email: true, sms: false, consented_at: "2026-11-15T08:58:00.000Z", language: "en" },
  created_at: "2026-11-15T08:30:00.000Z",
  updated_at: "2026-11-15T09:02:11.000Z",
};

/** As received. */
export const prescription: MedicationRequest = {
  id: 183601,
  prescription_id: 183601,
  active: true,
  patient_id: "ay87nt",
  prescriber_name: "Ada Lindqvist",
  prescriber_phone: "4155550177",
  prescriber_fax: null,
  receive_date: "2026-11-15T08:30:00.000Z",
  expire_date: "2027-11-15T05:00:00.000Z",
  written_date: "2026-11-14",
  effective_date: "2026-11-14",
  drug_name: "Atorvastatin 20 mg tablet",
  ndc: "70999010130",
  gcn: "90101",
  sig_text: "Take one tablet by mouth daily.",
  written_qty: 90,
  days_supply: 90,
  refills_left: 3,
  drug_schedule: "0",
  daw: false,
  acceptance: "not_needed",
  fillable: true,
  not_fillable: [],
  medication_dispenses: [],
};

const dispense: MedicationRequest["medication_dispenses"][number] = {
  dispense_id: 500001,
  order_number: "7K2M9XQ4TB",
  order_status: "Processing",
  ndc: "70999010130",
  quantity: 1,
  package_size: 90,
  shipment: null,
};
export const orderedPrescription: MedicationRequest = {
  ...prescription,
  refills_left: 2,
  medication_dispenses: [dispense],
};
export const shippedPrescription: MedicationRequest = {
  ...orderedPrescription,
  medication_dispenses: [
    {
      ...dispense,
      order_status: "Shipped",
      shipment: {
        tracking_no: "9400110200881234567890",
        tracking_url: "https://carrier.example/track/9400110200881234567890",
        carrier: "USPS",
        method: "Standard Mail",
        status: "label_created",
        shipped_at: "2026-11-16T15:20:00.000Z",
        delivered_at: null,
      },
    },
  ],
};

export const order: Order = {
  order_number: "7K2M9XQ4TB",
  order_status: "Processing",
  patient_id: "ay87nt",
  brand_id: 1,
  reference: "inv-20931",
  workflow: "api_driven",
  created_at: "2026-11-15T09:10:00.000Z",
  updated_at: "2026-11-15T09:10:00.000Z",
  shipping: { method_id: 1, carrier: "USPS", signature_confirmation: false },
  address: shipTo,
  items: [
    {
      item_id: 1,
      prescription_id: 183601,
      sku: "atorvastatin-20",
      ndc: "70999010130",
      quantity: 1,
      package_size: 90,
      dispense_id: 500001,
    },
  ],
  medication_requests: [orderedPrescription],
  shipments: [],
  exception: null,
  exceptions: [],
  payment: { payer: "partner", status: "authorized", amount_cents: 1695, currency: "USD", refunded_cents: 0 },
};

export const triedOrder: TriedOrder = {
  ...order,
  order_number: null,
  medication_requests: [{ ...orderedPrescription, medication_dispenses: [{ ...dispense, order_number: null }] }],
};

/** Ordered on a Sunday, and shipped by a method that takes up to five business days. */
export const quote: Quote = {
  items: [{ item_id: 1, price_cents: 1100, in_stock: true }],
  shipping_cents: 595,
  total_cents: 1695,
  currency: "USD",
  ships_by: "2026-11-16",
  arrives_by: "2026-11-23",
};
