import { type Colleague, mentionedIn, transitionsFrom, workEvents } from "@pestle/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isAsked, readQuestion } from "../../../src/domain/fulfillment/search-question.ts";
import { obstacleOf } from "../../../src/domain/orders/order.ts";
import { initials, maskedPatient } from "../../../src/domain/patients/masked-patient.ts";
import { lineDifferences } from "../../../src/domain/values/line-differences.ts";
import { csvLines } from "../../../src/http/fulfillment/order-csv.ts";

describe("search input", () => {
  test("is read as everything that it may be", () => {
    expect(readQuestion("7k2m9xq4tb")).toMatchObject({ order_number: "7K2M9XQ4TB", tracking_no: "7K2M9XQ4TB" });
    expect(readQuestion(" 9400 1000 0000 0000 0000 00 ")).toMatchObject({
      order_number: null,
      tracking_no: "9400100000000000000000",
      prescription_id: null,
    });
    expect(readQuestion("183601")).toMatchObject({ prescription_id: 183601, reference: "183601" });
    expect(readQuestion("7k2m9")).toMatchObject({
      order_prefix: "7K2M9",
      order_number: null,
      lots: ["7k2m9", "7K2M9"],
    });
    for (const no_prefix of ["7k2", "7k2m9xq4tb", "7k2u9", "7k 2m"])
      expect(readQuestion(no_prefix)!.order_prefix).toBeNull();
    for (const phone of ["4155550142", "(415) 555-0142", "415-555-0142", "+1 415 555 0142", "1.415.555.0142"]) {
      expect(readQuestion(phone)).toMatchObject({ phone });
    }
    for (const other of ["555-0142", "415555014", "94001000000000", "cart 4155550142"]) {
      expect(readQuestion(other)!.phone).toBeNull();
    }
    expect(readQuestion("Ada@Moss.example")).toMatchObject({ email: "Ada@Moss.example" });
    expect(readQuestion("ada@moss")!.email).toBeNull();
    for (const nothing of ["", "   ", "x".repeat(201)]) expect(readQuestion(nothing)).toBeNull();
  });

  test("finds a person by name and birth date in every usual order", () => {
    const ada = { first_name: "Ada", last_name: "Byron", dob: "1980-05-01" };
    for (const text of [
      "Ada Byron 1980-05-01",
      "1980-05-01 Ada Byron",
      "Byron, Ada 05/01/1980",
      "Byron Ada 5/1/1980",
      "Byron , Ada, 5.1.1980",
    ]) {
      expect([text, readQuestion(text)!.people]).toEqual([text, expect.arrayContaining([ada])]);
    }
    expect(readQuestion("Maria de la Cruz 1990-12-31")!.people).toContainEqual({
      first_name: "Maria",
      last_name: "de la Cruz",
      dob: "1990-12-31",
    });
    for (const text of ["Ada Byron", "Ada Byron 1980-02-30", "Byron 1980-05-01"]) {
      expect([text, readQuestion(text)!.people]).toEqual([text, []]);
    }
  });

  test("finds a person by last name, by date of birth, or by both", () => {
    for (const text of ["1985-03-07", "3/7/1985", " 03/07/1985 ", "3.7.1985"]) {
      expect([text, readQuestion(text)]).toMatchObject([text, { dob: "1985-03-07", named: [], people: [] }]);
    }
    for (const text of ["1985-02-30", "13/32/1985", "3/7/85", "Byron 1985-03-07"])
      expect([text, readQuestion(text)!.dob]).toEqual([text, null]);
    const last_name = (text: string, dob: string | null = null) => ({ last_name: text, first_name: null, dob });
    expect(readQuestion("O’Neil-Núñez")!.named).toEqual([last_name("O’Neil-Núñez")]);
    expect(readQuestion("de la Cruz 3/7/1985")!.named).toEqual([last_name("de la Cruz", "1985-03-07")]);
    expect(readQuestion("Moss, Ada")!.named).toEqual([{ last_name: "Moss", first_name: "Ada", dob: null }]);
    expect(readQuestion("Ada Moss")!.named).toEqual([
      last_name("Ada Moss"),
      { last_name: "Moss", first_name: "Ada", dob: null },
      { last_name: "Ada", first_name: "Moss", dob: null },
    ]);
    for (const text of ["x", "--", "7k2m9", "cart 12", "415-555-0142", "a b c d e f", "Byron 1985-02-30"])
      expect([text, readQuestion(text)!.named.filter(({ first_name }) => first_name !== null)]).toEqual([text, []]);

    const record = { first_name: "José María", last_name: "De la Cruz", dob: "1985-03-07" };
    for (const text of ["delacruz", "DE LA CRUZ", "de la cruz, jose", "Jose de la Cruz", "De La Cruz 3/7/1985"])
      expect([text, isAsked(readQuestion(text)!.named, record)]).toEqual([text, true]);
    for (const text of ["cruz", "de la cruz, juan", "Maria de la Cruz", "de la cruz 3/8/1985"])
      expect([text, isAsked(readQuestion(text)!.named, record)]).toEqual([text, false]);
  });

  test("finds a product by SKU, NDC or the beginning of its name", () => {
    expect(readQuestion("Lipora 20")!.product).toEqual({
      skus: ["Lipora 20", "lipora 20", "LIPORA 20"],
      ndc: null,
      name: "lipora 20",
    });
    for (const ndc of ["00093505698", "00093-5056-98"]) expect(readQuestion(ndc)!.product!.ndc).toBe("00093505698");
    expect(readQuestion("li")!.product).toBeNull();
  });

  test("of any kind is read without an error", () => {
    fc.assert(fc.property(fc.string({ maxLength: 300 }), (text) => void readQuestion(text)));
  });
});

