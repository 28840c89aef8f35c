import * as contract from "@pestle/contract";

/** The names that both apps show from the contract's tables with `sayName`. */
export function tableWords(): Record<string, string[]> {
  return {
    "contract: exceptions": Object.values(contract.exceptions).map(({ name }) => name),
    "contract: order statuses": [...contract.orderStatuses],
    "contract: reasons of refunds": contract.orderStatusReasons.map(({ name }) => name),
    "contract: providers": Object.values(contract.providerKinds).map(({ title }) => title),
    "contract: quotas": Object.values(contract.quotas).map(({ counts }) => counts),
    "contract: single sign-on": Object.values(contract.ssoRefusals),
  };
}
