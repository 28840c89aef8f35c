import type { DashboardAccount } from "@pestle/contract";
import { useFilters } from "../app/use-address.ts";
import { useApi } from "../app/use-api.ts";
import { SelectField } from "../ui/controls/field.tsx";

/** Partner accounts, sorted by name. The pharmacy's own accounts hold no orders. */
export function useAccounts(): readonly DashboardAccount[] {
  const { data } = useApi("/dashboard/accounts");
  return (data?.accounts ?? [])
    .filter(({ partner }) => partner !== null)
    .sort((a, b) => accountName(a).localeCompare(accountName(b)));
}

export const accountName = ({ partner, environment }: Pick<DashboardAccount, "partner" | "environment">): string =>
  `${partner ?? "The pharmacy"}${environment === "sandbox" ? " (sandbox)" : ""}`;

/** Remembers the last account across screens. */
let last: string | null = null;

/** The account to show: from the URL, else the last one used, else the first. */
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
