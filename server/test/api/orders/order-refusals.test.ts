import { type ErrorCode, endpoints, errors, MOST_CODES } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codesOf } from "../../support/conventions.ts";
import {
  footprint,
  type Given,
  newOrder,
  type OrderBody,
  orderOf,
  placed,
  post,
  prescribed,
} from "../../support/orders.ts";
import { addPatient, goodAddress, goodDocument, patientCalls, person, stranger } from "../../support/patient.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

type Scene = Awaited<ReturnType<typeof newOrder>>;
type Change = (body: OrderBody, scene: Scene) => unknown;
/** The smallest change to a valid order that gets this code, and no other. */
type Fixture = {
  why: string;
  fields: string[];
  given?: Given;
  before?: (scene: Scene) => Promise<unknown>;
  change: Change;
};

const same: Change = (body) => body;
const order =
  (changes: Record<string, unknown>): Change =>
  (body) => ({ ...body, ...changes });
const shipping =
  (changes: Record<string, unknown>): Change =>
  (body) => ({ ...body, shipping: { ...body.shipping, ...changes } });
const patient =
  (changes: Record<string, unknown>): Change =>
  (body) => ({ ...body, patient: { ...body.patient, ...changes } });
const item =
  (changes: Record<string, unknown>): Change =>
  (body) => ({ ...body, items: [{ ...body.items[0], ...changes }] });
const address = (changes: Record<string, unknown>): Change => order({ address: { ...goodAddress, ...changes } });
const document = (changes: Record<string, unknown>): Change =>
  patient({ identity_documents: [{ ...goodDocument, ...changes }] });

const base64 = (text: string) => Buffer.from(text, "latin1").toString("base64");
const label = { format: "ZPL", data: base64("^XA^FO20,20^FDparcel^FS^XZ") };
const honolulu = { street1: "1450 Ala Moana Blvd", street2: null, city: "Honolulu", state: "HI", zip: "96814" };
const po_box = { street1: "PO Box 1204", street2: null, city: "San Francisco", state: "CA", zip: "94110" };
const stimulant: Given = { prescription: prescribed("dextroamphetamine-10", 30, { refills: 0 }) };
const inTheUnitedStates = (place: typeof honolulu): Given => ({ patient: { address: { ...place, country: "US" } } });
const unknownDrug = { description: "Nimbustatin 5 mg tablet", strength: null, schedule: "0" as const };
const days = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString().slice(0, 10);
const inDatabase = (set: string) => (scene: Scene) =>
  app.deps.db.raw(`update prescription set ${set} where prescription_id = $1`, [scene.prescription_id]);

