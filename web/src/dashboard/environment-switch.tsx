import { useShortcuts } from "../app/shell/shortcuts.ts";
import { useFilters } from "../app/use-address.ts";
import { EnvironmentMenu, environmentNames } from "../ui/controls/environment-menu.tsx";
import { say } from "../ui/words/say.tsx";
import { chooseEnvironment, environmentFilter, useEnvironment, useEnvironments } from "./environment.ts";

/** Switches every screen between production and sandbox. */
export function EnvironmentSwitch() {
  const current = useEnvironment();
  const offered = useEnvironments();
  const [filters, change] = useFilters();
  const choose = (environment: NonNullable<typeof current>) => {
    chooseEnvironment(environment);
    // What the URL names would override the choice, so clear it. A recall search keeps its own filter.
    const named = [environmentFilter.name, "account_id"].some((name) => filters[name] !== undefined);
    if (named && filters["lot"] === undefined) change({ environment: null, account_id: null });
  };
  const other = offered?.find((one) => one !== current);
  useShortcuts(
    current && other
      ? [
          {
            keys: "g x",
            label: say("Switch to {environment}", { environment: environmentNames[other] }),
            group: say("Go to"),
            run: () => choose(other),
          },
        ]
      : [],
  );
  if (current === undefined || offered === undefined) return null;
  return <EnvironmentMenu current={current} offered={offered} onChoose={choose} />;
}
