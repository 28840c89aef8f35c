import { type AuditAction, auditActions, type DashboardAudit } from "@pestle/contract";
import { listAudit } from "../../db/operations/audit.ts";
import { readHealth } from "../../usecases/operations/read-health.ts";
import { version } from "../../version.ts";
import { json } from "../answer.ts";
import { asked, askedNumber, askedOne, everybody, leads, queryOf } from "../dashboard-route.ts";
import type { WebRoute } from "../web-api.ts";

const ENTRIES_PER_PAGE = 100;

/** The audit log and the state of the service. */
export const oversightRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: "/dashboard/audit",
    roles: leads,
    handler: async (deps, call) => {
      const query = queryOf(call, "before", "person_id", "account_id", "subject", "action");
      const before = askedNumber(query, "before") ?? Number.MAX_SAFE_INTEGER;
      const filter = {
        person_id: asked(query, "person_id", /^[a-z0-9]{12}$/),
        account_id: asked(query, "account_id", /^[a-z0-9]{12}$/),
        subject: asked(query, "subject", /^.{1,100}$/u),
        action: askedOne(query, "action", Object.keys(auditActions) as AuditAction[]),
      };
      const rows = await listAudit(deps.db, before, ENTRIES_PER_PAGE + 1, filter);
      const entries = rows.slice(0, ENTRIES_PER_PAGE).map(({ at, ...row }) => ({ ...row, at: at.toISOString() }));
      const next = rows.length > ENTRIES_PER_PAGE ? (entries.at(-1)?.audit_id ?? null) : null;
      return json(200, { entries, next } satisfies DashboardAudit);
    },
  },
  {
    method: "GET",
    path: "/dashboard/health",
    roles: everybody,
    handler: async (deps) => json(200, await readHealth(deps, version)),
  },
];