const fixtures: { [Code in ErrorCode]?: Fixture[] } = {
  42200: [
    ...(
      [
        ["a misspelt field", order({ adress: goodAddress }), "adress"],
        ["one of shipping", shipping({ methodid: 1 }), "shipping.methodid"],
        ["one of a label", shipping({ label: { ...label, size: 4 } }), "shipping.label.size"],
        ["one of the patient", patient({ emial: "a@quill.example" }), "patient.emial"],
        ["one of a document", document({ expires: "2099-01-01" }), "patient.identity_documents[0].expires"],
        ["one of the safety lists", patient({ patient_safety: { alergies: [] } }), "patient.patient_safety.alergies"],
        ["one of the address", address({ zipcode: "94110" }), "address.zipcode"],
        ["one of an item", item({ qty: 1 }), "items[0].qty"],
        ["one of the payment", order({ payment: { card: "4111" } }), "payment.card"],
        ["a prototype", order(JSON.parse('{"__proto__": {}}')), "__proto__"],
        ["no items", order({ items: undefined }), "items"],
        ["an empty list of items", order({ items: [] }), "items"],
        ["more items than an order holds", order({ items: Array(51).fill({ sku: "packaging-pouch" }) }), "items"],
        ["an invalid item", order({ items: ["packaging-pouch"] }), "items[0]"],
        ["a reference over 255 characters", order({ reference: "r".repeat(256) }), "reference"],
        ["a birth date that no calendar has", patient({ dob: "1957-02-30" }), "patient.dob"],
        ["an unknown payer", order({ payment: { payer: "insurance" } }), "payment.payer"],
        ["a patient who pays with nothing", order({ payment: { payer: "patient" } }), "payment.token"],
        ["an invalid second address line", address({ street2: 5 }), "address.street2"],
        ["an invalid flag", address({ ignore_warnings: "yes" }), "address.ignore_warnings"],
      ] as const
    ).map(([why, change, field]): Fixture => ({ why, change, fields: [field] })),
    {
      why: "more documents than a patient can have",
      before: async ({ patient_id }) => {
        for (let i = 0; i < 20; i++) {
          await patientCalls(app, patient_id).addDocument({ ...goodDocument, number: `D-${i}` });
        }
      },
      change: document({}),
      fields: ["patient.identity_documents"],
    },
  ],
  42201: [{ why: "no host", change: patient({ email: "rosa@" }), fields: ["patient.email"] }],
  42202: [{ why: "a digit", change: patient({ first_name: "R0sa" }), fields: ["patient.first_name"] }],
  42203: [{ why: "empty", change: patient({ last_name: "" }), fields: ["patient.last_name"] }],
  42204: [{ why: "not of North America", change: patient({ phone: "+44 20 7946 0958" }), fields: ["patient.phone"] }],
  42205: [{ why: "an unknown code", change: patient({ gender: "X" }), fields: ["patient.gender"] }],
  42206: [
    { why: "no patient", change: order({ patient: undefined }), fields: ["patient.patient_id"] },
    { why: "absent", change: patient({ patient_id: undefined }), fields: ["patient.patient_id"] },
    { why: "unknown", change: patient({ patient_id: "nobody-here" }), fields: ["patient.patient_id"] },
    {
      why: "unknown, with an item that needs a document",
      given: stimulant,
      change: patient({ patient_id: "nobody-here" }),
      fields: ["patient.patient_id"],
    },
    {
      why: "another account's",
      change: (body) => ({ ...body, patient: { patient_id: theirs.patient_id } }),
      fields: ["patient.patient_id"],
    },
  ],
  42208: [
    { why: "a stimulant, and no document", given: stimulant, change: same, fields: ["patient.identity_documents"] },
    {
      why: "schedule 4",
      given: { prescription: prescribed("zolpidem-5", 30, { refills: 0 }) },
      change: same,
      fields: ["patient.identity_documents"],
    },
    {
      why: "the document on file has run out",
      given: stimulant,
      before: async ({ patient_id }) => {
        await patientCalls(app, patient_id).addDocument({ ...goodDocument, expiration_date: days(1) });
        await post(
          app,
          { simulation_type: "clock", simulation: { advance_seconds: 3 * 86_400 } },
          { path: "/simulate" },
        );
      },
      change: same,
      fields: ["patient.identity_documents"],
    },
    {
      why: "no list",
      change: patient({ identity_documents: "D7712-4821" }),
      fields: ["patient.identity_documents"],
    },
  ],
  42216: [{ why: "unknown", change: document({ type: "XX" }), fields: ["patient.identity_documents[0].type"] }],
  42217: [
    {
      why: "three letters",
      change: document({ issuing_country: "USA" }),
      fields: ["patient.identity_documents[0].issuing_country"],
    },
  ],
  42218: [
    {
      why: "a driving licence of no state",
      change: document({ issuing_state: undefined }),
      fields: ["patient.identity_documents[0].issuing_state"],
    },
    {
      why: "no state",
      change: document({ issuing_state: "ZZ" }),
      fields: ["patient.identity_documents[0].issuing_state"],
    },
  ],
  42219: [
    { why: "missing", change: document({ number: undefined }), fields: ["patient.identity_documents[0].number"] },
    {
      why: "of a document that is needed",
      given: stimulant,
      change: document({ number: "" }),
      fields: ["patient.identity_documents[0].number"],
    },
  ],
  42220: [
    {
      why: "past",
      change: document({ expiration_date: "2020-01-01" }),
      fields: ["patient.identity_documents[0].expiration_date"],
    },
    {
      why: "past, of a document that is needed",
      given: stimulant,
      change: document({ expiration_date: "2020-01-01" }),
      fields: ["patient.identity_documents[0].expiration_date"],
    },
  ],
  42221: [{ why: "empty", change: address({ first_name: "" }), fields: ["address.first_name"] }],
  42222: [{ why: "missing", change: address({ last_name: undefined }), fields: ["address.last_name"] }],
  42223: [{ why: "missing", change: address({ street1: undefined }), fields: ["address.street1"] }],
  42225: [{ why: "digits", change: address({ city: "94110" }), fields: ["address.city"] }],
  42226: [{ why: "spelt out", change: address({ state: "California" }), fields: ["address.state"] }],
  42227: [
    { why: "four digits", change: address({ zip: "9411" }), fields: ["address.zip"] },
    { why: "of no place", change: address({ zip: "00000" }), fields: ["address.zip"] },
    { why: "of another state", change: address({ zip: "10001" }), fields: ["address.zip"] },
  ],
  42230: [
    { why: "unknown to the validator", change: address({ street1: "77 Mission St" }), fields: ["address", "address"] },
    {
      why: "its unit is missing",
      change: address({ street1: "78 Mission St", street2: null }),
      fields: ["address", "address"],
    },
    { why: "no address at all", change: order({ address: "2210 Mission St" }), fields: ["address"] },
  ],
  42231: [
    { why: "sent", change: address(honolulu), fields: ["address.state"] },
    {
      why: "sent, and taken as it is",
      change: address({ ...honolulu, ignore_warnings: true }),
      fields: ["address.state"],
    },
    { why: "the prescription's", given: inTheUnitedStates(honolulu), change: same, fields: ["address.state"] },
    {
      why: "the patient's",
      given: { patient: { address: null } },
      before: ({ patient_id }) => patientCalls(app, patient_id).addAddress({ ...goodAddress, ...honolulu }),
      change: same,
      fields: ["address.state"],
    },
  ],
  42241: [
    { why: "of no product", change: item({ ndc: "70999-9999-99" }), fields: ["items[0].ndc"] },
    { why: "malformed", change: item({ ndc: "7099901013" + "x" }), fields: ["items[0].ndc"] },
    {
      why: "of another product than the SKU, which has no prescription to be compared with",
      change: order({ items: [{ sku: "packaging-pouch", ndc: "70999010130" }] }),
      fields: ["items[0].ndc"],
    },
  ],
  42242: [
    { why: "not offered", change: item({ quantity: 4 }), fields: ["items[0].quantity"] },
    { why: "not offered, and more than is written", change: item({ quantity: 999 }), fields: ["items[0].quantity"] },
    {
      why: "of an OTC product",
      change: order({ items: [{ sku: "packaging-pouch", quantity: 3 }] }),
      fields: ["items[0].quantity"],
    },
  ],
  42243: [{ why: "no letter", change: item({ prescriber_name: "-" }), fields: ["items[0].prescriber_name"] }],
  42244: [{ why: "too short", change: item({ prescriber_phone: "555" }), fields: ["items[0].prescriber_phone"] }],
  42245: [{ why: "too short", change: item({ prescriber_fax: "555" }), fields: ["items[0].prescriber_fax"] }],
  42246: [
    { why: "of no product", change: item({ gcn: "99999" }), fields: ["items[0].gcn"] },
    {
      why: "of another product than the SKU, which has no prescription to be compared with",
      change: order({ items: [{ sku: "packaging-pouch", gcn: "90101" }] }),
      fields: ["items[0].gcn"],
    },
  ],
  42247: [
    { why: "not offered", change: item({ package_size: 45 }), fields: ["items[0].package_size"] },
    {
      why: "not offered, and more than is written",
      given: { prescription: { refills: 0 } },
      change: item({ package_size: 100 }),
      fields: ["items[0].package_size"],
    },
  ],
  42249: [
    { why: "missing", change: item({ prescription_id: undefined }), fields: ["items[0].prescription_id"] },
    { why: "an item of nothing", change: order({ items: [{}] }), fields: ["items[0].prescription_id"] },
    {
      why: "missing for a product that needs one",
      change: order({ items: [{ sku: "atorvastatin-20" }] }),
      fields: ["items[0].prescription_id"],
    },
    {
      why: "prescriber fields do not do for this account",
      change: item({
        prescription_id: undefined,
        ndc: "70999010130",
        prescriber_name: "Ada",
        prescriber_phone: "4155550177",
      }),
      fields: ["items[0].prescription_id"],
    },
    { why: "unknown", change: item({ prescription_id: 999_999_999 }), fields: ["items[0].prescription_id"] },
    { why: "beyond all numbers", change: item({ prescription_id: 2 ** 53 - 1 }), fields: ["items[0].prescription_id"] },
    {
      why: "of the pouch, which needs none",
      change: order({ items: [{ sku: "packaging-pouch", prescription_id: 999 }] }),
      fields: ["items[0].prescription_id"],
    },
    {
      why: "another patient's, for something controlled",
      before: async (scene) => void Object.assign(scene, { other: await newOrder(app, stimulant) }),
      change: (body, scene) =>
        item({ prescription_id: (scene as Scene & { other: Scene }).other.prescription_id })(body, scene),
      fields: ["items[0].prescription_id"],
    },
    {
      why: "another account's",
      change: (body, scene) => item({ prescription_id: theirs.prescription_id })(body, scene),
      fields: ["items[0].prescription_id"],
    },
    { why: "inactive", before: inDatabase("active = false"), change: same, fields: ["items[0].prescription_id"] },
    {
      why: "not yet effective",
      given: { prescription: { effective_date: days(60) } },
      change: same,
      fields: ["items[0].prescription_id"],
    },
    {
      why: "not accepted by the pharmacy yet",
      given: { prescription: prescribed("zolpidem-5", 30, { refills: 0, signature_evidence: false }) },
      change: document({}),
      fields: ["items[0].prescription_id"],
    },
    {
      why: "rejected by the pharmacy",
      before: inDatabase("acceptance = 'rejected'"),
      change: same,
      fields: ["items[0].prescription_id"],
    },
  ],
  42250: [
    {
      why: "the only fill is ordered",
      given: { prescription: { refills: 0 } },
      before: ({ body }) => placed(app, { ...body, reference: "first" }),
      change: same,
      fields: ["items[0].prescription_id"],
    },
  ],
  42253: [
    {
      why: "none on the shelf",
      given: { prescription: prescribed("tretinoin-025", 45) },
      change: same,
      fields: ["items[0].quantity"],
    },
  ],
  42254: [
    { why: "unknown", change: order({ items: [{ sku: "nimbus-pouch" }] }), fields: ["items[0].sku"] },
    { why: "no text", change: order({ items: [{ sku: 7 }] }), fields: ["items[0].sku"] },
  ],
  42255: [
    {
      why: "two fills of one",
      given: { prescription: { refills: 0 } },
      change: item({ quantity: 2 }),
      fields: ["items[0].quantity"],
    },
    {
      why: "two items that together are too much",
      given: { prescription: { refills: 0 } },
      change: (body) => ({ ...body, items: [body.items[0], body.items[0]] }),
      fields: ["items[1].quantity"],
    },
  ],
  42256: [
    {
      why: "a cold product by ordinary mail",
      given: { prescription: prescribed("semaglutide-pen", 3) },
      change: same,
      fields: ["shipping.method_id"],
    },
    {
      why: "a controlled one without signature",
      given: stimulant,
      change: (body, scene) => document({})(shipping({ method_id: 2 })(body, scene) as OrderBody, scene),
      fields: ["shipping.method_id"],
    },
  ],
  42257: [
    {
      why: "written years ago",
      given: { prescription: { written_date: "2020-01-01" } },
      change: same,
      fields: ["items[0].prescription_id"],
    },
  ],
  42258: [
    { why: "by its NDC", change: item({ ndc: "70999-0201-30" }), fields: ["items[0].ndc"] },
    { why: "by its GCN", change: item({ gcn: "90201" }), fields: ["items[0].gcn"] },
    { why: "by its SKU", change: item({ sku: "sertraline-50" }), fields: ["items[0].sku"] },
    { why: "an OTC product", change: item({ sku: "packaging-pouch" }), fields: ["items[0].sku"] },
    { why: "one that comes in other sizes, and cold", change: item({ ndc: "70999060101" }), fields: ["items[0].ndc"] },
    {
      why: "by its name",
      change: item({ product_selection: "Sertraline 50 mg tablet" }),
      fields: ["items[0].product_selection"],
    },
    {
      why: "by its GCN alone, where the NDC is right",
      change: item({ ndc: "70999010130", gcn: "90201" }),
      fields: ["items[0].gcn"],
    },
  ],
  42259: [
    { why: "the item's", change: item({ written_qty: 45 }), fields: ["items[0].written_qty"] },
    {
      why: "the prescription's",
      given: { prescription: { quantity: { value: 45, unit: "tablet" } } },
      change: item({ package_size: 30 }),
      fields: ["items[0].written_qty"],
    },
    {
      why: "the prescription's, and no package size is sent",
      given: { prescription: { quantity: { value: 45, unit: "tablet" } } },
      change: item({ package_size: undefined }),
      fields: ["items[0].written_qty"],
    },
    {
      why: "of an OTC product",
      change: order({ items: [{ sku: "packaging-pouch", written_qty: 7 }] }),
      fields: ["items[0].written_qty"],
    },
  ],
  42260: [
    {
      why: "the prescription's medication",
      given: { prescription: { drug: { ...unknownDrug, codes: [{ system: "ndc", code: "70999770130" }] } } },
      change: same,
      fields: ["items[0].product_selection"],
    },
    {
      why: "a prescription without codes",
      given: { prescription: { drug: { ...unknownDrug, codes: [] } } },
      change: same,
      fields: ["items[0].product_selection"],
    },
    {
      why: "what was selected",
      change: item({ product_selection: "Nimbustatin" }),
      fields: ["items[0].product_selection"],
    },
    {
      why: "nothing says what is meant",
      given: { partner: 1, prescription: { effective_date: days(60) } },
      change: order({ items: [{ prescriber_name: "Ada Lindqvist", prescriber_phone: "4155550177" }] }),
      fields: ["items[0].product_selection"],
    },
  ],
  42291: [
    { why: "unknown", change: shipping({ method_id: 99 }), fields: ["shipping.method_id"] },
    { why: "no shipping", change: order({ shipping: undefined }), fields: ["shipping.method_id"] },
  ],
  42292: [
    {
      why: "a method without signatures",
      change: shipping({ method_id: 2, signature_confirmation: true }),
      fields: ["shipping.signature_confirmation"],
    },
  ],
  42293: [
    {
      why: "a box that was sent",
      change: (body, scene) => address(po_box)(shipping({ method_id: 2 })(body, scene) as OrderBody, scene),
      fields: ["shipping.method_id"],
    },
    {
      why: "general delivery",
      change: (body, scene) =>
        address({ ...po_box, street1: "General Delivery" })(
          shipping({ method_id: 2 })(body, scene) as OrderBody,
          scene,
        ),
      fields: ["shipping.method_id"],
    },
    {
      why: "the prescription's",
      given: inTheUnitedStates(po_box),
      change: shipping({ method_id: 3 }),
      fields: ["shipping.method_id"],
    },
  ],
  42294: [
    { why: "unknown", change: shipping({ label: { ...label, format: "GIF" } }), fields: ["shipping.label.format"] },
    { why: "no label", change: shipping({ label: "^XA^XZ" }), fields: ["shipping.label.format"] },
  ],
  42295: [
    { why: "not for this account", given: { partner: 2 }, change: shipping({ label }), fields: ["shipping.label"] },
    {
      why: "regardless of other problems",
      given: { partner: 2 },
      change: shipping({ label: 7 }),
      fields: ["shipping.label"],
    },
  ],
  42296: [
    { why: "other bytes", change: shipping({ label: { ...label, format: "PDF" } }), fields: ["shipping.label.data"] },
    { why: "no base64", change: shipping({ label: { ...label, data: "^XA^XZ" } }), fields: ["shipping.label.data"] },
    { why: "no data", change: shipping({ label: { format: "PNG" } }), fields: ["shipping.label.data"] },
    {
      why: "a command that is not for printing",
      change: shipping({ label: { ...label, data: base64("~JR^XA^FO20,20^FDparcel^FS^XZ") } }),
      fields: ["shipping.label.data"],
    },
    {
      why: "a PDF without pages",
      change: shipping({ label: { format: "PDF", data: base64("%PDF-1.4\n1 0 obj\n<<>>\nendobj\n%%EOF\n") } }),
      fields: ["shipping.label.data"],
    },
  ],
  42380: [
    { why: "unknown", change: order({ brand_id: 3 }), fields: ["brand_id"] },
    { why: "no number", change: order({ brand_id: "1" }), fields: ["brand_id"] },
  ],
};

