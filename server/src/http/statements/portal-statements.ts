import type { Deps } from "../../deps.ts";
import type { PortalActor } from "../../usecases/operations/audit-portal.ts";
import { writeAudit } from "../../usecases/operations/write-audit.ts";
import { everybody, ofAccount, queryOf } from "../portal-route.ts";
import type { WebRoute } from "../web-api.ts";
import { monthAnswer, monthsAnswer, sendMonthCsv } from "./statement-pages.ts";

const MONTH = "/portal/:environment/statements/:month";

/** The partner's monthly statements. */
export const statementRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: "/portal/:environment/statements",
    roles: everybody,
    handler: ofAccount(async (deps, call) =>
      monthsAnswer(deps, call.account.account_id, queryOf(call, "limit", "cursor"), call.request.url),
    ),
  },
  {
    method: "GET",
    path: MONTH,
    roles: everybody,
    handler: ofAccount(async (deps, call) => {
      const { by, params, request } = call;
      const query = queryOf(call, "limit", "cursor");
      const { answer, patient_keys } = await monthAnswer(deps, by.account_id, params.month, query, request.url);
      await noteRead(deps, by, params.month, patient_keys);
      return answer;
    }),
  },
  {
    method: "GET",
    path: `${MONTH}/csv`,
    roles: everybody,
    step_up: true,
    handler: ofAccount(async (deps, { by, params, reply }) =>
      sendMonthCsv(deps, reply, by.account_id, params.month, (keys) => noteRead(deps, by, params.month, keys)),
    ),
  },
];

/** Every page has its own entry, because its lines concern other patients. */
const noteRead = (deps: Deps, by: PortalActor, month: string, patient_keys: number[]) =>
  writeAudit(
    deps,
    by,
    { account_id: by.account_id, action: "statement_read", subject: month, patient_keys },
    by.request_id,
  );
