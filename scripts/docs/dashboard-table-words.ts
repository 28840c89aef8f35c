import * as contract from "@pestle/contract";
import { severities } from "../../server/src/domain/safety/rows.ts";
import { helpSections } from "../../web/src/dashboard/help/sections.ts";

/** The names that only the dashboard shows with `sayName`. Findings, directions and errors stay as the service sends them. */
export function dashboardTableWords(): Record<string, string[]> {
  return {
    "contract: texts of exceptions": Object.values(contract.exceptions).flatMap((row) => [
      row.message,
      ...("resolves_itself" in row ? [row.resolves_itself] : []),
    ]),
    "contract: actions on an order": Object.values(contract.actions).map(({ action }) => action),
    "contract: queues and statuses": [
      ...Object.values(contract.queues).map(({ name }) => name),
      ...contract.orderStatuses,
    ],
    "contract: roles in the pharmacy's log": unique([
      ...contract.roles,
      ...contract.staffRoleNames,
      ...contract.portalRoleNames.map(spoken),
    ]),
    "contract: providers, in one sentence": Object.values(contract.providerKinds).map(({ meaning }) => meaning),
    "contract: audited actions": Object.values(contract.auditActions),
    "contract: clinical review": unique([
      ...Object.values(contract.clinicalChecks).flatMap(({ name, finds }) => [name, ...finds.map(titled)]),
      ...severities,
      ...Object.values(contract.checkGaps),
      ...Object.values(contract.sigFaults),
      ...contract.safetyKindNames,
    ]),
    "contract: override reasons": Object.values(contract.overrideReasons),
    "contract: questions to partners and prescribers": [
      ...Object.values(contract.questionExceptions).map(({ about }) => about),
      ...Object.values(contract.changeCodes),
    ],
    "contract: notifications": Object.values(contract.notificationKinds).map(({ text }) => text),
    "contract: faults of a scanned code": Object.values(contract.scanFaults),
    "contract: counseling": [
      ...Object.values(contract.counselingOutcomes).map(({ name }) => name),
      ...Object.values(contract.counselingWays),
      ...Object.values(contract.counselingStates),
    ],
    "contract: reports for inspectors": unique(
      contract.reportNames
        .map(contract.reportRow)
        .flatMap(({ title, asks, about, columns }) => [title, asks, about, ...columns.map(([, heading]) => heading)]),
    ),
    "contract: reasons of a destruction": Object.values(contract.destructionReasons).flatMap(({ says, also }) => [
      says,
      also,
    ]),
    "contract: reasons of a count": Object.values(contract.countReasons).map(({ says }) => says),
    "contract: actions on a review": Object.values(contract.reviewActions).flatMap((row) => [
      row.name,
      row.done,
      ...("about" in row ? [row.about] : []),
      ...("asks" in row ? [row.asks] : []),
    ]),
    "contract: what a search finds by": Object.values(contract.searchFacts).map(({ name }) => name),
    "contract: payments, shipments and deliveries": [
      ...contract.paymentStatuses,
      ...contract.orderStatusReasons.map(({ name }) => name),
      ...contract.shipmentStatuses.map(titled),
      ...deliveryOutcomes,
    ],
    "guide: sections": unique(Object.values(helpSections)),
  };
}

const deliveryOutcomes = ["delivered", "failed"];
const spoken = (key: string) => key.replaceAll("_", " ");
const titled = (key: string) => `${key.charAt(0).toUpperCase()}${spoken(key).slice(1)}`;
const unique = (texts: readonly string[]) => [...new Set(texts)];
