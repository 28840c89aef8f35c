import { type DrugSchedule, drugSchedules } from "@pestle/contract";
import bidiFactory, { type Bidi } from "bidi-js";
import fc from "fast-check";
import PDFDocument from "pdfkit";
import { describe, expect, test } from "vitest";
import { pdfDocuments } from "../../../src/adapters/documents/documents.ts";
import { openFaces } from "../../../src/adapters/documents/fonts/faces.ts";
import { runsOf } from "../../../src/adapters/documents/fonts/runs.ts";
import { shippingLabel } from "../../../src/adapters/documents/shipping-label.ts";
import { zplLabel } from "../../../src/adapters/documents/zpl-label.ts";
import { readConfig } from "../../../src/config.ts";
import { controlledIngredients } from "../../../src/domain/catalogue/controlled-drugs.ts";
import { auxiliaryLabels, federalCaution, warningsFor } from "../../../src/domain/fulfillment/auxiliary-labels.ts";
import {
  type DispensedItem,
  discardAfter,
  type PackingSlip,
  pharmacyFacts,
  type ShippingLabel,
  unprintableSentence,
} from "../../../src/domain/fulfillment/documents.ts";
import { labelElements } from "../../../src/domain/fulfillment/label-elements.ts";
import { controlledElements, labelRuleOf } from "../../../src/domain/fulfillment/state-labels.ts";
import { stateCodes } from "../../../src/domain/values/address/states.ts";
import { asciiText, isWinAnsiText, plainText, writtenOtherwise } from "../../../src/domain/values/printable-text.ts";
import { products } from "../../../src/seed/cast.ts";
import { effort } from "../../support/tools/effort.ts";
import { readCode128, widthsOf } from "../../support/tools/read-code128.ts";
import { type PdfText, readPdf, textOf } from "../../support/tools/read-pdf.ts";

const { prescriptionLabel, leaflet, packingSlip } = pdfDocuments;
const RUNS = { seed: 20_261_115, numRuns: effort(60) };
const pharmacy = pharmacyFacts(readConfig({ PHARMACY_LICENSE: "PH 50-117" }));

const to = {
  first_name: "Zoë",
  last_name: "Nuñez",
  street1: "18 Larch Street",
  street2: "Apt 4",
  city: "Columbus",
  state: "OH",
  zip: "43215-1234",
  phone: "6145550117",
};
const label: ShippingLabel = {
  tracking_no: "9400100000012345678909",
  carrier: "USPS",
  service: "Ground Advantage",
  signature_confirmation: true,
  from: pharmacy,
  to,
  reference: "WT-1042",
  ship_date: "2026-11-15",
  weight_oz: 6,
  sandbox: false,
};
const item: DispensedItem = {
  prescription_id: 183_601,
  dispense_id: 900_123,
  order_number: "7K2M9XQ4TB",
  filled_date: "2026-11-15",
  patient: { first_name: "Zoë", last_name: "Nuñez" },
  drug_name: "Zolpidem 5 mg tablet",
  ndc: "70999080130",
  prescribed_as: null,
  ingredients: ["zolpidem"],
  drug_schedule: "4",
  cold_chain: false,
  lot: "ZL2291",
  lot_expires_on: "2028-05-31",
  sig_text: "Take 1 tablet by mouth at bedtime as needed for sleep.",
  quantity: 1,
  package_size: 30,
  unit: "tablet",
  days_supply: 30,
  refills_left: 2,
  prescriber_name: "Amara van der Berg",
  first_filled_date: "2026-09-01",
  pharmacist_name: "Mina Torres",
  purpose: "Insomnia",
  state: "OH",
  sandbox: false,
};
const slip: PackingSlip = {
  order_number: "7K2M9XQ4TB",
  reference: "WT-1042",
  brand_name: "Larkspur Calm",
  ship_date: "2026-11-15",
  carrier: "USPS",
  service: "Ground Advantage",
  tracking_no: label.tracking_no,
  to,
  items: [
    { name: item.drug_name, ndc: item.ndc, quantity: 1, package_size: 30, lot: "ZL2291", lot_expires_on: "2028-05-31" },
    { name: "Weekly pill organizer", ndc: null, quantity: 2, package_size: 1, lot: null, lot_expires_on: null },
  ],
  sandbox: false,
};

