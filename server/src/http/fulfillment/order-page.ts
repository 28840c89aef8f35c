import { documentKinds, NOTE_CHARACTERS, SAFETY_TEXT_CHARACTERS, safetyKindNames } from "@pestle/contract";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { orderDocument } from "../../usecases/fulfillment/order-document.ts";
import { readClinical } from "../../usecases/fulfillment/read-clinical.ts";
import { readOrderPage } from "../../usecases/fulfillment/read-order-page.ts";
import { readRevision } from "../../usecases/fulfillment/read-revision.ts";
import { revealOrder } from "../../usecases/fulfillment/reveal-order.ts";
import { addSafetyEntry, removeSafetyEntry } from "../../usecases/fulfillment/safety-entries.ts";
import { workOnOrder } from "../../usecases/fulfillment/take-step.ts";
import { writeAudit } from "../../usecases/operations/write-audit.ts";
import { file, json } from "../answer.ts";
import { choiceField, textField, wholeField } from "../body-fields.ts";
import { askedNumber, everybody, orderIn, pharmacists, queryOf, reviewers, workerOf } from "../dashboard-route.ts";
import type { WebRoute } from "../web-api.ts";
import { readWork } from "./work-request.ts";

const ORDER = "/dashboard/orders/:account_id/:order_number";

/** One order: its data, patient, work and printouts. */
export const orderRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: ORDER,
    roles: everybody,
    handler: async (deps, call) => {
      const { account_id, order_number } = orderIn(call);
      const page = await readOrderPage(deps, workerOf(call), account_id, order_number);
      const entry = { account_id, action: "order_viewed" as const, subject: order_number };
      await writeAudit(deps, call.person, entry, call.request.id);
      return json(200, page);
    },
  },
  {
    method: "GET",
    path: `${ORDER}/revision`,
    roles: everybody,
    handler: async (deps, call) => {
      const { account_id, order_number } = orderIn(call);
      return json(200, await readRevision(deps, call.person.person_id, account_id, order_number));
    },
  },
  {
    method: "GET",
    path: `${ORDER}/clinical`,
    roles: pharmacists,
    handler: async (deps, call) => {
      const { account_id, order_number } = orderIn(call);
      return json(200, await readClinical(deps, call.person, account_id, order_number, call.request.id));
    },
  },
  {
    method: "POST",
    path: `${ORDER}/reveal`,
    roles: everybody,
    handler: async (deps, call) => {
      const { account_id, order_number } = orderIn(call);
      return json(200, await revealOrder(deps, call.person, account_id, order_number, call.request.id));
    },
  },
  {
    method: "POST",
    path: `${ORDER}/safety_entries`,
    roles: everybody,
    handler: async (deps, call) => {
      const { account_id, order_number } = orderIn(call);
      const kind = choiceField(call.body, "kind", safetyKindNames);
      const text = textField(call.body, "text", SAFETY_TEXT_CHARACTERS);
      const request_id = call.request.id;
      await addSafetyEntry(deps, { account_id, order_number, by: workerOf(call), request_id }, kind, text);
      return json(200, await revealOrder(deps, call.person, account_id, order_number, request_id));
    },
  },
  {
    method: "POST",
    path: `${ORDER}/safety_entries/remove`,
    roles: reviewers,
    handler: async (deps, call) => {
      const { account_id, order_number } = orderIn(call);
      const entry_id = wholeField(call.body, "entry_id");
      const reason = textField(call.body, "reason", NOTE_CHARACTERS);
      const request_id = call.request.id;
      await removeSafetyEntry(deps, { account_id, order_number, by: workerOf(call), request_id }, entry_id, reason);
      return json(200, await revealOrder(deps, call.person, account_id, order_number, request_id));
    },
  },
  {
    method: "POST",
    path: `${ORDER}/work`,
    roles: everybody,
    handler: async (deps, call) => {
      const { account_id, order_number } = orderIn(call);
      const by = workerOf(call);
      await workOnOrder(deps, { account_id, order_number, by }, readWork(call.body), call.request.id);
      return json(200, await readOrderPage(deps, by, account_id, order_number));
    },
  },
  {
    method: "GET",
    path: `${ORDER}/documents/:kind`,
    roles: everybody,
    handler: async (deps, call) => {
      const { account_id, order_number } = orderIn(call);
      const kind = documentKinds.find((one) => one === call.params["kind"]);
      if (kind === undefined) throw new StatusRefusal(404);
      const item_id = askedNumber(queryOf(call, "item_id"), "item_id");
      const work = { account_id, order_number, by: workerOf(call) };
      const { format, bytes } = await orderDocument(deps, work, kind, item_id);
      const entry = { account_id, action: "document_viewed" as const, subject: order_number };
      await writeAudit(deps, call.person, entry, call.request.id);
      const [type, ending] = TYPES[format];
      return file(bytes, type, `${order_number}-${kind}${item_id === null ? "" : `-${item_id}`}.${ending}`);
    },
  },
];

const TYPES = {
  PDF: ["application/pdf", "pdf"],
  PNG: ["image/png", "png"],
  ZPL: ["text/plain; charset=utf-8", "zpl"],
} as const;
