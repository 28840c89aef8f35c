import fc from "fast-check";
import { expect, test } from "vitest";
import { csvText } from "../src/ui/csv-text.ts";

test("quotes cells where needed and joins lists", () => {
  expect(csvText([["a", 'say "x", y', null, 3, [1, 2]]])).toBe('a,"say ""x"", y",,3,1;2\r\n');
});

test("escapes text that a spreadsheet would run as a formula", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const [cell = ""] = csvText([[text]])
        .replace(/^"/, "")
        .split("\r\n");
      expect(cell).not.toMatch(/^[=+\-@\t]/);
    }),
  );
  expect(csvText([[-3]])).toBe("-3\r\n");
});
