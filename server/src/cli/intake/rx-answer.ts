import type { Warning } from "../../domain/intake/incoming-message.ts";
import { intakeRefusals } from "../../domain/intake/intake-refusals.ts";
import type { acceptances } from "../../formats/fhir/outcome.ts";
import { child, children, parseXml, type XmlElement } from "../../formats/script/xml.ts";

/** The intake's reply to a message, in either format. */
export type RxAnswer = {
  outcome: "accepted" | "pending" | "refused" | "canceled" | "not_canceled" | "unknown";
  /** SCRIPT's code (010, 900 …), if any. */
  code: string | null;
  /** Every problem. `sentence` describes the first. */
  description_codes: string[];
  sentence: string;
  /** Only a FHIR reply can carry it. */
  prescription_id: number | null;
  warnings: Pick<Warning, "code" | "path">[];
};

/** Reads a Status, Verify, Error or CancelRxResponse, or an OperationOutcome. */
export function readRxAnswer(format: "script" | "fhir", text: string): RxAnswer {
  return (format === "fhir" ? readOutcome(text) : readReply(text)) ?? UNKNOWN;
}

const UNKNOWN: RxAnswer = {
  outcome: "unknown",
  code: null,
  description_codes: [],
  sentence: "The reply is not one that an intake sends.",
  prescription_id: null,
  warnings: [],
};
const ACCEPTED = "The pharmacy received it.";
const PENDING = "The pharmacy stored it and will process it.";

function readReply(text: string): RxAnswer | undefined {
  const parsed = parseXml(text);
  const reply = parsed.ok ? child(parsed.root, "Body")?.children[0] : undefined;
  if (reply === undefined) return undefined;
  const plain = { ...UNKNOWN, code: textOf(reply, "Code") };
  switch (reply.name) {
    case "Status":
      if (plain.code === "000") return { ...plain, outcome: "pending", sentence: PENDING };
      return { ...plain, outcome: "accepted", sentence: ACCEPTED };
    case "Verify": {
      const status = child(reply, "VerifyStatus");
      return { ...plain, outcome: "accepted", code: status && textOf(status, "Code"), sentence: ACCEPTED };
    }
    case "Error": {
      const description_codes = children(reply, "DescriptionCode").map((element) => element.text);
      return { ...plain, outcome: "refused", description_codes, sentence: textOf(reply, "Description") ?? "" };
    }
    case "CancelRxResponse": {
      // An empty <Approved/> is still an approval, so keep empty elements here.
      const verdict = reply.children.find(({ name }) => name === "Response")?.children[0];
      if (verdict?.name === "Approved") {
        return { ...plain, outcome: "canceled", sentence: textOf(verdict, "Note") ?? "" };
      }
      return { ...plain, outcome: "not_canceled", sentence: (verdict && textOf(verdict, "DenialReason")) ?? "" };
    }
    default:
      return undefined;
  }
}

const textOf = (element: XmlElement, name: string) => child(element, name)?.text ?? null;

type Issue = { severity?: string; details?: { text?: string; coding?: { code?: string }[] }; expression?: string[] };

function readOutcome(text: string): RxAnswer | undefined {
  let body: { resourceType?: string; issue?: Issue[]; extension?: { url?: string; valueInteger?: number }[] };
  try {
    body = JSON.parse(text) as typeof body;
  } catch {
    return undefined;
  }
  const issues = body.resourceType === "OperationOutcome" ? (body.issue ?? []) : [];
  const [first] = issues;
  if (first === undefined) return undefined;
  const named = issues.map((issue) => ({ ...issue, name: issue.details?.coding?.[0]?.code ?? "" }));
  const errors = named.filter(({ severity, name }) => severity === "error" && name in intakeRefusals);
  return {
    outcome: OUTCOMES.get(named[0]!.name) ?? "refused",
    code: errors[0] === undefined ? null : intakeRefusals[errors[0].name as keyof typeof intakeRefusals][0],
    description_codes: errors.map(({ name }) => name),
    sentence: first.details?.text ?? "",
    prescription_id: body.extension?.find(({ url }) => url?.endsWith(":prescription_id"))?.valueInteger ?? null,
    warnings: named
      .filter(({ severity }) => severity === "warning")
      .map(({ name, expression }) => ({ code: name as Warning["code"], path: expression?.[0] ?? null })),
  };
}

const OUTCOMES = new Map<string, RxAnswer["outcome"]>(
  Object.entries({
    received: "accepted",
    in_review: "accepted",
    canceled: "canceled",
    cancel_in_filling: "canceled",
    cancel_dispensed: "canceled",
    cancel_too_late: "not_canceled",
    cancel_unknown: "not_canceled",
    cancel_several: "not_canceled",
  } satisfies Record<keyof typeof acceptances, RxAnswer["outcome"]>),
);
