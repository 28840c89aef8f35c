import { Button } from "../ui/controls/button.tsx";
import { csvText } from "../ui/csv-text.ts";
import { toast } from "../ui/display/toast.tsx";
import { saveFile } from "../ui/save-file.ts";
import { numberText } from "../ui/words/number-text.ts";
import { say } from "../ui/words/say.tsx";
import type { Known, Read } from "./api-path.ts";
import { Problem } from "./problem.tsx";
import { useChange } from "./use-change.ts";
import { type PageRoute, readPages } from "./use-pages.ts";

/** A column of the file: its heading and the cell of a row. */
export type CsvColumn<Row> = readonly [title: string, cell: (row: Row) => unknown];

/** More rows than a person reads in a spreadsheet. The filters choose others. */
const MOST_ROWS = 10_000;

/** Saves a list as CSV, all pages with the filters of the screen, up to a limit. */
export function CsvButton<const Address extends string, Row>({
  name,
  path,
  rowsOf,
  columns,
}: {
  /** Of the file, without its ending. */
  name: string;
  path: Known<PageRoute<Address>, Address>;
  rowsOf: (page: Read<Address>) => readonly Row[];
  columns: readonly CsvColumn<Row>[];
}) {
  const save = useChange(() => readPages<Address, Row>(path, rowsOf, MOST_ROWS), {
    after: ({ rows, more }) => {
      saveCsv(name, columns, rows);
      if (more)
        toast(
          say("The file has the first {count} rows. Choose dates to get the others.", {
            count: numberText(MOST_ROWS),
          }),
        );
    },
  });
  return (
    <>
      <Button icon="download" busy={save.busy} onClick={() => void save.run()}>
        {say("CSV")}
      </Button>
      {save.error !== null && <Problem error={save.error} />}
    </>
  );
}

/** Saves rows that the screen has already. */
export function saveCsv<Row>(name: string, columns: readonly CsvColumn<Row>[], rows: readonly Row[]): void {
  const lines = rows.map((row) => columns.map(([, cell]) => cell(row)));
  const text = csvText([columns.map(([title]) => title), ...lines]);
  saveFile(`${name}.csv`, new Blob([text], { type: "text/csv" }));
}