/** Every document: how to make it, and its required content. */
const documents: Record<string, { make: () => Promise<Buffer>; size: [number, number]; says: string[] }> = {
  "shipping label": {
    make: () => shippingLabel(label),
    size: [288, 432],
    says: [
      "USPS",
      "Ground Advantage",
      "Larkspur Pharmacy",
      "410 Quarry Road",
      "Portland, ME 04101",
      "Zoë Nuñez",
      "18 Larch Street",
      "Apt 4",
      "Columbus, OH 43215-1234",
      "SIGNATURE REQUIRED",
      "9400 1000 0001 2345 6789 09",
      "REF WT-1042",
      "11/15/2026",
      "6 oz",
    ],
  },
  "prescription label": {
    make: () => prescriptionLabel(pharmacy, item),
    size: [288, 216],
    says: [
      "Larkspur Pharmacy",
      "410 Quarry Road, Portland, ME 04101",
      "(207) 555-0142",
      "DEA FL1234563",
      "Rx 183601",
      "Fill 900123",
      "Filled 11/15/2026",
      "First filled 09/01/2026",
      "RPh MT",
      "Generic for Ambien",
      "Mfr Larkspur Labs",
      "White round tablet, LL 801",
      "Zoë Nuñez",
      "Zolpidem 5 mg tablet",
      "NDC 70999-0801-30",
      "Lot ZL2291",
      "Lot expires 05/31/2028",
      "Take 1 tablet by mouth at bedtime as needed for sleep.",
      "Qty 30 tablets",
      "30 days' supply",
      "Refills left 2",
      "Prescriber Amara van der Berg",
      "Discard after 11/15/2027",
      "C-IV",
      "May cause drowsiness.",
      "Caution: Federal law prohibits the transfer of this drug to any person other than the patient for whom it was prescribed.",
    ],
  },
  leaflet: {
    make: () => leaflet(pharmacy, item),
    size: [612, 792],
    says: [
      "Zolpidem 5 mg tablet",
      "For Zoë Nuñez",
      "Take 1 tablet by mouth at bedtime as needed for sleep.",
      ...warningsFor(item),
      "If you miss a dose",
      "room temperature (68 to 77 °F",
      "Do not use it after 11/15/2027.",
      "You may report side effects to FDA at 1-800-FDA-1088",
      "(207) 555-0142",
    ],
  },
  "packing slip": {
    make: () => packingSlip(pharmacy, slip),
    size: [612, 792],
    says: [
      "Larkspur Calm",
      "Order 7K2M9XQ4TB",
      "Reference WT-1042",
      "Zoë Nuñez",
      "18 Larch Street",
      "Zolpidem 5 mg tablet",
      "70999-0801-30",
      "ZL2291",
      "05/31/2028",
      "1 x 30",
      "Weekly pill organizer",
      "We cannot accept returns of medicine",
      "Filled by Larkspur Pharmacy",
    ],
  },
};

describe.each(Object.entries(documents))("a %s", (_name, { make, size, says }) => {
  test("contains everything required, on one page of its size", async () => {
    const file = await make();
    const pages = readPdf(file);
    expect(pages.map(({ width, height }) => [width, height])).toEqual([size]);
    const text = textOf(file);
    for (const words of says) expect(text).toContain(words);
  });
  test("is the same, byte for byte, at any time", async () => {
    const [one, again] = await Promise.all([make(), make()]);
    expect(again!.equals(one!)).toBe(true);
    expect(one!.subarray(0, 5).toString()).toBe("%PDF-");
  });
  test("stays within its page", async () => expect(beyondThePage(await make())).toEqual([]));
});

describe("in the sandbox", () => {
  const sig_text = "Take one tablet in the morning and half a tablet at noon with food. ".repeat(12);
  test.each([
    ["a shipping label", (sandbox: boolean) => shippingLabel({ ...label, sandbox })],
    ["a prescription label", (sandbox: boolean) => prescriptionLabel(pharmacy, { ...item, sig_text, sandbox })],
    ["a leaflet", (sandbox: boolean) => leaflet(pharmacy, { ...item, sandbox })],
    ["a packing slip", (sandbox: boolean) => packingSlip(pharmacy, { ...slip, sandbox })],
  ])("%s has VOID across each page, and the same text", async (_, make) => {
    const [real, marked] = (await Promise.all([make(false), make(true)])).map(readPdf);
    const plain = real!.map(({ texts }) => texts);
    expect(marked!.map(({ texts }) => texts.slice(1))).toEqual(plain);
    for (const { texts, width } of marked!) {
      expect(texts[0]!.text).toBe("VOID");
      expect(widthOf(texts[0]!)).toBeGreaterThan(width * 0.75);
    }
    expect(plain.flat().map(({ text }) => text)).not.toContain("VOID");
    expect(beyondThePage(await make(true))).toEqual([]);
  });
  test("a ZPL label has VOID too", () => {
    expect(zplLabel({ ...label, sandbox: true })).toMatch(/\^A0N,1\d\d,1\d\d\^FH\^FDVOID\^FS/);
    expect(zplLabel(label)).not.toContain("VOID");
    expectOneLabel(zplLabel({ ...label, sandbox: true }));
  });
});

