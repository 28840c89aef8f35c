import type { Environment } from "@pestle/contract";
import { useLocation, useNavigate } from "../app/router/router.tsx";
import { useShortcuts } from "../app/shell/shortcuts.ts";
import { useApi } from "../app/use-api.ts";
import { EnvironmentMenu, environmentNames } from "../ui/controls/environment-menu.tsx";
import { say } from "../ui/words/say.tsx";
import { environmentIn } from "./environment.ts";

/** Switches between production and sandbox and keeps the current screen. */
export function EnvironmentSwitch() {
  const { data } = useApi("/portal");
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const current = environmentIn(pathname);
  const offered = data?.accounts.map(({ environment }) => environment) ?? [];
  const other = offered.find((one) => one !== current);
  const go = (environment: Environment) => {
    if (environment === current) return;
    // Orders, events and requests belong to one account, so a detail page switches to its list.
    const screen = pathname.split("/")[2] ?? "home";
    void navigate({ to: `/${environment}/${screen === "sandbox" ? "home" : screen}` });
  };
  useShortcuts(
    other
      ? [
          {
            keys: "g v",
            label: say("Switch to {environment}", { environment: environmentNames[other] }),
            group: say("Go to"),
            run: () => go(other),
          },
        ]
      : [],
  );
  if (data === undefined) return null;
  return <EnvironmentMenu current={current} offered={offered} onChoose={go} />;
}
