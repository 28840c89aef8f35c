import fc from "fast-check";
import { expect, test } from "vitest";
import { csvText } from "../src/ui/csv-text.ts";

test("cells are quoted where they must be, and lists are joined", () => {
  expect(csvText([["a", 'say "x", y', null, 3, [1, 2]]])).toBe('a,"say ""x"", y",,3,1;2\r\n');
});

test("no text of somebody else becomes a formula in a spreadsheet", () => {
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