const ruler = new PDFDocument({ autoFirstPage: false });
const widthOf = ({ font, size, text, embedded }: PdfText) =>
  embedded?.width ?? ruler.font(font).fontSize(size).widthOfString(text);
const SLACK = 0.01;

/** Everything outside the page. */
function beyondThePage(file: Buffer) {
  return readPdf(file).flatMap(({ width, height, texts, boxes }) => [
    ...texts.filter((each) => {
      const { x, y, size } = each;
      return x < 0 || x + widthOf(each) > width + SLACK || y - size < -SLACK || y + size * 0.25 > height + SLACK;
    }),
    ...boxes.filter((box) => box.x < 0 || box.y < 0 || box.x + box.width > width || box.y + box.height > height),
  ]);
}

/** Letters of each alphabet, and what makes them hard: marks, joiners, digits, spaces and brackets. */
const ALPHABETS = [
  ..."aZ0 .,()-'ÅßŁżęąİơƯễẬộЖщїΩάἀمحدعيلاةشלםשא李龍每日口服山さくラー김민한क्षतरि",
  ..."\u0301\u0302\u200c\u200d\u064b\u05b8\u093e\u094d٣۵≤",
];

describe("any names and directions", () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(...ALPHABETS), maxLength: 60 }),
    fc.string({ unit: fc.constantFrom("W", " ", "m", "ß"), maxLength: 1_000 }),
    fc.constantFrom("", " ", "Ng", "李小龍", "Łukasz Żółć", "\u202ebackwards", "a\u0301\u0302\u0303", "שלום (5 mg)"),
  );
  const schedule = fc.constantFrom(...drugSchedules);

  test("labels, leaflets and slips fit their pages", async () => {
    const fields = fc.record({ one: text, two: text, three: text, four: text, schedule, cold_chain: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fields, async ({ one, two, three, four, schedule: drug_schedule, cold_chain }) => {
        const person = { ...to, first_name: one, last_name: two, street1: three, street2: four, city: one };
        const dispensed = {
          ...item,
          patient: person,
          drug_name: two,
          sig_text: three,
          lot: four,
          prescriber_name: one,
          drug_schedule,
          cold_chain,
          ingredients: products.flatMap(({ ingredients }) => ingredients),
        };
        const house = { ...pharmacy, name: one, street: two, city: three };
        const parcel = { ...label, from: house, to: person, reference: four, service: two };
        const packed = { ...slip, to: person, reference: four, brand_name: two, service: one };
        const items = slip.items.map((each) => ({ ...each, name: three, lot: one }));
        const files = await Promise.all([
          shippingLabel(parcel),
          prescriptionLabel(house, dispensed),
          leaflet(house, dispensed),
          packingSlip(house, { ...packed, items }),
          packingSlip(house, { ...packed, items }, "4x6"),
        ]);
        for (const file of files) expect(beyondThePage(file)).toEqual([]);
        expectOneLabel(zplLabel(parcel));
      }),
      { ...RUNS, numRuns: effort(24) },
    );
  });

  test("directions are printed in full, on a second label if one is too small", async () => {
    const words = fc.array(fc.string({ unit: fc.constantFrom(..."abcdefgh0123./-"), minLength: 1, maxLength: 14 }), {
      minLength: 1,
      maxLength: 150,
    });
    await fc.assert(
      fc.asyncProperty(words, async (list) => {
        const sig_text = list.join(" ");
        const file = await prescriptionLabel(pharmacy, { ...item, sig_text });
        const bold = readPdf(file).flatMap(({ texts }) =>
          texts.filter(({ size, font }) => size === 12 && font === "Helvetica"),
        );
        expect(bold.map((line) => line.text).join(" ")).toBe(sig_text);
        for (const page of readPdf(file)) expect(page.texts.map((line) => line.text).join(" ")).toMatch(/Rx 183601/);
      }),
      RUNS,
    );
  });

  test("lines of a label do not overlap", async () => {
    const sig_text = `${"Take one tablet in the morning and half a tablet at noon with food. ".repeat(12)}End.`;
    for (const file of await Promise.all([
      prescriptionLabel(pharmacy, { ...item, sig_text }),
      prescriptionLabel(pharmacy, item),
      shippingLabel(label),
      leaflet(pharmacy, { ...item, sig_text }),
      packingSlip(pharmacy, slip),
    ])) {
      for (const { texts } of readPdf(file)) {
        for (const [index, one] of texts.entries()) {
          const over = texts.slice(index + 1).filter((other) => {
            const apart_y = one.y - one.size * 0.7 >= other.y || other.y - other.size * 0.7 >= one.y;
            const apart_x = one.x + widthOf(one) <= other.x + SLACK || other.x + widthOf(other) <= one.x + SLACK;
            return !apart_y && !apart_x;
          });
          expect(over).toEqual([]);
        }
      }
    }
  });
});

