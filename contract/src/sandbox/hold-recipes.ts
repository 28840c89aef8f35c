import type { ExceptionId } from "../exceptions.ts";

/**
 * How a partner gets an exception in the sandbox: each request has the fields that matter, and the testing guide adds the
 * rest. A test types the guide's commands and compares the open exceptions.
 */
export type HoldRecipe = {
  /** The `simulation` of each prescription, all of one patient. */
  readonly prescriptions: readonly Readonly<Record<string, unknown>>[];
  /** What the order has beside or instead of the usual fields. `$RX` and `$RX1` are the last and the first prescription. */
  readonly order: string;
  /** The order is placed twice. */
  readonly twice?: true;
  /** An action after the order. */
  readonly action?: { readonly event: string };
  /** Only an account with Automatic Processing gets this exception so. */
  readonly automatic?: true;
};

const ordinary = { drug_name: "atorvastatin", refills_left: 3 };
const at = (address: object) => ({ ...ordinary, patient: { address } });

export const holdRecipes: Record<ExceptionId, HoldRecipe> = {
  64: { prescriptions: [ordinary], order: "{}", action: { event: "hold" } },
  65: { prescriptions: [{ ...ordinary, patient: { email: null } }], order: "{}" },
  66: { prescriptions: [{ ...ordinary, patient: { address: null } }], order: "{}" },
  67: { prescriptions: [{ drug_name: "sildenafil", patient: { address: { state: "AR" } } }], order: "{}" },
  68: { prescriptions: [ordinary], order: '{"reference":"the second one"}', twice: true },
  69: { prescriptions: [{ ...ordinary, sig_text: "" }], order: "{}" },
  70: {
    prescriptions: [{ ...ordinary, daw: true }],
    order: '{"items":[{"prescription_id":$RX,"sku":"lipora-20"}]}',
  },
  71: { prescriptions: [ordinary], order: '{"patient":{"dob":"1931-01-31"}}' },
  72: {
    prescriptions: [{ drug_name: "sildenafil", written_qty: 30, days_supply: 30, refills_left: 5 }],
    order:
      '{"items":[{"prescription_id":$RX,"quantity":3,"package_size":30},{"prescription_id":$RX,"package_size":30}]}',
  },
  73: {
    prescriptions: [ordinary],
    order:
      '{"items":[{"sku":"sertraline-50","package_size":90,"prescriber_name":"Ada Lindqvist","prescriber_phone":"4155550177"}]}',
    automatic: true,
  },
  74: { prescriptions: [{ drug_name: "amoxicillin", patient: { allergies: ["Penicillin"] } }], order: "{}" },
  75: {
    prescriptions: [{ drug_name: "sertraline" }, { drug_name: "phenelzine" }],
    order: '{"items":[{"prescription_id":$RX1},{"prescription_id":$RX}]}',
  },
  76: { prescriptions: [{ drug_name: "minoxidil" }], order: "{}" },
  77: { prescriptions: [at({ street1: "77 Larch St" })], order: "{}" },
  78: { prescriptions: [at({ street1: "78 Larch St" })], order: "{}" },
  79: {
    prescriptions: [
      { ...ordinary, patient: { first_name: "Maximiliana", last_name: "Featherstonehaugh-Cholmondeley" } },
    ],
    order: "{}",
  },
  80: { prescriptions: [ordinary], order: '{"payment":{"payer":"patient","token":"tok_declined"}}' },
};
