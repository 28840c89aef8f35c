import { Readable } from "node:stream";
import { type AuditAction, type AuditLine, auditActions, type DashboardAudit, isPatientId } from "@pestle/contract";
import { type AuditRow, listAudit, listDisclosures } from "../../db/operations/audit.ts";
import type { Deps } from "../../deps.ts";
import { refuse } from "../../domain/values/refusals.ts";
import { auditedPatients, type OpenedAudit, openAudit } from "../../usecases/operations/audit-note.ts";
import { disclosureLines, disclosuresHead, walkDisclosures } from "../../usecases/operations/read-disclosures.ts";
import { writeAudit, writeLook } from "../../usecases/operations/write-audit.ts";
import { patientIndex } from "../../usecases/patients/patient-rows.ts";
import { json } from "../answer.ts";
import { asked, askedNumber, askedOne, leads, type Query, queryOf } from "../dashboard-route.ts";
import type { WebRoute } from "../web-api.ts";

const ENTRIES_PER_PAGE = 100;

/** The audit log, and the accounting of disclosures of one patient. */
export const auditRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: "/dashboard/audit",
    roles: leads,
    handler: async (deps, call) => {
      const query = queryOf(call, "before", "person_id", "account_id", "subject", "action", "patient_id");
      const before = askedNumber(query, "before") ?? Number.MAX_SAFE_INTEGER;
      const about = patientIn(query);
      const request_id = call.request.id;
      if (about !== null) {
        const { account_id, patient_id } = about;
        const entry = {
          account_id,
          action: "disclosures_viewed" as const,
          subject: null,
          patients: auditedPatients(deps, account_id, [patient_id]),
        };
        await writeAudit(deps, call.person, entry, request_id);
        return json(
          200,
          pageOf(
            deps,
            await listDisclosures(
              deps.db,
              account_id,
              patientIndex(deps, account_id, patient_id),
              before,
              ENTRIES_PER_PAGE + 1,
            ),
          ),
        );
      }
      const filter = {
        person_id: asked(query, "person_id", /^[a-z0-9]{12}$/),
        account_id: asked(query, "account_id", ACCOUNT),
        subject: asked(query, "subject", /^.{1,100}$/u),
        action: askedOne(query, "action", Object.keys(auditActions) as AuditAction[]),
      };
      await writeLook(
        deps,
        call.person,
        { account_id: null, action: "audit_viewed", subject: "audit log" },
        request_id,
      );
      return json(200, pageOf(deps, await listAudit(deps.db, before, ENTRIES_PER_PAGE + 1, filter)));
    },
  },
  {
    method: "GET",
    path: "/dashboard/audit.csv",
    roles: leads,
    step_up: true,
    handler: async (deps, call) => {
      const about = patientIn(queryOf(call, "account_id", "patient_id")) ?? refuse(40003, "patient_id");
      const { account_id, patient_id } = about;
      const entry = {
        account_id,
        action: "disclosures_exported" as const,
        subject: null,
        patients: auditedPatients(deps, account_id, [patient_id]),
      };
      await writeAudit(deps, call.person, entry, call.request.id);
      call.reply.header("cache-control", "no-store").type("text/csv; charset=utf-8");
      call.reply.header("content-disposition", 'attachment; filename="disclosures.csv"');
      call.reply.send(Readable.from(csvOf(walkDisclosures(deps, account_id, patient_id))));
      return undefined;
    },
  },
];

const ACCOUNT = /^[a-z0-9]{12}$/;

/** A patient's id is unique within an account only, so both are needed. */
function patientIn(query: Query): { account_id: string; patient_id: string } | null {
  const patient_id = asked(query, "patient_id", /^/);
  if (patient_id === null) return null;
  if (!isPatientId(patient_id)) refuse(40003, "patient_id");
  return { account_id: asked(query, "account_id", ACCOUNT) ?? refuse(40003, "account_id"), patient_id };
}

async function* csvOf(pages: AsyncIterable<Parameters<typeof disclosureLines>[0]>): AsyncGenerator<string> {
  yield disclosuresHead;
  for await (const rows of pages) yield disclosureLines(rows);
}

function pageOf(deps: Deps, rows: readonly Row[]): DashboardAudit {
  const entries = rows.slice(0, ENTRIES_PER_PAGE).map((row) => lineOf(openAudit(deps, row)));
  return { entries, next: rows.length > ENTRIES_PER_PAGE ? (entries.at(-1)?.audit_id ?? null) : null };
}

type Row = AuditRow & { name: string | null };

const lineOf = ({ at, patients, field_groups, ...row }: OpenedAudit<Row>): AuditLine => ({
  ...row,
  at: at.toISOString(),
  patients: [...patients],
  field_groups: [...field_groups],
});
