import type { DashboardAccount, Environment } from "@pestle/contract";
import { useFilters } from "../app/use-address.ts";
import { useApi } from "../app/use-api.ts";
import { SelectField } from "../ui/controls/field.tsx";
import { say } from "../ui/words/say.tsx";
import { useEnvironment } from "./environment.ts";

/** Partner accounts, sorted by name. The pharmacy's own accounts hold no orders. */
export function useAccounts(): readonly DashboardAccount[] {
  const { data } = useApi("/dashboard/accounts");
  return (data?.accounts ?? [])
    .filter(({ partner }) => partner !== null)
    .sort((a, b) => accountName(a).localeCompare(accountName(b)));
}

export function accountName({ partner, environment }: Pick<DashboardAccount, "partner" | "environment">): string {
  const name = partner ?? say("The pharmacy");
  return environment === "sandbox" ? say("{name} (sandbox)", { name }) : name;
}

/** Remembers the last account of each environment across screens. */
const last = new Map<Environment, string>();

/** The accounts of the environment that the switch shows. */
function useOfferedAccounts(): readonly DashboardAccount[] {
  const environment = useEnvironment();
  return useAccounts().filter((one) => one.environment === environment);
}

/** The account to show: from the URL, else the environment's last one used, else its first. */
export function useChosenAccount(): [DashboardAccount | undefined, (account_id: string) => void] {
  const accounts = useOfferedAccounts();
  const environment = useEnvironment();
  const [{ account_id = environment && last.get(environment) }, change] = useFilters();
  const chosen = accounts.find((one) => one.account_id === account_id) ?? accounts[0];
  if (chosen !== undefined) last.set(chosen.environment, chosen.account_id);
  return [chosen, (next) => change({ account_id: next })];
}

export function AccountSelect() {
  const accounts = useOfferedAccounts();
  const [chosen, choose] = useChosenAccount();
  return (
    <SelectField
      label={say("Account")}
      unseen
      options={accounts.map((one) => [one.account_id, accountName(one)] as const)}
      value={chosen?.account_id ?? ""}
      onChange={(event) => choose(event.target.value)}
    />
  );
}
