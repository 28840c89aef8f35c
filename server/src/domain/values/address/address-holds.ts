import type { Address } from "@pestle/contract";
import type { Verdict } from "./verdict.ts";

/** What every carrier prints of a name, unless its own limit is configured. */
export const SHIP_TO_NAME_CHARACTERS = 35;

const holdOfResult = { valid: [], invalid: [77], unit_missing: [78] } as const;

/** The exceptions an order's address raises: 66 none, 77 or 78 by the verdict, 79 a name longer than is printed. */
export function addressHolds(
  address: Address | null,
  verdict: Pick<Verdict, "result"> | null,
  name_characters = SHIP_TO_NAME_CHARACTERS,
): (66 | 77 | 78 | 79)[] {
  if (address === null) return [66];
  const truncated = [...shipToName(address)].length > name_characters;
  return [...(verdict === null ? [] : holdOfResult[verdict.result]), ...(truncated ? [79 as const] : [])];
}

/** The name as it is printed. */
export const shipToName = ({ first_name, last_name }: Pick<Address, "first_name" | "last_name">): string =>
  `${first_name} ${last_name}`.trim();
