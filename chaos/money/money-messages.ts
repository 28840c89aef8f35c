/** What the campaign asks of the service's process. */
export type Ask = { id: number } & (
  | { do: "work"; account_id: string; order_number: string; until: "packed" | "shipped" }
  | { do: "jobs"; advanced_ms: number }
);
/** Its answer. The first one, with id 0, has the addresses. */
export type Told = { id: number } & ({ result: string } | { error: string });
/** Rules that the campaign breaks itself, to show that it would notice. */
export type BrokenMoney = "an order ships without a charge" | "a void that fails is forgotten";
export const brokenMoneys: readonly BrokenMoney[] = [
  "an order ships without a charge",
  "a void that fails is forgotten",
];
