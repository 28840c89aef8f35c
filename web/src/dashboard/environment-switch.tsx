import { useShortcuts } from "../app/shell/shortcuts.ts";
import { useFilters } from "../app/use-address.ts";
import { EnvironmentMenu, environmentNames } from "../ui/controls/environment-menu.tsx";
import { chooseEnvironment, environmentFilter, useEnvironment, useEnvironments } from "./environment.ts";

/** Switches the queues and lists between production and sandbox. */
export function EnvironmentSwitch() {
  const current = useEnvironment();
  const offered = useEnvironments();
  const [filters, change] = useFilters();
  const choose = (environment: NonNullable<typeof current>) => {
    chooseEnvironment(environment);
    // The URL's filter would override the choice, so clear it. A recall search keeps its own filter.
    if (filters[environmentFilter.name] !== undefined && filters["lot"] === undefined) change({ environment: null });
  };
  const other = offered?.find((one) => one !== current);
  useShortcuts(
    current && other
      ? [{ keys: "g x", label: `Switch to ${environmentNames[other]}`, group: "Go to", run: () => choose(other) }]
      : [],
  );
  if (current === undefined || offered === undefined) return null;
  return <EnvironmentMenu current={current} offered={offered} onChoose={choose} />;
}
