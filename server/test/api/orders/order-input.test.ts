import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codesOf, expectConventions } from "../../support/conventions.ts";
import { footprint, newOrder, type OrderBody, post } from "../../support/orders.ts";
import { goodAddress, goodDocument, person } from "../../support/patient.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

let app: TestApp;
let whole: OrderBody;
let untouched: Record<string, unknown>;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  whole = wholeOrder(await newOrder(app, { patient: { last_name: person.last_name } }));
  untouched = await footprint(app);
});
afterAll(() => app.stop());

const DRY = "/orders?dry_run=true";
const zpl = Buffer.from("^XA^FO20,20^FDparcel^FS^XZ").toString("base64");

/** Every field of an order, each with a valid value. */
const wholeOrder = ({ patient_id, prescription_id }: { patient_id: string; prescription_id: number }): OrderBody => ({
  brand_id: 1,
  reference: "inv-20931",
  shipping: {
    method_id: 1,
    signature_confirmation: true,
    label: { format: "ZPL", data: zpl, carrier: "USPS", tracking_no: "9400100000000000000000" },
  },
  patient: {
    patient_id,
    email: "zephyrine@quillfeather.example",
    first_name: "Zephyrine",
    last_name: "Quillfeather",
    dob: person.dob,
    gender: "F",
    phone: "4155550134",
    patient_safety: { medications: ["lisinopril"], health_conditions: ["asthma"], allergies: ["penicillin"] },
    identity_documents: [goodDocument],
  },
  address: { ...goodAddress, phone: "4155550134", accept_suggested: false, ignore_warnings: false },
  items: [
    {
      prescription_id,
      sku: "atorvastatin-20",
      ndc: "70999-0101-30",
      gcn: "90101",
      product_selection: "Atorvastatin 20 mg tablet",
      quantity: 1,
      package_size: 90,
      written_qty: 90,
      prescriber_name: "Ada Lindqvist",
      prescriber_phone: "4155550177",
      prescriber_fax: "4155550178",
    },
    { sku: "packaging-pouch", quantity: 1 },
  ],
  payment: { payer: "partner", token: "tok_unused" },
});

/** Values to put in place of any field. */
const values = {
  null: null,
  true: true,
  zero: 0,
  negative: -1,
  fraction: 1.5,
  "a huge number": 1e308,
  "a number that is not exact": 2 ** 53,
  "an empty text": "",
  blanks: "   ",
  "a number as text": "1",
  "a long text": "x".repeat(5_000),
  "a null character": "a\u0000b",
  "a bell": "a\u0007b",
  "two lines": "a\nb",
  "half a character": "a\ud800b",
  emoji: "😀",
  SQL: "Robert'; drop table orders; --",
  HTML: "<script>alert(1)</script>",
  "an empty list": [],
  "a list": ["1"],
  "an empty object": {},
  "a deep object": Array(20)
    .fill(0)
    .reduce((inner: unknown) => ({ deeper: inner }), 1),
} as const;
type Value = keyof typeof values;

/** A field's own code. `takes`: its valid values; `else`: the code for a value with another meaning. */
type Field = {
  code: number;
  /** Where the error is reported, if not at the field itself. */
  at?: string;
  required?: true;
  takes?: Value[];
  else?: { [V in Value]?: number[] };
};
const TEXT: Value[] = ["a number as text", "emoji", "SQL", "HTML"];
const OBJECT: Value[] = ["an empty object"];

