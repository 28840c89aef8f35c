import type { Statement } from "@pestle/contract";
import { Badge } from "../badge.tsx";
import { When } from "../time.tsx";
import { say, sayWith } from "../words/say.tsx";

/** An open month still changes. */
export function MonthBadge({ statement }: { statement: Pick<Statement, "status"> }) {
  return statement.status === "open" ? (
    <Badge tone="wait">{say("Open")}</Badge>
  ) : (
    <Badge tone="good">{say("Closed")}</Badge>
  );
}

/** When the month closes, or when it was closed. */
export function MonthEnd({ statement: { status, closes_at, closed_at } }: { statement: Statement }) {
  return status === "open" || closed_at === null
    ? sayWith("Not final. It closes {when}.", { when: <When at={closes_at} /> })
    : sayWith("Closed {when}.", { when: <When at={closed_at} /> });
}
