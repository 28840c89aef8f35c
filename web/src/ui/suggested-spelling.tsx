import type { Address, RevealedOrder } from "@pestle/contract";

type Suggestion = NonNullable<RevealedOrder["suggestion"]>;

const compared = ["street1", "street2", "city", "state", "zip"] as const;

/** The address check's suggestion, with its changes highlighted. */
export function SuggestedSpelling({ given, suggestion }: { given: Address; suggestion: Suggestion }) {
  return compared
    .filter((field) => suggestion[field] !== null)
    .map((field) => (
      <span key={field}>
        {isSame(suggestion[field], given[field]) ? suggestion[field] : <mark>{suggestion[field]}</mark>}{" "}
      </span>
    ));
}

/** Ignores differences in case. */
export const isOtherAddress = (given: Address, suggestion: Suggestion) =>
  compared.some((field) => !isSame(given[field], suggestion[field]));

const isSame = (a: string | null, b: string | null) => (a ?? "").toUpperCase() === (b ?? "").toUpperCase();
