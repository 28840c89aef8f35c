import type { Deps } from "../../deps.ts";
import { requireKnown } from "../../usecases/accounts/partners-in-dashboard.ts";
import { writeAudit } from "../../usecases/operations/write-audit.ts";
import { bookInDashboard } from "../../usecases/statements/book-in-dashboard.ts";
import { json } from "../answer.ts";
import { choiceField, optionalText, textField, wholeField } from "../body-fields.ts";
import { accountIn, adminOf, everybody, leads, queryOf } from "../dashboard-route.ts";
import type { WebCall, WebRoute } from "../web-api.ts";
import { monthAnswer, monthsAnswer, sendMonthCsv } from "./statement-pages.ts";

const ACCOUNT = "/dashboard/statements/:account_id";

/** What the pharmacy charges and refunds each partner, by month. */
export const statementRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: ACCOUNT,
    roles: everybody,
    handler: async (deps, call) => {
      const account_id = await knownAccount(deps, call);
      return monthsAnswer(deps, account_id, queryOf(call, "limit", "cursor"), call.request.url);
    },
  },
  {
    method: "GET",
    path: `${ACCOUNT}/:month`,
    roles: everybody,
    handler: async (deps, call) => {
      const account_id = await knownAccount(deps, call);
      const query = queryOf(call, "limit", "cursor");
      const { month } = call.params;
      const { answer, patient_keys } = await monthAnswer(deps, account_id, month, query, call.request.url);
      await noteRead(deps, call, account_id, month, patient_keys);
      return answer;
    },
  },
  {
    method: "GET",
    path: `${ACCOUNT}/:month/csv`,
    roles: everybody,
    step_up: true,
    handler: async (deps, call) => {
      const account_id = await knownAccount(deps, call);
      const { month } = call.params;
      return sendMonthCsv(deps, call.reply, account_id, month, (keys) => noteRead(deps, call, account_id, month, keys));
    },
  },
  {
    method: "POST",
    path: ACCOUNT,
    roles: leads,
    handler: async (deps, call) => {
      const account_id = await knownAccount(deps, call);
      const { body } = call;
      const asked = {
        account_id,
        kind: choiceField(body, "kind", ["fee", "credit"]),
        amount_cents: wholeField(body, "amount_cents"),
        description: textField(body, "description"),
        key: textField(body, "key"),
        order_number: optionalText(body, "order_number")?.toUpperCase() ?? null,
        on: optionalText(body, "on") ?? null,
      };
      return json(201, await bookInDashboard(deps, adminOf(call), asked));
    },
  },
];

async function knownAccount(deps: Deps, call: WebCall): Promise<string> {
  return (await requireKnown(deps.db, accountIn(call))).account_id;
}

/** Every page has its own entry, because its lines concern other patients. */
const noteRead = (deps: Deps, { person, request }: WebCall, account_id: string, month: string, keys: number[]) =>
  writeAudit(deps, person, { account_id, action: "statement_read", subject: month, patient_keys: keys }, request.id);
