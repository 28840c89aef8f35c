import * as contract from "@pestle/contract";
import { sandboxPresets } from "../../server/src/domain/sandbox/sandbox-presets.ts";
import { attemptErrors } from "../../server/src/domain/webhooks/attempt-errors.ts";
import { signatureTexts } from "../../server/src/domain/webhooks/signature-texts.ts";

/** The names that only the portal shows with `sayName`. The messages of errors stay as the API sends them. */
export function portalTableWords(): Record<string, string[]> {
  return {
    "contract: what exceptions mean": Object.values(contract.exceptions).map(({ message }) => message),
    "contract: what held orders need": contract.exceptionIds.map(contract.needOf),
    "contract: actions": unique([
      ...Object.values(contract.actions).map(({ action }) => action),
      ...contract.exceptionIds.flatMap((id) =>
        contract.actionKeys.flatMap((key) => contract.holdButton(id, key) ?? []),
      ),
    ]),
    "contract: refill schedules": Object.values(contract.scheduleActions).map(({ does }) => does),
    "contract: events": Object.values(contract.eventTypes).map(({ sent_when }) => sent_when),
    "contract: checks of receivers": unique([
      ...Object.values(contract.receiverChecks).flatMap(({ sends, advice }) => [sends, advice]),
      ...Object.values(contract.certifyFindings),
    ]),
    "contract: portal roles": Object.values(contract.portalRoles),
    "contract: quick start": Object.values(contract.quickStartSteps).flat(),
    "contract: resolutions of errors": unique([
      ...Object.values(contract.errors).map(([, , resolution]) => resolution),
      ...Object.entries(contract.statuses)
        .filter(([status]) => Number(status) >= 400)
        .map(([, sentence]) => sentence.split(". ").slice(1).join(". ")),
    ]),
    "server: sandbox presets": Object.values(sandboxPresets).flatMap(({ title, description }) => [title, description]),
    "server: failed attempts": Object.values(attemptErrors),
    "server: signature headers": Object.values(signatureTexts),
  };
}

const unique = (texts: readonly string[]) => [...new Set(texts)];
