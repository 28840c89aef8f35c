import * as contract from "@pestle/contract";

/** The names that the apps show from the contract's tables with `sayName`. */
export function tableWords(): Record<string, string[]> {
  return {
    "contract: exceptions": Object.values(contract.exceptions).map(({ name }) => name),
  };
}
