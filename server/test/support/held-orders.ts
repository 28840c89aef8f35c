import type { ExceptionId, exceptions, Order } from "@pestle/contract";
import type { IncomingPatient, IncomingPrescription } from "../../src/domain/intake/incoming-message.ts";
import { fillDue } from "../../src/usecases/intake/order-due-prescriptions.ts";
import { acted } from "./actions.ts";
import { type Given, type OrderBody, orderOf, placed, prescribed } from "./orders.ts";
import { addPatient, ask, goodAddress, person, stranger } from "./patient.ts";
import type { TestApp } from "./test-app.ts";
import { until } from "./tools/until.ts";

/** A held order and its owner. */
export type Held = Scene & { order: Order };
export type Scene = {
  app: TestApp;
  partner: number;
  patient_id: string;
  prescription_id: number;
  body: OrderBody;
  /** Another prescription of the same patient. */
  another(prescription?: Partial<IncomingPrescription>): Promise<number>;
};

/** A new patient with a prescription, and the smallest order for it. */
export async function scene(app: TestApp, given: Given = {}): Promise<Scene> {
  const { partner = 0, prescription = {} } = given;
  const patient: Partial<IncomingPatient> = { ...stranger(), ...given.patient };
  const added = await addPatient(app, { partner, patient, prescription });
  return {
    app,
    partner,
    ...added,
    body: orderOf(added, prescription.quantity?.value ?? 90),
    another: async (more = {}) => {
      const again = await addPatient(app, { partner, patient, prescription: { ...prescription, ...more } });
      if (again.patient_id !== added.patient_id) throw new Error("the same person was taken for two");
      return again.prescription_id;
    },
  };
}

const order = async (set: Scene, changes: Partial<OrderBody> = {}): Promise<Held> => {
  const { app, partner } = set;
  const body = { ...set.body, ...changes } as OrderBody;
  return { ...set, body, order: await placed(app, body, { partner }) };
};
const living = (place: Partial<NonNullable<IncomingPatient["address"]>>): Given => ({
  patient: { address: { ...person.address!, ...place } },
});
const allergic = (text: string) => [{ text, codes: [], reaction: null, severity: null }];

/** With any last name of the cast it is too long for a label. */
export const LONG_NAME = "Maximiliana-Theodora-Eulalia";
export const little_rock = {
  ...goodAddress,
  street1: "500 President Clinton Ave",
  street2: null,
  city: "Little Rock",
  state: "AR",
  zip: "72201",
};
const prescriber = { prescriber_name: "Ada Lindqvist", prescriber_phone: "4155550177" };
/**
 * An arriving prescription resolves exception 73, or becomes an order if no order waits for it. After that order is
 * canceled, an action can name the prescription.
 */
async function freed({ app, partner, prescription_id }: Scene): Promise<void> {
  await fillDue(app.deps, app.demo.partners[partner]!.account_id);
  const path = `/orders?prescription_id=${prescription_id}`;
  const made = async (): Promise<Order[]> => JSON.parse((await ask(app, path, undefined, { partner })).text).orders;
  await until(async () => (await made()).length === 1, "Automatic Processing made an order");
  await acted(app, (await made())[0]!, { event: "cancel" }, { partner });
}

