import { isMonth } from "@pestle/contract";
import type { LinePosition } from "../../db/statements/statements.ts";
import { refuse, StatusRefusal } from "../../domain/values/refusals.ts";
import { readStatement, readStatements } from "../../usecases/statements/read-statements.ts";
import { json, showing } from "../answer.ts";
import { type CursorList, openCursor, sealCursor } from "../cursors.ts";
import { limitOf, linkTo } from "../page.ts";
import type { ReadHandler } from "../partner-api.ts";

/** After every month. */
const NEWEST = "9999-99";

export const listStatements: ReadHandler = async (deps, { grant, query, url }) => {
  const list = { vault: deps.vault, account_id: grant.account_id, list: "statements" };
  const limit = limitOf(query);
  const [cursor] = query.get("cursor") ?? [];
  const before = cursor === undefined ? NEWEST : monthIn(list, cursor);
  const { statements, more } = await readStatements(deps, grant.account_id, before, limit);
  return paged(url, { statements }, more ? sealCursor(list, `m${statements.at(-1)!.month}`) : null);
};

export const getStatement: ReadHandler = async (deps, { grant, params, query, url }) => {
  const { month = "" } = params;
  const list = { vault: deps.vault, account_id: grant.account_id, list: `statement ${month}` };
  const limit = limitOf(query);
  const [cursor] = query.get("cursor") ?? [];
  const after = cursor === undefined ? null : lineIn(list, cursor);
  const read = isMonth(month) ? await readStatement(deps, grant.account_id, month, after, limit) : undefined;
  if (read === undefined) throw new StatusRefusal(404);
  const { statement, lines, next, patient_keys } = read;
  const answer = paged(url, { ...statement, lines }, next && sealCursor(list, lineText(next)));
  return showing(answer, { patients: [], patient_keys, subject: month });
};

const paged = (url: string, body: object, next_cursor: string | null) =>
  json(200, { ...body, next_cursor }, next_cursor === null ? undefined : { link: linkTo(url, next_cursor) });

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
