import type { ExceptionId, OrderStatus, Stage } from "@pestle/contract";
import { type Queryable, sql } from "../db.ts";

export type WorkRow = {
  at: Date;
  actor: string;
  email: string | null;
  event: string;
  from: OrderStatus | null;
  to: OrderStatus;
  stage: Stage | null;
  exception_id: ExceptionId | null;
};
const history = sql<[account_id: string, order_number: string], WorkRow>`
select h.at, h.actor, p.email, h.event, h."from", h."to", h.stage, h.exception_id
from order_history h
left join person p on p.person_id = h.person_id
where h.account_id = $1 and h.order_number = $2
order by h.history_position`;
/** Everything done to an order and by whom, oldest first. For the pharmacy only. */
export const listWork = (db: Queryable, account_id: string, order_number: string) =>
  db.rows(history, [account_id, order_number]);