describe("a masked patient", () => {
  test("shows two letters, a year and a state, for any name", () => {
    expect(initials({ first_name: "Zsófia", last_name: "O’Hara" })).toBe("ZO");
    expect(initials({ first_name: "  '明", last_name: "éva" })).toBe("明É");
    expect(initials({ first_name: "", last_name: "123" })).toBe("");
    fc.assert(
      fc.property(fc.string({ minLength: 3 }), fc.string({ minLength: 3 }), (first_name, last_name) => {
        const masked = maskedPatient("x", { first_name, last_name, dob: "1980-05-01", addresses: [] });
        expect(masked.birth_year).toBe("1980");
        expect([...masked.initials.normalize("NFD").replaceAll(/\p{M}/gu, "")].length).toBeLessThanOrEqual(6);
      }),
    );
  });
});

describe("the differences of a line", () => {
  const written = {
    drug_name: "Lipora 20 mg tablet",
    ndc: "70999010230",
    written_qty: 90,
    drug_schedule: "0" as const,
  };
  const given = { name: "Atorvastatin 20 mg tablet", ndc: "70999010130", units: 90, schedule: "0" as const };
  test("another maker's product is normal, unless the prescriber forbids it", () => {
    const marks = (daw: boolean) =>
      lineDifferences(given, { ...written, daw }).map(({ field, notable }) => [field, notable]);
    expect(marks(false)).toEqual([
      ["product", false],
      ["ndc", false],
    ]);
    expect(marks(true)).toEqual([
      ["product", true],
      ["ndc", true],
    ]);
  });
  test("another quantity or schedule is always shown, and an equal one is not", () => {
    const same = { ...written, drug_name: "ATORVASTATIN 20 mg, Tablet", ndc: given.ndc, daw: true };
    expect(lineDifferences(given, same)).toEqual([]);
    expect(lineDifferences({ ...given, units: 60, schedule: "4" }, same)).toEqual([
      { field: "units", prescribed: "90", dispensed: "60", notable: true },
      { field: "schedule", prescribed: "0", dispensed: "4", notable: true },
    ]);
  });
});

test("@Name in a note means the colleague with the longest name that fits, or with a first name of their own", () => {
  const names = [
    "Dana Reed",
    "Dana Reed-Ortiz",
    "Tom Wu",
    "Tom Alba",
    "Zoë Kline",
    "Lee",
    "Lee Park",
    "Sam Roe",
    "Sam Roe",
  ];
  const staff = names.map((name, at): Colleague => ({ person_id: `${at}`, name, role: "technician" }));
  const meant = (text: string) => mentionedIn(text, staff).map(({ person_id, name }) => `${person_id} ${name}`);
  expect(meant("@Dana Reed please check")).toEqual(["0 Dana Reed"]);
  expect(meant("@dana reed-ortiz, and @ZOË: look")).toEqual(["1 Dana Reed-Ortiz", "4 Zoë Kline"]);
  expect(meant("(@Tom Wu) @Tom Wu\n@Tom  Alba.")).toEqual(["2 Tom Wu", "3 Tom Alba"]);
  // Two have the first name, so it means no one; two have the same full name, so both are meant.
  expect(meant("@Tom @Dana")).toEqual([]);
  expect(meant("@Sam Roe")).toEqual(["7 Sam Roe", "8 Sam Roe"]);
  expect(meant("@Lee Park @Lee")).toEqual(["6 Lee Park", "5 Lee"]);
  for (const none of ["", "@", "@ Zoë", "write to zoe@Zoë", "x.@Lee", "@Leeward", "Dana Reed", "@Nobody"]) {
    expect([none, meant(none)]).toEqual([none, []]);
  }
  fc.assert(
    fc.property(fc.string(), fc.constantFrom(...names), (text, name) => {
      expect(meant(`${text} @${name}`).some((one) => one.endsWith(` ${name}`))).toBe(true);
    }),
  );
});

test("every event of pharmacy staff has a row in the transition table, or changes no state", () => {
  const operator = { roles: ["operator", "pharmacist", "technician"] as const, person_id: "x" };
  const moving = workEvents.filter((event) => !["claim", "assign", "release", "print", "note"].includes(event));
  const states = ["Processing/clinical_review", "Filling/fill", "Filling/product_check", "Filling/pack"] as const;
  const all = [...states, "Shipped", "Delivered", "On Hold", "Canceled"] as const;
  for (const event of moving as Parameters<typeof obstacleOf>[1][]) {
    const possible = all.filter((state) => obstacleOf(state, event, operator) === null);
    expect([event, possible]).toEqual([
      event,
      all.filter((state) => transitionsFrom(state).some((row) => row.event === event)),
    ]);
    expect(possible.length).toBeGreaterThan(0);
  }
});

test("no cell of the file starts like a formula, and each is one cell", () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom("", "=", "+", "-", "@", "\t", "\r"), (text, start) => {
      const [line = ""] = csvLines([{ reference: start + text } as never]).split(/\n$/);
      // A quoted cell ends at the next single quote, regardless of commas and line ends in it.
      const cells = [...`,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,"]*))/g)].map(
        ([, quoted, bare]) => quoted ?? bare,
      );
      expect(cells).toHaveLength(csvLines([{} as never]).split(",").length);
      // A negative number is none.
      for (const cell of cells) expect(cell).not.toMatch(/^(?!-\d+(\.\d+)?$)[=+\-@\t\r]/);
    }),
  );
});
