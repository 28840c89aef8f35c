import type { Environment } from "@pestle/contract";
import { Icon } from "../icon.tsx";
import { say } from "../words/say.tsx";
import styles from "./environment-menu.module.css";
import { Menu } from "./menu.tsx";

export const environmentNames: Record<Environment, string> = { production: say("Production"), sandbox: say("Sandbox") };

/** Shows the current environment in its own color and switches to the other one. */
export function EnvironmentMenu({
  current,
  offered,
  onChoose,
}: {
  current: Environment;
  offered: readonly Environment[];
  onChoose: (environment: Environment) => void;
}) {
  return (
    <Menu
      label={say("Environment: {environment}", { environment: environmentNames[current] })}
      triggerClass={current === "sandbox" ? styles["sandbox"] : styles["production"]}
      trigger={
        <>
          <Icon name={current === "sandbox" ? "flask" : "building"} />
          <span>{environmentNames[current]}</span>
          <Icon name="down" size={12} />
        </>
      }
      items={offered.map((environment) => ({
        label: environmentNames[environment],
        icon: environment === "sandbox" ? "flask" : "building",
        checked: environment === current,
        onChoose: () => onChoose(environment),
      }))}
    />
  );
}