const fields: Record<string, Field> = {
  brand_id: { code: 42380 },
  reference: { code: 42200, takes: TEXT },
  shipping: { code: 42291, at: "shipping.method_id", required: true, else: { "a deep object": [42200, 42291] } },
  "shipping.method_id": { code: 42291, required: true },
  "shipping.signature_confirmation": { code: 42292, takes: ["true"] },
  "shipping.label": { code: 42294, at: "shipping.label.format", else: { "a deep object": [42200, 42294] } },
  "shipping.label.format": { code: 42294, required: true },
  "shipping.label.data": { code: 42296, required: true },
  "shipping.label.carrier": { code: 42200, takes: TEXT },
  "shipping.label.tracking_no": { code: 42200, takes: TEXT },
  patient: { code: 42206, at: "patient.patient_id", required: true, else: { "a deep object": [42200, 42206] } },
  "patient.patient_id": { code: 42206, required: true },
  "patient.email": { code: 42201 },
  "patient.first_name": { code: 42202 },
  "patient.last_name": { code: 42203 },
  "patient.dob": { code: 42200 },
  "patient.gender": { code: 42205 },
  "patient.phone": { code: 42204 },
  "patient.patient_safety": { code: 42200, takes: OBJECT, else: { "a deep object": [42200] } },
  "patient.patient_safety.medications": { code: 42200, takes: ["an empty list", "a list"] },
  "patient.patient_safety.health_conditions": { code: 42200, takes: ["an empty list", "a list"] },
  "patient.patient_safety.allergies": { code: 42200, takes: ["an empty list", "a list"] },
  "patient.patient_safety.medications[0]": { code: 42200, takes: TEXT },
  "patient.patient_safety.health_conditions[0]": { code: 42200, takes: TEXT },
  "patient.patient_safety.allergies[0]": { code: 42200, takes: TEXT },
  "patient.identity_documents": { code: 42208, takes: ["an empty list"], else: { "a list": [42216] } },
  "patient.identity_documents[0]": {
    code: 42216,
    at: "patient.identity_documents[0].type",
    else: {
      "an empty object": [42216, 42217, 42219, 42220],
      "a deep object": [42200, 42216, 42217, 42219, 42220],
    },
  },
  "patient.identity_documents[0].type": { code: 42216, required: true },
  "patient.identity_documents[0].issuing_country": { code: 42217, required: true },
  "patient.identity_documents[0].issuing_state": { code: 42218, required: true },
  "patient.identity_documents[0].number": { code: 42219, required: true, takes: ["a number as text"] },
  "patient.identity_documents[0].expiration_date": { code: 42220, required: true },
  address: {
    code: 42230,
    else: {
      "an empty object": [42221, 42222, 42223, 42225, 42226, 42227],
      "a deep object": [42200, 42221, 42222, 42223, 42225, 42226, 42227],
    },
  },
  "address.first_name": { code: 42221, required: true },
  "address.last_name": { code: 42222, required: true },
  "address.street1": { code: 42223, required: true, else: { "a number as text": [42230] } },
  "address.street2": { code: 42200, takes: ["an empty text", "blanks", "a number as text"] },
  "address.city": { code: 42225, required: true },
  "address.state": { code: 42226, required: true },
  "address.zip": { code: 42227, required: true },
  "address.phone": { code: 42200, takes: ["an empty text", "blanks"] },
  "address.accept_suggested": { code: 42200, takes: ["true"] },
  "address.ignore_warnings": { code: 42200, takes: ["true"] },
  items: { code: 42200, required: true, else: { "a list": [42200] } },
  "items[0]": { code: 42200, else: { "an empty object": [42249], "a deep object": [42200, 42249] } },
  "items[0].prescription_id": { code: 42249, required: true },
  "items[0].sku": { code: 42254 },
  "items[0].ndc": { code: 42241 },
  "items[0].gcn": { code: 42246 },
  "items[0].product_selection": { code: 42260 },
  "items[0].quantity": { code: 42242 },
  "items[0].package_size": { code: 42247 },
  "items[0].written_qty": { code: 42259 },
  "items[0].prescriber_name": { code: 42243 },
  "items[0].prescriber_phone": { code: 42244 },
  "items[0].prescriber_fax": { code: 42245 },
  payment: { code: 42200, takes: OBJECT, else: { "a deep object": [42200] } },
  "payment.payer": { code: 42200 },
  "payment.token": { code: 42200, takes: TEXT },
};