/** Only our own text is a printer command, and every line of text is on the label. */
function expectOneLabel(zpl: string) {
  expect(zpl).toMatch(/^\^XA\n[\x20-\x7d\n]*\^XZ\n$/);
  expect(zpl.match(/\^X[AZ]/g)).toEqual(["^XA", "^XZ"]);
  for (const [, x, y, size, data] of zpl.matchAll(/\^FO(\d+),(\d+)\^A0N,(\d+),\d+\^FH\^FD([^^]*)\^FS/g)) {
    const printed = fromHex(data!);
    expect(Number(x) + printed.length * Number(size) * 0.75).toBeLessThanOrEqual(812);
    expect(Number(y) + Number(size)).toBeLessThanOrEqual(1218);
  }
  expect(zpl.match(/\^FD/g)).toHaveLength(zpl.match(/\^FO\d+,\d+\^(A0N|BY)/g)!.length);
}

const fromHex = (data: string) => {
  const bytes = data.replaceAll(/_([0-9A-F]{2})|([^_])/g, (_, hex, plain) => hex ?? Buffer.from(plain).toString("hex"));
  return Buffer.from(bytes, "hex").toString();
};

describe("a ZPL label", () => {
  test("has the same content as the PDF", () => {
    const said = [...zplLabel(label).matchAll(/\^FD([^^]*)\^FS/g)].map(([, data]) => fromHex(data!));
    for (const words of ["USPS", "Zoë Nuñez", "18 Larch Street", "Apt 4", "SIGNATURE REQUIRED", "REF WT-1042"]) {
      expect(said).toContain(words);
    }
    expectOneLabel(zplLabel(label));
  });
  test("escapes command characters, and keeps the text", () => {
    const zpl = zplLabel({ ...label, reference: "^XZ ~JR _5E \\& é" });
    expect(zpl).toContain("^FDREF _5EXZ _7EJR _5F5E _5C_26 _C3_A9^FS");
    expectOneLabel(zpl);
  });
});

describe("a barcode, scanned from the page,", () => {
  const read = async (file: Promise<Buffer>) => {
    const [page] = readPdf(await file);
    const heights = page!.boxes.map(({ height }) => height).filter((height) => height > 30 && height < 100);
    return readCode128(widthsOf(page!.boxes.filter(({ height }) => height === heights[0])));
  };
  test("of a postal parcel contains the ZIP code and the number", async () => {
    expect(await read(shippingLabel(label))).toBe(`|42043215|${label.tracking_no}`);
  });
  test.each([
    ["UPS", "1Z12345E03AB12CD4"],
    ["FedEx", "001234567890"],
    ["Northwind", "PX12345678901234"],
  ])("of a parcel by %s contains the number", async (carrier, tracking_no) => {
    expect(await read(shippingLabel({ ...label, carrier, tracking_no }))).toBe(tracking_no);
  });
  test("of a packing slip contains the order", async () => {
    expect(await read(packingSlip(pharmacy, slip))).toBe(slip.order_number);
  });
  test("of a prescription label is a square with its three corners", async () => {
    const [page] = readPdf(await prescriptionLabel(pharmacy, item));
    const modules = page!.boxes.filter(({ width, height }) => Math.abs(width - height) < 1e-6 && width < 3);
    const side = modules[0]!.width;
    const [left, top] = [Math.min(...modules.map(({ x }) => x)), Math.min(...modules.map(({ y }) => y))];
    const size = Math.round(40 / side);
    const dark = (across: number, down: number) =>
      modules.some(({ x, y }) => Math.abs(x - left - across * side) < 0.01 && Math.abs(y - top - down * side) < 0.01);
    for (const [x, y] of [
      [0, 0],
      [size - 7, 0],
      [0, size - 7],
    ] as const) {
      const row = Array.from({ length: 7 }, (_, across) => dark(x + across, y + 3));
      expect(row).toEqual([true, false, true, true, true, false, true]);
    }
  });
});

