import type { ExceptionId, PortalSandbox } from "@pestle/contract";

type Preset = {
  title: string;
  description: string;
  /** The exception that holds its order; null if none. */
  exception_id: ExceptionId | null;
  /** A word of the product's name. Offered only if the formulary has such a product. */
  needs?: string;
  simulation: Readonly<Record<string, unknown>>;
};

/** Sample prescriptions, one per scenario. The sandbox invents the omitted fields again each time. */
export const sandboxPresets = {
  simple: {
    title: "An ordinary prescription",
    description: "A new patient without any problems. An order for it goes straight to the pharmacist.",
    exception_id: null,
    simulation: { refills_left: 3 },
  },
  missing_email: {
    title: "No email address",
    description: "The order is on hold until you send one.",
    exception_id: 65,
    simulation: { patient: { email: null } },
  },
  missing_address: {
    title: "No address",
    description: "The order is on hold until you send a shipping address.",
    exception_id: 66,
    simulation: { patient: { address: null } },
  },
  unclear_sig: {
    title: "No directions",
    description: "The order is on hold until the prescriber sends a new prescription.",
    exception_id: 69,
    simulation: { sig_text: "" },
  },
  allergy: {
    title: "An allergy",
    description: "Amoxicillin for a patient with a penicillin allergy: a pharmacist must decide.",
    exception_id: 74,
    needs: "amoxicillin",
    simulation: { drug_name: "amoxicillin", patient: { allergies: ["penicillin"] } },
  },
  back_order: {
    title: "Out of stock",
    description: "Minoxidil allows back orders: the order is on hold until stock arrives.",
    exception_id: 76,
    needs: "minoxidil",
    simulation: { drug_name: "minoxidil" },
  },
  invalid_address: {
    title: "An unknown address",
    description: "The order is on hold. The sandbox suggests another house number.",
    exception_id: 77,
    simulation: { patient: { address: { street1: "77 Larch St" } } },
  },
  missing_unit: {
    title: "An address without an apartment number",
    description: "The order is on hold. The sandbox suggests a unit.",
    exception_id: 78,
    simulation: { patient: { address: { street1: "78 Larch St" } } },
  },
  long_name: {
    title: "A name too long for a label",
    description: "The order is on hold until you shorten the name or confirm it.",
    exception_id: 79,
    simulation: { patient: { first_name: "Maximiliana Wilhelmina", last_name: "Featherstonehaugh-Cholmondeley" } },
  },
  controlled: {
    title: "A controlled substance",
    description: "Needs an identity document with the order, and ships with signature confirmation.",
    exception_id: null,
    simulation: { drug_schedule: "4" },
  },
  cold_chain: {
    title: "A cold-chain product",
    description: "Semaglutide ships only overnight.",
    exception_id: null,
    needs: "semaglutide",
    simulation: { drug_name: "semaglutide" },
  },
  canceled: {
    title: "Canceled immediately",
    description: "The prescriber has canceled it: the API rejects an order for it.",
    exception_id: null,
    simulation: { active: false },
  },
} as const satisfies Record<string, Preset>;

export type SandboxPreset = keyof typeof sandboxPresets;
const presetNames = Object.keys(sandboxPresets) as SandboxPreset[];
export const isSandboxPreset = (name: unknown): name is SandboxPreset =>
  typeof name === "string" && Object.hasOwn(sandboxPresets, name);

/** The presets that these products support. */
export function presetsFor(product_names: readonly string[]): PortalSandbox["presets"] {
  const names = product_names.map((name) => name.toLowerCase());
  return presetNames.flatMap((preset) => {
    const { title, description, exception_id, needs }: Preset = sandboxPresets[preset];
    const told = needs === undefined || names.some((name) => name.includes(needs));
    return told ? [{ preset, title, description, exception_id }] : [];
  });
}
