import { changeCodes, RENEWAL_DAYS } from "@pestle/contract";
import { fhirRefusals, readerRefusals, receiverRefusals } from "../../server/src/domain/intake/intake-refusals.ts";
import { intakeWarnings } from "../../server/src/domain/intake/intake-warnings.ts";
import { CERTAIN, matchReasons } from "../../server/src/domain/intake/match-patient.ts";
import { acceptanceReasons } from "../../server/src/domain/intake/prescription.ts";
import { pharmacyVersions } from "../../server/src/domain/prescribers/pharmacy-message.ts";
import { scriptVersions } from "../../server/src/formats/script/version.ts";
import { code, generated, page, table } from "./markdown.ts";

export function intakePage() {
  const refusals = { ...readerRefusals, ...receiverRefusals, ...fhirRefusals };
  const sentences = (rows: Record<string, string>) =>
    Object.entries(rows).map(([name, sentence]) => [code(name), sentence]);
  return page(
    generated("the tables of `server/src/domain`"),
    "# E-prescriptions in\n",
    `You will send an e-prescription to the pharmacy and understand its answer. \`POST /intake/script\` takes NCPDP SCRIPT in the shapes of ${scriptVersions.join(", ")} (NewRx, CancelRx, RxRenewalResponse, RxChangeResponse), \`POST /intake/fhir\` FHIR R4 (a Bundle with one MedicationRequest, or the MedicationRequest alone). Both require a token with the scope \`intake\`.\n`,
    "The service stores each message encrypted before it processes it. The same message again (same sender, message id and bytes) gets the same answer and changes nothing. The service answers a readable message with 200 in the message's own format. Status 010 (or Verify) and an `information` issue mean that the pharmacy processed it. Status 000 means that the service stored it and will process it later.\n",
    "## Rejections\n",
    "601: the service cannot process the message. 602: an error on our side, send it again later. 900: rejected, correct it and send it under a new message id. Codes that are words apply to FHIR only.\n",
    table(
      ["code", "description code", "meaning"],
      Object.entries(refusals)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([description_code, [number, sentence]]) => [number, description_code, sentence]),
    ),
    "## Messages to prescribers\n",
    `The pharmacy can also write to the sender of a prescription, at the URL that the operator sets with \`pestle partner route\`: RxRenewalRequest (unless the prescription has ProhibitRenewalRequest), RxChangeRequest and, if the route asks for them, RxFill and CancelRxResponse, in the shapes of ${pharmacyVersions.join(" or ")}. Each is an HTTP POST with \`Content-Type: application/xml\`, signed with the headers of Standard Webhooks and retried like a webhook, with the same bytes. RxFillIndicator of the prescription limits the RxFill messages to the statuses that it names. Answer 2xx, with or without a Status. An Error 600 or 602 asks for another attempt; any other Error is final. Send the prescriber's RxRenewalResponse or RxChangeResponse to \`POST /intake/script\` with the request's MessageID as RelatesToMessageID. A request without an answer expires after ${RENEWAL_DAYS} days.\n`,
    table(
      ["change code", "the pharmacy asks for"],
      Object.entries(changeCodes).map(([name, sentence]) => [code(name), sentence]),
    ),
    "## Warnings\n",
    "A warning does not reject the prescription. The service accepts it and stores the warning with it.\n",
    table(["warning", "meaning"], sentences(intakeWarnings)),
    "## Prescriptions that need a pharmacist\n",
    "The service stores and acknowledges such a prescription, but no order can fill it (42249) until a pharmacist accepts it.\n",
    table(["reason", "meaning"], sentences(acceptanceReasons)),
    "## Patient matching\n",
    `Each matching detail adds points. With ${CERTAIN} or more, it is the same patient. Below that, the service creates a new patient and, if a patient on file came close, asks a person to compare them. It never merges patients.\n`,
    table(
      ["reason", "points", "meaning"],
      Object.entries(matchReasons).map(([name, [points, sentence]]) => [code(name), points, sentence]),
    ),
  );
}