const patientOf = async (patient_id: string) => {
  const { last_name, phone, email } = await patientCalls(app, patient_id).read();
  return { last_name, phone, email };
};

let theirs: { patient_id: string; prescription_id: number };
beforeAll(async () => {
  theirs = await addPatient(app, { partner: 2, patient: stranger() });
});

describe("an order is rejected", () => {
  const { codes } = endpoints.find(({ operation_id }) => operation_id === "createOrder")!;
  const general: number[] = [40000, 40001, 40002, 40003, 40004, 40005, 42299];

  test("with codes that each have a fixture", () => {
    expect(Object.keys(fixtures).map(Number)).toEqual(codes.filter((code) => !general.includes(code)));
  });

  for (const [code, all] of Object.entries(fixtures)) {
    for (const { why, fields, given, before, change } of all) {
      test(`with only ${code} ${errors[code as unknown as ErrorCode][0]}: ${why}; nothing is written`, async () => {
        const scene = await newOrder(app, given);
        await before?.(scene);
        const body = change(scene.body, scene);
        const partner = given?.partner ?? 0;
        const untouched = await footprint(app, partner);
        const { status, text } = await post(app, body, { partner });
        expect([status, codesOf(text)]).toEqual([422, [[Number(code), ...fields]]]);
        expect(await footprint(app, partner)).toEqual(untouched);
        // The answer repeats neither the patient on file nor the input.
        for (const name of [person.first_name, goodAddress.first_name, goodDocument.number]) {
          expect(text).not.toContain(name);
        }
      });
    }
  }

  test("with all of its problems at once, in code order, up to 20 codes", async () => {
    const { patient_id, prescription_id } = await newOrder(app);
    const known = { patient: { ...(await patientOf(patient_id)) } };
    const another = async (prescription: Given["prescription"] = {}) =>
      (await addPatient(app, { ...known, prescription })).prescription_id;
    const spent = await another({ refills: 0 });
    await placed(app, orderOf({ patient_id, prescription_id: spent }));
    const body = {
      adress: goodAddress,
      brand_id: 3,
      shipping: { method_id: 2, signature_confirmation: true, label: { format: "GIF" } },
      patient: {
        patient_id,
        email: "rosa@",
        first_name: "",
        last_name: "7",
        phone: "911",
        gender: "X",
        identity_documents: [{ type: "XX", issuing_country: "USA", issuing_state: "California", expiration_date: "" }],
      },
      address: { first_name: "", last_name: "", street1: "", city: "", state: "HI", zip: "94110" },
      items: [
        {
          prescription_id,
          ndc: "70999-9999-99",
          gcn: "99999",
          product_selection: "Nimbustatin",
          quantity: 99,
          package_size: 7,
          written_qty: 5,
          prescriber_name: "",
          prescriber_phone: "1",
          prescriber_fax: "2",
        },
        { sku: "nimbus-pouch" },
        { prescription_id: 999_999_999 },
        { prescription_id: spent },
        { prescription_id: await another(prescribed("tretinoin-025", 45)) },
        { prescription_id: await another({ refills: 0 }), quantity: 2, package_size: 90 },
        { prescription_id: await another(prescribed("semaglutide-pen", 3)) },
        { prescription_id: await another({ written_date: "2020-01-01" }) },
        { prescription_id: await another(), ndc: "70999020130" },
      ],
    };
    // Each of these is the counterpart of a reported one, or applies where that one does not.
    const unsaid = [42206, 42208, 42226, 42230, 42291, 42293, 42295, 42296];
    const untouched = await footprint(app);
    const { status, text } = await post(app, body);
    expect([status, codesOf(text).map(([code]) => code)]).toEqual([
      422,
      Object.keys(fixtures)
        .map(Number)
        .filter((code) => !unsaid.includes(code))
        .slice(0, MOST_CODES),
    ]);
    expect(await footprint(app)).toEqual(untouched);
  });
});
