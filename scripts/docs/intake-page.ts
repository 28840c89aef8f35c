import { fhirRefusals, readerRefusals, receiverRefusals } from "../../server/src/domain/intake/intake-refusals.ts";
import { intakeWarnings } from "../../server/src/domain/intake/intake-warnings.ts";
import { CERTAIN, matchReasons } from "../../server/src/domain/intake/match-patient.ts";
import { acceptanceReasons } from "../../server/src/domain/intake/prescription.ts";
import { scriptVersions } from "../../server/src/formats/script/version.ts";
import { code, generated, page, table } from "./markdown.ts";

export function intakePage() {
  const refusals = { ...readerRefusals, ...receiverRefusals, ...fhirRefusals };
  const sentences = (rows: Record<string, string>) =>
    Object.entries(rows).map(([name, sentence]) => [code(name), sentence]);
  return page(
    generated("the tables of `server/src/domain`"),
    "# E-prescriptions in\n",
    `\`POST /intake/script\` takes NCPDP SCRIPT in the shapes of ${scriptVersions.join(", ")} (NewRx, CancelRx, RxRenewalResponse, RxChangeResponse), \`POST /intake/fhir\` FHIR R4 (a Bundle with one MedicationRequest, or the MedicationRequest alone). Both ask for a token with the scope \`intake\`.\n`,
    "A message is kept, sealed, before anything is made of it. The same message again (the same sender and message id, the same bytes) gets the same answer and changes nothing. What can be read is answered with 200 in its own format: a Status 010 (or Verify) and an `information` issue mean that the pharmacy has it. A Status 000 means that it is kept and will be processed.\n",
    "## Refusals\n",
    "601: it cannot be processed; 602: a fault here, send it again later; 900: rejected, correct it and send it under another message id. Names instead of numbers are those of FHIR alone.\n",
    table(
      ["code", "description code", "meaning"],
      Object.entries(refusals)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([description_code, [number, sentence]]) => [number, description_code, sentence]),
    ),
    "## Warnings\n",
    "Doubt is no refusal: the prescription is taken, and what was doubtful is kept with it.\n",
    table(["warning", "meaning"], sentences(intakeWarnings)),
    "## What waits for a pharmacist\n",
    "Such a prescription is kept and acknowledged, and cannot be filled (42249) until a pharmacist accepts it.\n",
    table(["reason", "meaning"], sentences(acceptanceReasons)),
    "## Whose prescription it is\n",
    `Points are added for what agrees. From ${CERTAIN} on it is the same patient; below, a new one is made and, where somebody came near, a person is asked to compare. Patients are never merged.\n`,
    table(
      ["reason", "points", "meaning"],
      Object.entries(matchReasons).map(([name, [points, sentence]]) => [code(name), points, sentence]),
    ),
  );
}
