import { Readable } from "node:stream";
import {
  isPatientId,
  productMissNames,
  type ReportName,
  type ReportQuery,
  reportFormats,
  reportNames,
  reportRow,
  type StaffRole,
} from "@pestle/contract";
import { refuse, StatusRefusal } from "../../domain/values/refusals.ts";
import { readReport, reportCsv, reportPdf } from "../../usecases/fulfillment/reports/export-report.ts";
import { noteMiss } from "../../usecases/fulfillment/reports/note-miss.ts";
import type { AskedReport } from "../../usecases/fulfillment/reports/report-source.ts";
import { file, json } from "../answer.ts";
import { choiceField } from "../body-fields.ts";
import {
  adminOf,
  asked,
  askedEnvironment,
  everybody,
  orderIn,
  type Query,
  queryOf,
  reviewers,
} from "../dashboard-route.ts";
import type { Asked, WebCall, WebRoute } from "../web-api.ts";

const MISSES = "/dashboard/orders/:account_id/:order_number/misses";

/** Reports for inspectors, and the packages that a page's scan refused, which one of them lists. */
export const reportRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: "/dashboard/reports/:report",
    roles: reviewers,
    handler: async (deps, call) => json(200, await readReport(deps, adminOf(call), askedReport(call, false))),
  },
  {
    method: "GET",
    path: "/dashboard/reports/:report/:format",
    roles: reviewers,
    step_up: true,
    handler: async (deps, call) => {
      const format = reportFormats.find((one) => one === call.params.format);
      if (format === undefined) throw new StatusRefusal(404);
      const given = askedReport(call, true);
      const name = `${given.report}-${given.from}.${format}`;
      if (format === "pdf") return file(await reportPdf(deps, adminOf(call), given), "application/pdf", name);
      const pieces = reportCsv(deps, adminOf(call), given);
      // The first piece decides between the file and a refusal.
      const { value: head = "" } = await pieces.next();
      call.reply.header("cache-control", "no-store").type("text/csv; charset=utf-8");
      call.reply.header("content-disposition", `attachment; filename="${name}"`);
      call.reply.send(Readable.from(withHead(head, pieces)));
      return undefined;
    },
  },
  {
    method: "POST",
    path: MISSES,
    roles: everybody,
    handler: async (deps, call) => {
      const found = choiceField(call.body, "found", productMissNames);
      return json(200, { noted: await noteMiss(deps, call.person, orderIn(call), found, call.request.id) });
    },
  },
];

async function* withHead(head: string, pieces: AsyncGenerator<string>): AsyncGenerator<string> {
  yield head;
  yield* pieces;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;

function askedReport(
  call: Asked<ReportQuery> & Pick<WebCall, "person"> & { params: { report: string } },
  reveal: boolean,
): AskedReport {
  const report = reportNames.find((one) => one === call.params.report);
  // A report that another role may read does not exist for this person.
  if (report === undefined || !reportRow(report).roles.includes(call.person.role as StaffRole)) {
    throw new StatusRefusal(404);
  }
  const query = queryOf(call, "from", "to", "environment", "person_id", "account_id", "patient_id");
  const from = asked(query, "from", DATE) ?? refuse(40003, "from");
  return {
    report,
    from,
    to: asked(query, "to", DATE) ?? from,
    environment: askedEnvironment(query) ?? "production",
    someone: someoneIn(report, query),
    reveal,
  };
}

function someoneIn(report: ReportName, query: Query): AskedReport["someone"] {
  if (reportRow(report).takes !== "someone") return null;
  const person_id = asked(query, "person_id", /^[a-z0-9]{12}$/);
  if (person_id !== null) return { person_id };
  const patient_id = asked(query, "patient_id", /^/);
  if (patient_id === null) return null;
  if (!isPatientId(patient_id)) refuse(40003, "patient_id");
  return { account_id: asked(query, "account_id", /^[a-z0-9]{12}$/) ?? refuse(40003, "account_id"), patient_id };
}