/** Invalid days, document dates and counts, for the fields that require one. */
const more: Record<string, unknown[]> = {
  "patient.dob": [
    "1899-12-31",
    "2150-01-01",
    "1957-02-30",
    "1957-13-01",
    "57-03-08",
    "0000-00-00",
    "1957-03-08T00:00:00Z",
    "08/03/1957",
    19570308,
  ],
  "patient.identity_documents[0].expiration_date": ["2099-02-30", "2020-01-01", "2099-1-1", "2099-01-01T00:00:00Z"],
  "items[0].quantity": [4, 1001, 1.0000001, "1", Number.MAX_SAFE_INTEGER],
  "items[0].package_size": [45, 90.0001, 1e-9, 1_000_001, "90"],
  "items[0].written_qty": [45, 90.0001, 1_000_001, "90"],
  "items[0].prescription_id": ["183601", 1, Number.MAX_SAFE_INTEGER],
  "items[0].ndc": ["7099901013", "70999-0101-3", "70999-0101-30-1", "०७०९९९०१०१३", "70999010130 or 1=1"],
  "shipping.method_id": [5, 2 ** 31, Number.MAX_SAFE_INTEGER],
  brand_id: [3, 2 ** 31, Number.MAX_SAFE_INTEGER],
  "address.zip": ["94110-", "94110-12", "９４１１０", "10001", "00000"],
  "address.state": ["California", "ZZ", "U.S."],
  "patient.email": ["a@b", "a b@quill.example", "@quill.example", `${"a".repeat(250)}@quill.example`],
  "patient.phone": ["911", "+44 20 7946 0958", "4155550134;ext=1"],
  "patient.gender": ["f", "U", "female"],
  "patient.patient_id": ["abc", "nobody-here", "x".repeat(36), "../../etc", "%00"],
  "shipping.label.format": ["pdf", "GIF"],
  "shipping.label.data": ["JVBERi0=", `${zpl}=`, ` ${zpl}`, zpl.slice(0, -4)],
};

/** A copy of the complete order with another value at that path. */
function withValue(path: string, value: unknown): OrderBody {
  const copy = structuredClone(whole);
  const names = path.split(/[.[\]]+/).filter((name) => name !== "");
  const last = names.pop()!;
  const holder = names.reduce((it, name) => it[name] as Record<string, unknown>, copy as Record<string, unknown>);
  holder[last] = value;
  return copy;
}

const told = (text: string) => codesOf(text).map(([code, ...at]) => ({ code, at }));

describe("each field of an order", () => {
  test("is in the table, and an order with all of them would be created", async () => {
    const paths = (value: unknown, path: string): string[] =>
      typeof value !== "object" || value === null
        ? []
        : Object.entries(value).flatMap(([name, part]) => {
            const at = Array.isArray(value) ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;
            return [at, ...paths(part, at)];
          });
    const all = paths(whole, "").filter((path) => !path.startsWith("items[1]"));
    expect(all.sort()).toEqual(Object.keys(fields).sort());
    const { status, body } = await post(app, whole, { path: DRY });
    expect([status, body.would_create, body.errors, body.exceptions]).toEqual([200, true, [], []]);
  });

  for (const [path, field] of Object.entries(fields)) {
    test(`${path} with any other value: ${field.code}, and nothing is written`, async () => {
      for (const [name, value] of Object.entries(values) as [Value, unknown][]) {
        const body = withValue(path, value);
        // Null in an optional field means absent; an entry of a list is not a field.
        const absent = name === "null" && !field.required && !path.endsWith("]");
        if (absent || field.takes?.includes(name)) {
          const tried = await post(app, body, { path: DRY });
          expect([name, tried.status, tried.body.errors]).toEqual([name, 200, []]);
          continue;
        }
        const { status, text } = await post(app, body);
        const other = field.else?.[name];
        expect([name, status, told(text).map(({ code }) => code)]).toEqual([name, 422, other ?? [field.code]]);
        if (other === undefined) expect([name, told(text)[0]!.at]).toEqual([name, [field.at ?? path]]);
      }
      for (const value of more[path] ?? []) {
        const { status, text } = await post(app, withValue(path, value));
        const wanted = { code: field.code, at: [field.at ?? path] };
        expect([JSON.stringify(value), status, told(text)]).toEqual([JSON.stringify(value), 422, [wanted]]);
      }
      expect(await footprint(app)).toEqual(untouched);
    });

    if (path.endsWith("]")) continue;
    test(`${path} omitted: ${field.required ? field.code : "accepted"}`, async () => {
      const { status, body, text } = await post(app, withValue(path, undefined), { path: DRY });
      const errors = body.errors.map(({ code }: { code: number }) => code);
      expect([status, errors], text).toEqual([200, field.required ? [field.code] : []]);
    });
  }
});

