import type { ExceptionId, PortalSandbox } from "@pestle/contract";

type Preset = {
  title: string;
  description: string;
  /** What holds an order for it; null where nothing does. */
  exception_id: ExceptionId | null;
  /** A word of the product's name: offered only where the formulary has such a product. */
  needs?: string;
  simulation: Readonly<Record<string, unknown>>;
};

/** Prescriptions to begin with, each for one story; what they leave out is invented anew every time. */
export const sandboxPresets = {
  simple: {
    title: "A prescription like any other",
    description: "A new patient, everything in order. An order for it goes straight to the pharmacist.",
    exception_id: null,
    simulation: { refills_left: 3 },
  },
  missing_email: {
    title: "No email address",
    description: "The order is held until you send one.",
    exception_id: 65,
    simulation: { patient: { email: null } },
  },
  missing_address: {
    title: "No address",
    description: "The order is held until you say where it goes.",
    exception_id: 66,
    simulation: { patient: { address: null } },
  },
  unclear_sig: {
    title: "No directions",
    description: "The order is held until the prescriber sends a new prescription.",
    exception_id: 69,
    simulation: { sig_text: "" },
  },
  allergy: {
    title: "An allergy",
    description: "Amoxicillin for somebody who is allergic to penicillin: a pharmacist has to decide.",
    exception_id: 74,
    needs: "amoxicillin",
    simulation: { drug_name: "amoxicillin", patient: { allergies: ["penicillin"] } },
  },
  back_order: {
    title: "Out of stock",
    description: "Minoxidil takes back orders: the order waits for the shelf to be filled.",
    exception_id: 76,
    needs: "minoxidil",
    simulation: { drug_name: "minoxidil" },
  },
  invalid_address: {
    title: "An address nobody knows",
    description: "The order is held; another house number is suggested.",
    exception_id: 77,
    simulation: { patient: { address: { street1: "77 Larch St" } } },
  },
  missing_unit: {
    title: "An address without its apartment",
    description: "The order is held; a unit is suggested.",
    exception_id: 78,
    simulation: { patient: { address: { street1: "78 Larch St" } } },
  },
  long_name: {
    title: "A name longer than a label",
    description: "The order is held until you shorten the name or confirm it.",
    exception_id: 79,
    simulation: { patient: { first_name: "Maximiliana Wilhelmina", last_name: "Featherstonehaugh-Cholmondeley" } },
  },
  controlled: {
    title: "A controlled substance",
    description: "Needs an identity document with the order, and ships with a signature.",
    exception_id: null,
    simulation: { drug_schedule: "4" },
  },
  cold_chain: {
    title: "Kept cold on its way",
    description: "Semaglutide ships overnight, and by no other method.",
    exception_id: null,
    needs: "semaglutide",
    simulation: { drug_name: "semaglutide" },
  },
  canceled: {
    title: "Taken back at once",
    description: "The prescriber has canceled it: an order for it is refused.",
    exception_id: null,
    simulation: { active: false },
  },
} as const satisfies Record<string, Preset>;

export type SandboxPreset = keyof typeof sandboxPresets;
const presetNames = Object.keys(sandboxPresets) as SandboxPreset[];
export const isSandboxPreset = (name: unknown): name is SandboxPreset =>
  typeof name === "string" && Object.hasOwn(sandboxPresets, name);

/** Those that can be told with these products. */
export function presetsFor(product_names: readonly string[]): PortalSandbox["presets"] {
  const names = product_names.map((name) => name.toLowerCase());
  return presetNames.flatMap((preset) => {
    const { title, description, exception_id, needs }: Preset = sandboxPresets[preset];
    const told = needs === undefined || names.some((name) => name.includes(needs));
    return told ? [{ preset, title, description, exception_id }] : [];
  });
}
