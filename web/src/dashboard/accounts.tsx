import type { DashboardAccount } from "@pestle/contract";
import { useFilters } from "../app/use-address.ts";
import { useApi } from "../app/use-api.ts";
import { SelectField } from "../ui/controls/field.tsx";

/** The accounts of partners, by name; those of the pharmacy itself hold no orders. */
export function useAccounts(): readonly DashboardAccount[] {
  const { data } = useApi("/dashboard/accounts");
  return (data?.accounts ?? [])
    .filter(({ partner }) => partner !== null)
    .sort((a, b) => accountName(a).localeCompare(accountName(b)));
}

export const accountName = ({ partner, environment }: Pick<DashboardAccount, "partner" | "environment">): string =>
  `${partner ?? "The pharmacy"}${environment === "sandbox" ? " (sandbox)" : ""}`;

/** What was chosen last holds on the next screen too. */
let last: string | null = null;

/** The account that the screen shows: that of the address, or the last one, or the first. */
export function useChosenAccount(): [DashboardAccount | undefined, (account_id: string) => void] {
  const accounts = useAccounts();
  const [{ account_id = last }, change] = useFilters();
  const chosen = accounts.find((one) => one.account_id === account_id) ?? accounts[0];
  last = chosen?.account_id ?? last;
  return [chosen, (next) => change({ account_id: next })];
}

export function AccountSelect() {
  const accounts = useAccounts();
  const [chosen, choose] = useChosenAccount();
  return (
    <SelectField
      label="Account"
      unseen
      options={accounts.map((one) => [one.account_id, accountName(one)] as const)}
      value={chosen?.account_id ?? ""}
      onChange={(event) => choose(event.target.value)}
    />
  );
}
