import { Readable } from "node:stream";
import { isMonth, type Statement, type StatementPage, statementCsvHead, statementCsvLines } from "@pestle/contract";
import type { FastifyReply } from "fastify";
import type { LinePosition } from "../../db/statements/statements.ts";
import { refuse, StatusRefusal } from "../../domain/values/refusals.ts";
import {
  type ReadDeps,
  type ReadStatement,
  readStatement,
  readStatements,
} from "../../usecases/statements/read-statements.ts";
import { type Answer, json } from "../answer.ts";
import { type CursorList, openCursor, sealCursor } from "../cursors.ts";
import { limitOf, linkTo } from "../page.ts";

type Query = ReadonlyMap<string, string[]>;

/** After every month. */
const NEWEST = "9999-99";

/** A page of an account's months, for the API, the portal and the dashboard. */
export async function monthsAnswer(
  deps: ReadDeps,
  account_id: string,
  query: Query,
  url: string,
): Promise<Answer<{ statements: Statement[]; next_cursor: string | null }>> {
  const list = { vault: deps.vault, account_id, list: "statements" };
  const limit = limitOf(query);
  const [cursor] = query.get("cursor") ?? [];
  const before = cursor === undefined ? NEWEST : monthIn(list, cursor);
  const { statements, more } = await readStatements(deps, account_id, before, limit);
  return paged(url, { statements }, more ? sealCursor(list, `m${statements.at(-1)!.month}`) : null);
}

/** A month with a page of its lines, and the patients of the lines' orders for the audit log. */
export async function monthAnswer(
  deps: ReadDeps,
  account_id: string,
  month: string,
  query: Query,
  url: string,
): Promise<{ answer: Answer<StatementPage>; patient_keys: number[] }> {
  const list = { vault: deps.vault, account_id, list: `statement ${month}` };
  const limit = limitOf(query);
  const [cursor] = query.get("cursor") ?? [];
  const after = cursor === undefined ? null : lineIn(list, cursor);
  const { statement, lines, next, patient_keys } = await monthOr404(deps, account_id, month, after, limit);
  const answer = paged(url, { ...statement, lines }, next && sealCursor(list, lineText(next)));
  return { answer, patient_keys };
}

async function monthOr404(
  deps: ReadDeps,
  account_id: string,
  month: string,
  after: LinePosition | null,
  limit: number,
): Promise<ReadStatement> {
  const read = isMonth(month) ? await readStatement(deps, account_id, month, after, limit) : undefined;
  if (read === undefined) throw new StatusRefusal(404);
  return read;
}

const paged = <Body extends object>(url: string, body: Body, next_cursor: string | null) =>
  json(200, { ...body, next_cursor }, next_cursor === null ? undefined : { link: linkTo(url, next_cursor) });

const CSV_LINES = 1_000;

/** Sends a month's lines as a file, page by page. `note` writes the audit entry of each page before it leaves. */
export async function sendMonthCsv(
  deps: ReadDeps,
  reply: FastifyReply,
  account_id: string,
  month: string,
  note: (patient_keys: number[]) => Promise<unknown>,
): Promise<undefined> {
  // The first page decides between the file and 404.
  const first = await monthOr404(deps, account_id, month, null, CSV_LINES);
  async function* text(): AsyncGenerator<string> {
    yield statementCsvHead;
    for (let page: ReadStatement | undefined = first; page !== undefined; ) {
      await note(page.patient_keys);
      yield statementCsvLines(page.lines);
      page = page.next === null ? undefined : await readStatement(deps, account_id, month, page.next, CSV_LINES);
    }
  }
  reply.header("cache-control", "no-store").type("text/csv; charset=utf-8");
  reply.header("content-disposition", `attachment; filename="statement-${month}.csv"`);
  reply.send(Readable.from(text()));
  return undefined;
}

function monthIn(list: CursorList, cursor: string): string {
  const [, month] = /^m(\d{4}-\d{2})$/.exec(openCursor(list, cursor)) ?? refuse(40003, "cursor");
  return month!;
}

const lineText = ({ booked_at, source_id, line_no }: LinePosition) => `l${booked_at.getTime()}.${source_id}.${line_no}`;
function lineIn(list: CursorList, cursor: string): LinePosition {
  const [, at, source_id, line_no] =
    /^l(\d{1,15})\.([0-9a-f-]{36})\.(\d{1,9})$/.exec(openCursor(list, cursor)) ?? refuse(40003, "cursor");
  return { booked_at: new Date(Number(at)), source_id: source_id!, line_no: Number(line_no) };
}
