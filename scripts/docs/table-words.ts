import * as contract from "@pestle/contract";

/** The names that both apps show from the contract's tables with `sayName`. */
export function tableWords(): Record<string, string[]> {
  return {
    "contract: exceptions": Object.values(contract.exceptions).map(({ name }) => name),
    "contract: order statuses": [...contract.orderStatuses],
    "contract: reasons of refunds": contract.orderStatusReasons.map(({ name }) => name),
    "contract: providers": Object.values(contract.providerKinds).map(({ title }) => title),
    "contract: messages to patients": [
      ...Object.values(contract.patientNotices).map(({ name }) => name),
      ...Object.values(contract.noticeChannels),
      ...Object.values(contract.noticeStates),
      ...Object.values(contract.suppressions),
    ],
    "contract: quotas": Object.values(contract.quotas).map(({ counts }) => counts),
    "contract: single sign-on": Object.values(contract.ssoRefusals),
  };
}
