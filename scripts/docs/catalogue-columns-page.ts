import { writeCell } from "../../server/src/domain/catalogue/cells.ts";
import { catalogueColumns } from "../../server/src/domain/catalogue/columns.ts";
import { catalogueKinds } from "../../server/src/domain/catalogue/rows.ts";
import { catalogueRules } from "../../server/src/domain/catalogue/rules.ts";
import { stockEntryKinds } from "../../server/src/domain/catalogue/stock.ts";
import { code, generated, page, table } from "./markdown.ts";

export function catalogueColumnsPage() {
  const empty = (value: (typeof catalogueColumns)["products"][0]["empty"]) =>
    value === undefined ? "must be filled" : code(writeCell(value) || "(empty)");
  const signs = { "-1": "less", "0": "", "1": "more" } as const;
  return page(
    generated("the tables of `server/src/domain/catalogue` and `server/src/domain/catalogue/stock.ts`"),
    "# Columns of catalogue files\n",
    "How files are imported is told in [guides/catalogue.md](guides/catalogue.md). The first column of a kind is its key: it tells which row is meant. In CSV the items of a list are separated by `;`.\n",
    ...catalogueKinds.flatMap((kind) => [
      `## ${kind}\n`,
      table(
        ["column", "in a cell", "empty or left out for a new row", "meaning", "expected"],
        catalogueColumns[kind].map(({ name, cell, empty: fallback, meaning, expected }) => [
          code(name),
          cell,
          empty(fallback),
          meaning,
          expected,
        ]),
      ),
      "What a file is refused for beside its cells, by column:\n",
      ...[...catalogueRules[kind].rows, ...catalogueRules[kind].whole].map(
        ({ column, sentence }) => `- ${code(column)}: ${sentence}`,
      ),
      "",
    ]),
    "## Entries of the stock ledger\n",
    table(
      ["entry", "on hand", "reserved"],
      Object.entries(stockEntryKinds).map(([kind, { on_hand, reserved }]) => [
        code(kind),
        kind === "counted" ? "what was counted" : signs[on_hand],
        signs[reserved],
      ]),
    ),
  );
}
