import type { Address } from "@pestle/contract";
import type { Verdict } from "./verdict.ts";

/** The number of characters that every carrier prints, unless configured otherwise. */
export const SHIP_TO_NAME_CHARACTERS = 35;

const holdOfResult = { valid: [], invalid: [77], unit_missing: [78] } as const;

/** The exceptions of an order's address: 66 missing, 77 or 78 by verdict, 79 name too long. */
export function addressHolds(
  address: Address | null,
  verdict: Pick<Verdict, "result"> | null,
  name_characters = SHIP_TO_NAME_CHARACTERS,
): (66 | 77 | 78 | 79)[] {
  if (address === null) return [66];
  const truncated = [...shipToName(address)].length > name_characters;
  return [...(verdict === null ? [] : holdOfResult[verdict.result]), ...(truncated ? [79 as const] : [])];
}

/** The name as printed. */
export const shipToName = ({ first_name, last_name }: Pick<Address, "first_name" | "last_name">): string =>
  `${first_name} ${last_name}`.trim();
