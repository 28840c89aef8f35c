import type { Environment, ReportName, reports } from "@pestle/contract";
import type { AccountRow } from "../../../db/accounts/accounts.ts";
import type { Deps } from "../../../deps.ts";
import { dateIn, timeIn } from "../../../domain/values/calendar.ts";

export type ReportDeps = Pick<Deps, "config" | "db" | "vault" | "now">;

/** What a caller asks for. `reveal`: with the patients' names. */
export type AskedReport = {
  report: ReportName;
  from: string;
  to: string;
  environment: Environment;
  /** For a report about someone. */
  someone: { person_id: string } | { account_id: string; patient_id: string } | null;
  reveal: boolean;
};

/** The cells of a report, by the names of its columns. */
type CellsOf<Name extends ReportName> = Record<(typeof reports)[Name]["columns"][number][0], string>;

/** A row, and whom it is about. */
export type ReportLine<Name extends ReportName = ReportName> = {
  at: Date;
  account_id: string | null;
  patient_key: number | null;
  cells: CellsOf<Name>;
};

export type Account = Pick<AccountRow, "account_id" | "name">;
/** The days as times, by the pharmacy's time zone. `before` is the first instant after them. */
export type Days = { from: Date; before: Date };
/** The rows of one account, oldest first. */
export type ReportSource<Name extends ReportName> = (
  deps: ReportDeps,
  account: Account,
  days: Days,
  reveal: boolean,
) => AsyncGenerator<ReportLine<Name>>;

/** Rows that a source reads at once. */
export const ROWS_AT_ONCE = 200;

/** Reads page after page, each from the last row of the one before. */
export async function* paged<Row>(read: (after: Row | null) => Promise<Row[]>): AsyncGenerator<Row> {
  for (let after: Row | null = null; ; ) {
    const rows = await read(after);
    yield* rows;
    if (rows.length < ROWS_AT_ONCE) return;
    after = rows.at(-1)!;
  }
}

/** The time on the pharmacy's clock: 2026-11-18 09:05. */
export const localTime = ({ config }: Pick<Deps, "config">, at: Date): string =>
  `${dateIn(config.TIME_ZONE, at)} ${timeIn(config.TIME_ZONE, at).slice(0, 5)}`;