describe("a body", () => {
  const send = async (text: string | Buffer, { path = "/orders", type = "application/json" } = {}) => {
    const response = await app.call(path, { method: "POST", body: text, headers: { "content-type": type } });
    const answer = await expectConventions(response, "partner");
    return [response.status, ...codesOf(answer).map(([code]) => code)];
  };
  /** The complete order as text, with one part replaced. */
  const written = (from: string, to: string) => {
    const text = JSON.stringify(whole);
    expect(text).toContain(from);
    return text.replace(from, to);
  };

  test("that is not an object is 400", async () => {
    for (const text of ["[]", "null", "true", "1", '"order"', `[${JSON.stringify(whole)}]`]) {
      expect([text.slice(0, 20), ...(await send(text))]).toEqual([text.slice(0, 20), 400, 40000]);
    }
    expect(await footprint(app)).toEqual(untouched);
  });

  test("that is not JSON, repeats a key or nests without end is 400", async () => {
    const bodies = [
      "",
      JSON.stringify(whole).slice(0, -1),
      `${JSON.stringify(whole)}${JSON.stringify(whole)}`,
      written('"quantity":1', '"quantity":NaN'),
      written('"quantity":1', '"quantity":Infinity'),
      written('"quantity":1', '"quantity":01'),
      written('"quantity":1', '"quantity":+1'),
      written('"quantity":1', '"quantity":1,'),
      written('"quantity":1', '"quantity":1,"quantity":3'),
      written('"quantity":1', '"quantity":3,"quantity":1'),
      written('"quantity":1', '"quantity":1,"quantity":1'),
      written('"quantity":1', '"quantity":1,"quantit\\u0079":3'),
      written('"brand_id":1', '"brand_id":1,"items":[]'),
      written('"state":"CA"', '"state":"NY","state":"CA"'),
      written('"brand_id":1', '"__proto__":{},"__proto__":{}'),
      written('"brand_id":1', `"brand_id":${"[".repeat(32)}${"]".repeat(32)}`),
      written('"brand_id":1', `"brand_id":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`),
    ];
    for (const text of bodies)
      expect([text.slice(0, 300), ...(await send(text))]).toEqual([text.slice(0, 300), 400, 40001]);
    expect(await send(Buffer.from(written("inv-20931", "inv-\xff"), "latin1"))).toEqual([400, 40001]);
    expect(await send(JSON.stringify(whole), { type: "text/plain" })).toEqual([400, 40002]);
    expect(await send(written("inv-20931", "x".repeat(1024 * 1024)))).toEqual([400, 40004]);
    expect(await footprint(app)).toEqual(untouched);
  });

  test("with numbers out of range has the field's own code", async () => {
    expect(await send(written('"quantity":1', '"quantity":1e999'))).toEqual([422, 42242]);
    expect(await send(written('"quantity":1', '"quantity":-1e999'))).toEqual([422, 42242]);
    expect(await send(written('"quantity":1', '"quantity":-0'))).toEqual([422, 42242]);
    expect(await send(written('"package_size":90', '"package_size":90.00000000000001'))).toEqual([422, 42247]);
    expect(await send(written('"method_id":1', '"method_id":1e400'))).toEqual([422, 42291]);
    expect(await send(written('"brand_id":1', '"brand_id":123456789012345678901234567890'))).toEqual([422, 42380]);
    expect(await footprint(app)).toEqual(untouched);
  });

  test("of ten thousand items, a hundred thousand unknown fields or thirty levels is rejected quickly", async () => {
    const items = (count: number, item: unknown) => JSON.stringify({ ...whole, items: Array(count).fill(item) });
    expect(await send(items(10_000, whole.items[0]).slice(0, 1024 * 1024 - 1))).toEqual([400, 40001]);
    expect(await send(items(10_000, { sku: "packaging-pouch" }))).toEqual([422, 42200]);
    expect(await send(items(10_000, 1))).toEqual([422, 42200]);
    const unknown = Array.from({ length: 100_000 }, (_, index) => `"${index.toString(36)}":0`).join();
    expect(await send(written('"brand_id":1', unknown))).toEqual([422, 42200]);
    expect(await send(written('"brand_id":1', `"deep":${"[".repeat(30)}${"]".repeat(30)}`))).toEqual([422, 42200]);
    expect(await footprint(app)).toEqual(untouched);
  });

  test("is not read if the query is invalid", async () => {
    for (const query of [
      "dry_run=1",
      "dry_run=",
      "dry_run=true&dry_run=true",
      "dryrun=true",
      "dry_run=TRUE",
      "%zz=1",
    ]) {
      expect([query, ...(await send(JSON.stringify(whole), { path: `/orders?${query}` }))]).toEqual([
        query,
        400,
        40003,
      ]);
    }
    expect(await footprint(app)).toEqual(untouched);
  });

  test("never caused a fault", () => {
    expect(app.lines().filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});
