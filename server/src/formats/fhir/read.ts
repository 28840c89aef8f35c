import type { CancelTarget, Content, ReadMessage } from "../../domain/intake/incoming-message.ts";
import { type DescriptionCode, refusalFor } from "../../domain/intake/intake-refusals.ts";
import { calendarDate } from "./dates.ts";
import { readDrug } from "./drug.ts";
import { type Element, one, text } from "./elements.ts";
import { readEnvelope } from "./envelope.ts";
import { parseJson } from "./parse.ts";
import { readPatient } from "./patient.ts";
import { readPrescriber } from "./prescriber.ts";
import { contradictions, readPrescription, subjectOf, writtenDate } from "./prescription.ts";
import { type Reading, warningList } from "./reading.ts";
import { requestsIn } from "./requests.ts";
import { openScope, type Resource } from "./resolve.ts";

/**
 * Reads a FHIR R4 Bundle or a single MedicationRequest. Throws for no input. `ncpdp_id` is the receiver from
 * the request URL, for senders whose messages do not name one.
 */
export function readFhir(body: Uint8Array, ncpdp_id: string | null): ReadMessage {
  const parsed = parseJson(body);
  if (!parsed.ok) return refused(unreadable[parsed.why], "path" in parsed ? parsed.path : undefined);
  const { root } = parsed;
  if (root.resourceType !== "Bundle" && root.resourceType !== "MedicationRequest") return refused("resource_type");
  const scope = openScope(root);
  if (scope === null) return refused("019");

  const { warnings, warn } = warningList();
  const requests = requestsIn(scope);
  const [request = null] = requests.length === 1 ? requests : [];
  const reading = { scope, warn, sent_on: sentOn(root, request) };
  const status = text(request?.element.status) ?? "";
  const kind = CANCELS.includes(status) ? "cancel" : "new";
  const envelope = readEnvelope(root, request, kind, ncpdp_id, reading);
  const refuse = (first: DescriptionCode, ...also: DescriptionCode[]): ReadMessage => ({
    ok: false,
    refusal: refusalFor(first, ...also),
    envelope,
    warnings,
  });

  const type = bundleProblem(root, reading);
  if (type !== null) return refuse(type);
  if (request === null) return refuse(requests.length === 0 ? "request_missing" : "179");
  const [first, ...also] = [...contradictions(request, reading), ...notAnOrder(request, kind, reading)];
  if (first !== undefined) return refuse(first, ...also);

  let content: Content;
  if (kind === "cancel") {
    content = { kind, discontinue: status === "stopped", target: cancelTarget(request, reading) };
  } else {
    const read = readPrescription(request, reading);
    if ("problems" in read) return refuse(...read.problems);
    content = { kind, prescription: read.prescription };
  }
  return { ok: true, message: { envelope, content, warnings } };
}

const unreadable = {
  not_json: "024",
  too_deep: "019",
  not_an_object: "resource_type",
  repeated_name: "repeated_name",
} as const;

function refused(code: DescriptionCode, path?: string): ReadMessage {
  const refusal = { ...refusalFor(code), ...(path !== undefined && { path }) };
  return { ok: false, refusal, envelope: null, warnings: [] };
}

const BUNDLE_TYPES = ["collection", "transaction", "message", "batch"];

function bundleProblem(root: Element, reading: Reading): DescriptionCode | null {
  if (root.resourceType !== "Bundle") return null;
  const type = text(root.type);
  if (type === null) reading.warn("bundle_type_missing", "Bundle.type");
  return type === null || BUNDLE_TYPES.includes(type) ? null : "bundle_type";
}

const CANCELS = ["cancelled", "stopped", "entered-in-error"];
const ORDERS = ["order", "original-order", "reflex-order", "filler-order", "instance-order"];

/**
 * Only an active order can be filled. Refuses drafts, requests on hold and completed ones, so that the sender knows;
 * also proposals, plans and options. Accepts a request without an intent, with a warning: it was sent to a pharmacy.
 */
function notAnOrder(request: Resource, kind: "new" | "cancel", reading: Reading): DescriptionCode[] {
  if (kind === "cancel") return [];
  const problems: DescriptionCode[] = [];
  if (text(request.element.status) !== "active") problems.push("request_status");
  const intent = text(request.element.intent);
  if (intent === null) reading.warn("not_an_order", "MedicationRequest.intent");
  else if (!ORDERS.includes(intent)) problems.push("request_intent");
  if (request.element.reportedBoolean === true) reading.warn("not_an_order", "MedicationRequest.reported");
  return problems;
}

/** No warnings for gaps in a cancellation: it only needs enough to find the prescription. */
function cancelTarget(request: Resource, reading: Reading): CancelTarget {
  const silent = { ...reading, warn: () => {} };
  const subject = subjectOf(request, silent);
  const drug = readDrug(request, silent);
  return {
    patient: subject === null ? null : readPatient(subject, silent),
    prescriber_npi: readPrescriber(request, null, silent)?.npi ?? null,
    drug_description: drug?.description ?? null,
    drug_codes: drug?.codes ?? [],
    written_date: writtenDate(request, silent),
  };
}

function sentOn(root: Element, request: Resource | null): string | null {
  return (
    calendarDate(root.timestamp) ??
    calendarDate(one(root.meta).lastUpdated) ??
    calendarDate(one(request?.element.meta).lastUpdated)
  );
}
