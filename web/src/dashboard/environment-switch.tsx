import { useShortcuts } from "../app/shell/shortcuts.ts";
import { useFilters } from "../app/use-address.ts";
import { EnvironmentMenu, environmentNames } from "../ui/controls/environment-menu.tsx";
import { chooseEnvironment, environmentFilter, useEnvironment, useEnvironments } from "./environment.ts";

/** Whether the queues and lists show patients who wait or what partners try out. */
export function EnvironmentSwitch() {
  const current = useEnvironment();
  const offered = useEnvironments();
  const [filters, change] = useFilters();
  const choose = (environment: NonNullable<typeof current>) => {
    chooseEnvironment(environment);
    // What the list's own address says would hold instead. A recall is a question of its own.
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
