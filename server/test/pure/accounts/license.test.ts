import { describe, expect, test } from "vitest";
import { currentLicense, readLicense } from "../../../src/domain/accounts/license.ts";

const noLicense = { license_number: null, license_state: null, license_expires_on: null, npi: null };
const good = { license_number: "RPH 1204", license_state: "CA", license_expires_on: "2027-05-31", npi: "1234567893" };

describe("a pharmacist's license", () => {
  test("is read with its parts trimmed and the state in capitals", () => {
    expect(readLicense({ ...good, license_number: " RPH 1204 ", license_state: "ca" })).toEqual({ license: good });
    expect(readLicense({})).toEqual({ license: noLicense });
    expect(readLicense({ license_number: "", license_state: " ", license_expires_on: null, npi: "" })).toEqual({
      license: noLicense,
    });
    expect(readLicense({ npi: "1234567893" })).toEqual({ license: { ...noLicense, npi: "1234567893" } });
  });

  const wrong: Record<string, Partial<typeof good>> = {
    "without a state": { license_state: "" },
    "without a number": { license_number: "" },
    "without a date": { license_expires_on: "" },
    "of a state that does not exist": { license_state: "ZZ" },
    "with a day that does not exist": { license_expires_on: "2027-02-29" },
    "with a date of another form": { license_expires_on: "05/31/2027" },
    "with a year from a typing error": { license_expires_on: "0027-05-31" },
    "with a number that is too long": { license_number: "1".repeat(41) },
    "with markup in its number": { license_number: "<b>1</b>" },
    "with a wrong check digit in the NPI": { npi: "1234567890" },
    "with letters in the NPI": { npi: "12345678AB" },
  };
  for (const [name, change] of Object.entries(wrong)) {
    test(`${name} has a problem in words`, () => {
      expect(readLicense({ ...good, ...change })).toEqual({ problem: expect.stringMatching(/^[A-Z].*\.$/) });
    });
  }

  test("is current up to and including the day on which it expires", () => {
    expect(currentLicense(good, "2027-05-30")).toBe("RPH 1204");
    expect(currentLicense(good, "2027-05-31")).toBe("RPH 1204");
    expect(currentLicense(good, "2027-06-01")).toBeNull();
    expect(currentLicense(noLicense, "2027-05-30")).toBeNull();
  });
});