/** Every exception, alone, raised on a new order by its own rule. */
export const held: Record<ExceptionId, (app: TestApp) => Promise<Held>> = {
  64: async (app) => {
    const free = await order(await scene(app));
    return { ...free, order: (await acted(app, free.order, { event: "hold" })).order };
  },
  65: async (app) => order(await scene(app, { patient: { email: null } })),
  66: async (app) => order(await scene(app, { patient: { address: null } })),
  67: async (app) =>
    order(await scene(app, { prescription: prescribed("sildenafil-50", 10) }), { address: little_rock }),
  68: async (app) => {
    const set = await scene(app);
    await order(set, { reference: "earlier" });
    return order(set);
  },
  69: async (app) => order(await scene(app, { prescription: { sig_text: "" } })),
  70: async (app) => {
    const set = await scene(app, { prescription: { daw: true } });
    return order(set, { items: [{ ...set.body.items[0], sku: "lipora-20" }] });
  },
  71: async (app) => {
    const set = await scene(app);
    return order(set, { patient: { ...set.body.patient, dob: "1957-03-09" } });
  },
  72: async (app) => {
    const set = await scene(app, { prescription: prescribed("sildenafil-50", 30, { refills: 5 }) });
    const [item] = set.body.items;
    return order(set, { items: [{ ...item, quantity: 3 }, item] });
  },
  73: async (app) => {
    const set = await scene(app, { partner: 1, prescription: prescribed("sertraline-50", 90) });
    await freed(set);
    return order(set, {
      items: [{ sku: "sertraline-50", package_size: 90, ...prescriber }, { sku: "pill-organizer" }],
    });
  },
  74: async (app) => {
    const prescription = prescribed("amoxicillin-500", 21, { allergies: allergic("penicillin") });
    return order(await scene(app, { prescription }));
  },
  75: async (app) => {
    const set = await scene(app, { prescription: prescribed("sertraline-50", 90) });
    const phenelzine = await set.another(prescribed("phenelzine-15", 60));
    return order(set, { items: [set.body.items[0], { prescription_id: phenelzine, package_size: 60 }] });
  },
  76: async (app) => {
    const set = await scene(app, { prescription: prescribed("minoxidil-2-5", 90) });
    return order(set, { items: [set.body.items[0], { sku: "pill-organizer" }] });
  },
  77: async (app) => order(await scene(app, living({ street1: "77 Thistledown Ave" }))),
  78: async (app) => order(await scene(app, living({ street1: "78 Thistledown Ave" }))),
  79: async (app) => order(await scene(app, { patient: { first_name: LONG_NAME } })),
  80: async (app) => order(await scene(app), { payment: { payer: "patient", token: "tok_declined" } }),
};

/** The fields with which each action closes each exception that offers it. A pair without a row does not compile. */
type Leave = (of: Held) => Record<string, unknown> | Promise<Record<string, unknown>>;
export const leaves: {
  [Id in ExceptionId]: Record<(typeof exceptions)[Id]["actions"][number], Leave>;
} = (() => {
  const nothing = () => ({});
  const elsewhere = () => ({ address: goodAddress });
  const cancel = nothing;
  return {
    64: { release: nothing, cancel },
    65: { update_email: () => ({ email: "new@quill.example" }), cancel },
    66: { update_address: elsewhere, cancel },
    67: { update_address: elsewhere, cancel },
    68: { confirm_not_duplicate: nothing, cancel },
    69: { replace_prescription: another({ sig_text: "Take one tablet by mouth daily." }), cancel },
    70: { verify: nothing, replace_prescription: another(prescribed("lipora-20", 90, { daw: true })), cancel },
    71: { verify: () => ({ dob: person.dob }), cancel },
    72: { verify: nothing, cancel },
    73: {
      replace_prescription: ({ prescription_id }) => ({ prescription_id }),
      remove_item: () => ({ item_id: 1 }),
      cancel,
    },
    74: { cancel },
    75: { cancel },
    76: { remove_item: () => ({ item_id: 1 }), cancel },
    77: { update_address: elsewhere, accept_suggested_address: nothing, confirm_address: nothing, cancel },
    78: { update_address: elsewhere, accept_suggested_address: nothing, confirm_address: nothing, cancel },
    79: { update_address: elsewhere, confirm_address: nothing, cancel },
    80: { retry_payment: () => ({ token: "tok_visa" }), cancel },
  };
})();

function another(prescription: Partial<IncomingPrescription>): Leave {
  return async (of) => ({ prescription_id: await of.another(prescription) });
}
