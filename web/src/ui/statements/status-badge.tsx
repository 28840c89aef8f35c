import type { Statement } from "@pestle/contract";
import { Badge } from "../badge.tsx";
import { When } from "../time.tsx";

/** An open month still changes. */
export function MonthBadge({ statement }: { statement: Pick<Statement, "status"> }) {
  return statement.status === "open" ? <Badge tone="wait">Open</Badge> : <Badge tone="good">Closed</Badge>;
}

/** When the month closes, or when it was closed. */
export function MonthEnd({ statement: { status, closes_at, closed_at } }: { statement: Statement }) {
  return status === "open" || closed_at === null ? (
    <>
      Not final. It closes <When at={closes_at} />.
    </>
  ) : (
    <>
      Closed <When at={closed_at} />.
    </>
  );
}