describe("warnings", () => {
  const plain = { drug_name: "", drug_schedule: "0" as DrugSchedule, cold_chain: false };
  test("are printed for every listed ingredient, in any case and salt", () => {
    for (const { text, ingredients = [] } of auxiliaryLabels) {
      for (const name of ingredients) {
        expect(warningsFor({ ...plain, ingredients: [name] })).toContain(text);
        expect(warningsFor({ ...plain, ingredients: [`${name.toUpperCase()} hydrochloride`] })).toContain(text);
        expect(warningsFor({ ...plain, ingredients: [], drug_name: `${name} 5 mg tablet` })).toContain(text);
      }
    }
  });
  test("are printed for a dosage form or a storage condition", () => {
    const named = (drug_name: string) => warningsFor({ ...plain, ingredients: [], drug_name });
    expect(named("Something 10 mg ER tablet")).toContain("Swallow whole. Do not crush, chew or split.");
    expect(named("Something extended-release tablet")).toContain("Swallow whole. Do not crush, chew or split.");
    expect(named("Something 0.025 % Cream")).toContain("For external use only.");
    expect(named("Erbium gelatin 10 mg tablet")).toEqual([]);
    expect(warningsFor({ ...plain, ingredients: [], cold_chain: true })[0]).toMatch(/refrigerator/);
  });
  test("are not printed for names that only look alike", () => {
    expect(warningsFor({ ...plain, ingredients: ["sildenafilum"], drug_name: "Pretretinoin" })).toEqual([]);
  });
  test("are always printed for a controlled drug, and the federal caution for schedules II to IV", () => {
    for (const [schedule, names] of Object.entries(controlledIngredients) as [DrugSchedule, string[]][]) {
      for (const name of names) expect(warningsFor({ ...plain, ingredients: [name] })).not.toEqual([]);
      expect(federalCaution({ drug_schedule: schedule }) !== null).toBe(["2", "3", "4"].includes(schedule));
    }
    expect(federalCaution({ drug_schedule: "0" })).toBeNull();
  });
});

test("a label shows the prescribed drug beside another one that was dispensed", async () => {
  const printed = async (prescribed_as: string | null) =>
    textOf(await prescriptionLabel(pharmacy, { ...item, prescribed_as }));
  expect(await printed("Ambien 5 mg tablet, NDC 00024-5401-31")).toContain("Prescribed: Ambien 5 mg tablet");
  expect(await printed(null)).not.toContain("Prescribed:");
});

describe("text in the characters of an output", () => {
  test.each([
    ["Zoë Nuñez", "Zoë Nuñez", "Zoe Nunez"],
    ["Łukasz Żółć", "Łukasz Żółć", "Lukasz Zolc"],
    ["Nguye\u0302\u0303n Đức", "Nguyễn Đức", "Nguyen Duc"],
    ["O\u2019Neil \u2013 \u201cKit\u201d", "O\u2019Neil \u2013 \u201cKit\u201d", 'O\'Neil - "Kit"'],
    ["1\u00bd or 1\u2153 tablets", "1\u00bd or 1\u2153 tablets", "1 1/2 or 1 1/3 tablets"],
    ["10\u2076 units, 5 \u03bcg \u2264 1 g", "10\u2076 units, 5 \u03bcg \u2264 1 g", "10^6 units, 5 ug <= 1 g"],
    ["Stra\u00dfe\u00a05\n\u2029West", "Straße 5 West", "Strasse 5 West"],
    ["李\u{e0100} Li", "李 Li", "? Li"],
    ["a\u00adb\u202ec", "abc", "abc"],
  ])("%j", (given, plain, ascii) => {
    expect([plainText(given), asciiText(given)]).toEqual([plain, ascii]);
  });
  test.each([
    ["\u2153", " 1/3"],
    ["\u2264", "<="],
    ["\u2076", "^6"],
    ["\ufb01", "fi"],
    ["\uff21", "A"],
    ["Ł", null],
    ["李", null],
    ["\u{13000}", null],
    ["\u{1f600}", null],
  ])("%j without a font is %j", (char, other) => {
    expect(writtenOtherwise(char)).toBe(other);
    expect(isWinAnsiText(char)).toBe(false);
  });
});

