import { writeCell } from "../../server/src/domain/catalogue/cells.ts";
import { catalogueColumns } from "../../server/src/domain/catalogue/columns.ts";
import { catalogueKinds } from "../../server/src/domain/catalogue/rows.ts";
import { catalogueRules } from "../../server/src/domain/catalogue/rules.ts";
import { stockEntryKinds } from "../../server/src/domain/catalogue/stock.ts";
import { code, generated, page, table } from "./markdown.ts";

export function catalogueColumnsPage() {
  const empty = (value: (typeof catalogueColumns)["products"][0]["empty"]) =>
    value === undefined ? "required" : code(writeCell(value) || "(empty)");
  const signs = { "-1": "less", "0": "", "1": "more" } as const;
  return page(
    generated("the tables of `server/src/domain/catalogue` and `server/src/domain/catalogue/stock.ts`"),
    "# Columns of catalogue files\n",
    "You will know what to write into each column. [The catalogue and stock](guides/catalogue.md) explains imports. The first column of each kind is its key. In CSV, separate the items of a list with `;`.\n",
    ...catalogueKinds.flatMap((kind) => [
      `## ${kind}\n`,
      table(
        ["column", "in a cell", "default for a new row", "meaning", "expected"],
        catalogueColumns[kind].map(({ name, cell, empty: fallback, meaning, expected }) => [
          code(name),
          cell,
          empty(fallback),
          meaning,
          expected,
        ]),
      ),
      "Other rules that reject a file, by column:\n",
      ...[...catalogueRules[kind].rows, ...catalogueRules[kind].whole].map(
        ({ column, sentence }) => `- ${code(column)}: ${sentence}`,
      ),
      "",
    ]),
    "## Entries of the stock ledger\n",
    table(
      ["entry", "on hand", "reserved", "returned"],
      Object.entries(stockEntryKinds).map(([kind, { on_hand, reserved, returned }]) => [
        code(kind),
        kind === "counted" ? "set to the count" : signs[on_hand],
        signs[reserved],
        signs[returned],
      ]),
    ),
  );
}
