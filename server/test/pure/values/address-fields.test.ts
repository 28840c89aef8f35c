import { errors } from "@pestle/contract";
import { describe, expect, test } from "vitest";
import { loadZipTable } from "../../../src/adapters/addresses/zip-table.ts";
import {
  type AddressFields,
  checkAddressFields,
  tidyAddress,
} from "../../../src/domain/values/address/check-address-fields.ts";
import { northAmericanPhone } from "../../../src/domain/values/address/phone.ts";
import { quickest } from "../../support/tools/quickest.ts";

const zips = loadZipTable();
const good = {
  first_name: "Odalys",
  last_name: "Brandt-O'Shea",
  street1: "18 Fennel Lane",
  street2: "Apt 4",
  city: "San Francisco",
  state: "CA",
  zip: "94103",
  phone: "(415) 555-0142",
};
const problems = (change: AddressFields) =>
  checkAddressFields({ ...good, ...change }, zips).map(({ code, field }) => ({ code, field }));

const long = "x".repeat(10_000);
/** Valid and invalid values for each field. A value of another type is always invalid. */
const fields: Record<keyof typeof good, { code: number; right: unknown[]; wrong: unknown[] }> = {
  first_name: {
    code: 42221,
    right: ["O", "Zoë", "Mary Jo", "D’Arcy", "J.", "Иван", "山田", "Jo\u0308rg", " Ana ", "N".repeat(40)],
    wrong: ["", "  ", "R2D2", "42", "Ana\n", "An\u0000a", "N".repeat(41), "-", "Ana, MD", "\u202eana", "😀"],
  },
  last_name: {
    code: 42222,
    right: ["O'Shea", "van der Berg", "St. Clair", "Nguyễn", "𠮷野".repeat(20)],
    wrong: ["", "Smith3", "Smith\tJones", "<b>", "𠮷野".repeat(21)],
  },
  street1: {
    code: 42223,
    right: ["18 Fennel Lane", "PO Box 9", "12½ Calle Peñasco #3", "x".repeat(100)],
    wrong: ["", "   ", "---", "18 Fennel\nLane", "18 \u0007", "x".repeat(101)],
  },
  street2: { code: 42200, right: [undefined, null, "", "  ", "Apt 4"], wrong: ["#", "Apt\u0000", "x".repeat(101)] },
  city: {
    code: 42225,
    right: ["San Francisco", "Coeur d'Alene", "Winston-Salem", "115 Firms"],
    wrong: ["", "94103", "San\nFrancisco", "x".repeat(51)],
  },
  state: { code: 42226, right: ["CA", "ca", " CA "], wrong: ["", "C", "XX", "ON", "California", "CAL", "__proto__"] },
  zip: {
    code: 42227,
    right: ["94103", "94103-1234", "941031234", " 94103 "],
    wrong: ["", "9410", "94103-", "94103-12", "94193", "10001", "00000", "٩٤١٠٣", "94103 1234"],
  },
  phone: {
    code: 42200,
    right: [undefined, null, "", "4155550142", "+1 415-555-0142", "1.415.555.0142"],
    wrong: ["555-0142", "0155550142", "4150550142", "9115550142", "4159110142", "44 20 7946 0958", "call me"],
  },
};

describe("the fields of an address", () => {
  test("that are all valid have no problem", () => {
    expect(checkAddressFields(good, zips)).toEqual([]);
  });

  test.each(Object.entries(fields))("%s accepts valid values and fails only with its own code", (field, row) => {
    for (const right of row.right) expect([right, problems({ [field]: right })]).toEqual([right, []]);
    for (const wrong of [...row.wrong, long, 7, true, {}, []]) {
      expect([wrong, problems({ [field]: wrong })]).toEqual([wrong, [{ code: row.code, field }]]);
    }
    expect(row.code === 42200 || errors[row.code as 42221][1] === `address.${field}`).toBe(true);
  });

  test("are all reported at once, in code order", () => {
    expect(checkAddressFields({}, zips).map(({ code }) => code)).toEqual([42221, 42222, 42223, 42225, 42226, 42227]);
    expect(problems({ phone: "x", street2: "#", zip: "1", state: "?" }).map(({ code }) => code)).toEqual([
      42200, 42200, 42226, 42227,
    ]);
  });

  test("report a ZIP code that does not match the state only if the state is valid", () => {
    expect(problems({ state: "NY" })).toEqual([{ code: 42227, field: "zip" }]);
    expect(problems({ state: "XX" })).toEqual([{ code: 42226, field: "state" }]);
    expect(problems({ city: "Fishers Island", state: "NY", zip: "06390" })).toEqual([]);
    expect(problems({ city: "Fishers Island", state: "CT", zip: "06390" })).toEqual([{ code: 42227, field: "zip" }]);
  });

  test("are stored trimmed and normalized", () => {
    const sent = {
      ...good,
      first_name: " Odalys ",
      street1: "18  Fennel Lane ",
      street2: " ",
      state: "ca",
      zip: "941031234",
    };
    expect(tidyAddress(sent)).toEqual({
      ...good,
      street2: null,
      zip: "94103-1234",
      phone: "4155550142",
    });
    expect(tidyAddress({ ...good, phone: undefined }).phone).toBe(null);
  });

  test("cost almost no time, however long", () => {
    const hostile = ["x", " ", "'", "-", "1", "\u0301", "#", "PO BOX ", "😀", "-'. "].map((bit) => bit.repeat(10_000));
    const cost_ms = quickest(200, () => {
      for (const text of hostile) {
        const all = Object.fromEntries(Object.keys(good).map((field) => [field, text]));
        expect(checkAddressFields(all, zips).length).toBeGreaterThan(5);
        expect(northAmericanPhone(text)).toBe(null);
      }
    });
    expect(cost_ms).toBeLessThan(200);
  });
});