test("a drug is discarded a year after it was filled, or when its lot expires", () => {
  expect(discardAfter({ filled_date: "2028-02-29", lot_expires_on: "2030-01-01" })).toBe("2029-02-28");
  expect(discardAfter({ filled_date: "2026-11-15", lot_expires_on: "2027-03-31" })).toBe("2027-03-31");
});

describe("text in other alphabets", () => {
  const written: Record<string, { first_name: string; last_name: string; sig_text: string }> = {
    "extended Latin": {
      first_name: "Łukasz",
      last_name: "Żółć-Şimşek",
      sig_text: "Przyjmować 1 tabletkę dziennie z jedzeniem; öğleden önce.",
    },
    Vietnamese: {
      first_name: "Nguyễn Thị",
      last_name: "Hồng Ẩn",
      sig_text: "Uống 1 viên mỗi ngày vào buổi sáng sau khi ăn.",
    },
    Cyrillic: {
      first_name: "Екатерина",
      last_name: "Щербакова",
      sig_text: "Принимать по 1 таблетке 2 раза в день после еды.",
    },
    Greek: {
      first_name: "Αλέξανδρος",
      last_name: "Παπαδόπουλος",
      sig_text: "Πάρτε ένα δισκίο κάθε πρωί με φαγητό.",
    },
    Arabic: {
      first_name: "محمد",
      last_name: "عبد الرحمن",
      sig_text: "تناول قرصًا واحدًا (5 mg) عن طريق الفم مرتين يوميًا مع الطعام لمدة 10 أيام.",
    },
    Hebrew: {
      first_name: "יוסף",
      last_name: "בן־דוד",
      sig_text: "קח טבליה אחת (5 mg) דרך הפה פעמיים ביום עם אוכל.",
    },
    Chinese: {
      first_name: "小龍",
      last_name: "李",
      sig_text: "每天早上饭后口服一片（5毫克），连续服用十天，请勿与酒精同时服用。",
    },
    Japanese: {
      first_name: "太郎",
      last_name: "髙橋",
      sig_text: "1日1回、朝食後に1錠を水で服用してください。眠気に注意してください。",
    },
    Korean: {
      first_name: "민준",
      last_name: "김",
      sig_text: "하루에 한 번 아침 식사 후에 한 알을 드십시오. 졸음이 올 수 있습니다.",
    },
    Devanagari: {
      first_name: "अनुष्का",
      last_name: "शर्मा",
      sig_text: "दिन में दो बार भोजन के बाद एक गोली लें। क्षत्रिय श्री कृष्ण।",
    },
  };

  /** East Asian text breaks anywhere, so lines are joined without their spaces. */
  const packed = (text: string) => text.replaceAll(" ", "");
  /** The texts of each size by themselves: the heading of a second label comes between two lines of the directions. */
  const inOneSize = (file: Buffer) => {
    const texts = readPdf(file).flatMap((page) => page.texts);
    const sizes = [...new Set(texts.map(({ size }) => size))];
    return sizes.map((size) =>
      packed(
        texts
          .filter((one) => one.size === size)
          .map(({ text }) => text)
          .join(""),
      ),
    );
  };

  describe.each(Object.entries(written))("%s", (_alphabet, { first_name, last_name, sig_text }) => {
    const person = { ...to, first_name, last_name, street1: `18 ${last_name}`, city: first_name };
    const dispensed = { ...item, patient: person, sig_text, prescriber_name: `${last_name} ${first_name}` };
    const name = `${first_name} ${last_name}`;
    const long = Array.from({ length: 14 }, () => sig_text).join(" ");
    const makes: Record<string, [make: () => Promise<Buffer>, said: string[]]> = {
      "shipping label": [() => shippingLabel({ ...label, to: person }), [name, `18 ${last_name}`]],
      "prescription label": [() => prescriptionLabel(pharmacy, dispensed), [name, sig_text]],
      "prescription label with long directions": [
        () => prescriptionLabel(pharmacy, { ...dispensed, sig_text: long }),
        [name, long],
      ],
      leaflet: [() => leaflet(pharmacy, dispensed), [name, sig_text]],
      "letter slip": [() => packingSlip(pharmacy, { ...slip, to: person }), [name, `18 ${last_name}`]],
      "thermal slip": [() => packingSlip(pharmacy, { ...slip, to: person }, "4x6"), [name, `18 ${last_name}`]],
    };
    test("is printed as written on every document", async () => {
      for (const [document, [make, said]] of Object.entries(makes)) {
        const file = await make();
        const text = inOneSize(file);
        for (const words of said)
          expect([document, text.filter((one) => one.includes(packed(words))).length > 0, words]).toEqual([
            document,
            true,
            words,
          ]);
        const lines = readPdf(file).flatMap(({ texts }) => texts.filter(({ embedded }) => embedded !== undefined));
        expect(lines.length).toBeGreaterThan(1);
        expect(lines.filter(({ embedded }) => embedded!.missing)).toEqual([]);
        expect(beyondThePage(file)).toEqual([]);
      }
    });
  });

  test("gives the same bytes after other documents", async () => {
    const print = (first_name: string, sig_text: string) =>
      prescriptionLabel(pharmacy, { ...item, patient: { first_name, last_name: "Ng" }, sig_text });
    const before = await print("علي", "ي ﻲ 1");
    await print("علی", "ی ﻱ 1");
    expect((await print("علي", "ي ﻲ 1")).equals(before)).toBe(true);
  });

  test("runs from right to left, with numbers and other words from left to right", () => {
    const bidi = (bidiFactory as unknown as () => Bidi)();
    const faces = openFaces();
    const shown = (line: string) => runsOf(line, faces, bidi).map(({ text }) => text);
    // The font turns a run of letters around by itself; brackets and numbers are in their place.
    expect(shown("שלום (5 mg) היום")).toEqual(["היום", " (", "mg", " ", "5", ") ", "שלום"]);
    expect(shown("Rx for שלום 12, ok")).toEqual(["Rx for ", "12", " ", "שלום", ", ok"]);
    // Persian digits count as Arabic letters for the font, but run from left to right.
    expect(shown("۱۲۳ قرص")).toEqual(["قرص", " ", "۳۲۱"]);
  });

  test("without a font is refused, with its field and character", async () => {
    const texts = [
      { field: "the directions", text: "Take ½ tablet ≤ 2 times" },
      { field: "the patient's last name", text: "Ng 𓀀" },
    ];
    const found = await pdfDocuments.findUnprintable(texts);
    expect(found).toEqual({ text: texts[1], char: "𓀀" });
    expect(unprintableSentence(found!.text, found!.char)).toBe(
      'Pestle has no font for the character "𓀀" (U+13000) in the patient\'s last name, so it cannot print this document. Correct the text first.',
    );
    expect(await pdfDocuments.findUnprintable(texts.slice(0, 1))).toBeUndefined();
    await expect(leaflet(pharmacy, { ...item, patient: { first_name: "Ng", last_name: "𓀀" } })).rejects.toThrow();
  });
});

describe("a label by the rules of a state", () => {
  /** Joins the lines and pages, without spaces: a long element continues on the next line. */
  const printedOn = (file: Buffer) => textOf(file).replaceAll(" ", "");
  const refill = { ...item, drug_name: "Zolpidem 5 mg tablet" };
  const extreme = {
    ...item,
    patient: { first_name: "Wolfeschlegelsteinhausen", last_name: "Bergerdorff-Montgomery-Smythe" },
    drug_name: `Zolpidem ${"tartrate ".repeat(12)}5 mg tablet`,
    prescriber_name: "Maximiliane Theodora Featherstonehaugh-Cholmondeley, MD, PhD",
    prescribed_as: `Ambien ${"zolpidem tartrate ".repeat(8)}5 mg tablet`,
    purpose: "Insomnia with difficulty of staying asleep after midnight",
  };
  const house = {
    ...pharmacy,
    name: "The Independent Community Pharmacy of Northern Cumberland Co",
    street: "12345 Old Northwest Industrial Road",
    city: "Rancho Santa Margarita of the Hills",
  };

  test.each(stateCodes)("%s has each required element, in short and in extreme texts", async (state) => {
    const rule = labelRuleOf(state);
    for (const [from, dispensed] of [
      [pharmacy, { ...refill, state }],
      [house, { ...extreme, state }],
    ] as const) {
      const file = await prescriptionLabel(from, dispensed);
      const said = printedOn(file);
      for (const element of [...rule.elements, ...controlledElements, "pharmacy_license" as const]) {
        const text = labelElements[element](from, dispensed);
        expect([element, text]).not.toEqual([element, null]);
        expect([element, said.includes(text!.replaceAll(" ", ""))]).toEqual([element, true]);
      }
      expect(said).not.toContain("…");
      expect(beyondThePage(file)).toEqual([]);
    }
  });

  test("in California prints the four items for the patient in 12 points, together in half of the label", async () => {
    const { points, share } = labelRuleOf("CA").patient_centered!;
    const file = await prescriptionLabel(pharmacy, { ...refill, state: "CA" });
    const [page] = readPdf(file);
    const box = page!.boxes.toSorted((a, b) => b.width * b.height - a.width * a.height)[0]!;
    expect(box.width * box.height).toBeGreaterThanOrEqual(share * page!.width * page!.height);
    const inside = page!.texts.filter(({ y }) => y > box.y && y < box.y + box.height);
    expect(inside.map(({ text }) => text).join(" ")).toBe(
      `Zoë Nuñez Zolpidem 5 mg tablet ${refill.sig_text} For: Insomnia`,
    );
    expect(inside.every(({ size, font }) => size >= points && font.startsWith("Helvetica"))).toBe(true);
  });

  test("of a pharmacy with a long name and address stays readable, and nothing overlaps", async () => {
    const long = {
      ...pharmacy,
      name: "Saint Bartholomew Community Compounding & Specialty Pharmacy",
      street: "41022 North Old Quarry Road, Suite 1200",
      city: "Rancho Santa Margarita",
    };
    const [page] = readPdf(await prescriptionLabel(long, { ...refill, state: "CA" }));
    const box = page!.boxes.toSorted((a, b) => b.width * b.height - a.width * a.height)[0]!;
    const { share } = labelRuleOf("CA").patient_centered!;
    expect(box.width * box.height).toBeGreaterThanOrEqual(share * page!.width * page!.height);
    const header = page!.texts.filter(({ y }) => y <= box.y);
    expect(header.map(({ text }) => text).join(" ")).toContain(`${long.name} ${long.street}, ${long.city}`);
    expect(Math.min(...header.map(({ size }) => size))).toBeGreaterThanOrEqual(6);
    const [mark] = page!.texts.filter(({ text }) => text === "C-IV");
    const [caution] = page!.texts.filter(({ text }) => text.startsWith("Caution:"));
    expect(mark!.y + 1).toBeLessThan(caution!.y - caution!.size);
  });

  test("prints the purpose only where the state asks for it", async () => {
    expect(textOf(await prescriptionLabel(pharmacy, { ...refill, state: "OH" }))).not.toContain("Insomnia");
    expect(textOf(await prescriptionLabel({ ...pharmacy, state: "CA" }, refill))).toContain("For: Insomnia");
  });

  test.each([
    [["semaglutide"], "Semaglutide 2 mg/3 mL pen", "Discard 56 days after first use"],
    [["semaglutide"], "Semaglutide 7 mg tablet", null],
    [["insulin glargine"], "Lantus SoloStar 100 units/mL", "Discard 28 days after first use"],
    [["insulin glargine"], "Toujeo 300 units/mL pen", "Discard 56 days after first use"],
    [["zolpidem"], "Zolpidem 5 mg tablet", null],
  ])("of %j %s says %j", (ingredients, drug_name, words) => {
    expect(labelElements.in_use_limit(pharmacy, { ...item, ingredients, drug_name })).toBe(words);
  });

  test.each([
    [["finasteride"], "Finasteride 1 mg tablet", "Generic for Propecia"],
    [["finasteride"], "Finasteride 5 mg tablet", "Generic for Proscar"],
    [["atorvastatin"], "Lipora (atorvastatin) 20 mg tablet", null],
    [["lisinopril", "hydrochlorothiazide"], "Lisinopril and hydrochlorothiazide 10 mg tablet", null],
  ])("of %j %s is %j", (ingredients, drug_name, words) => {
    expect(labelElements.generic_for(pharmacy, { ...item, ingredients, drug_name })).toBe(words);
  });
});

test("a leaflet has the drug's boxed warning, that it needs a Medication Guide, and what to do after a missed dose", async () => {
  const printed = async (drug_name: string, ingredients: string[]) =>
    textOf(await leaflet(pharmacy, { ...item, drug_name, ingredients }));
  const sleep = await printed("Zolpidem 5 mg tablet", ["zolpidem"]);
  expect(sleep).toContain("FDA boxed warning: Some people walk, drive");
  expect(sleep).toContain("The law requires a Medication Guide with this drug.");
  expect(sleep).toContain("Take it only at bedtime");
  const weekly = await printed("Semaglutide 2 mg/3 mL pen", ["semaglutide"]);
  expect(weekly).toContain("inject it within 5 days of the missed day");
  expect(weekly).toContain("Discard 56 days after first use.");
  const plain = await printed("Atorvastatin 20 mg tablet", ["atorvastatin"]);
  expect(plain).not.toMatch(/boxed warning|Medication Guide/);
  expect(plain).toContain("Take it as soon as you remember.");
});
